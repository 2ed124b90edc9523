/** What the clock starts, started by a test: as a schedule would, only now. */
import { Client, Connection } from '@temporalio/client';
import { randomUUID } from 'node:crypto';
import { createCipher } from '../../../adapters/cipher.ts';
import { dataConverter } from '../../../adapters/temporal.ts';
import { loadConfig } from '../../../config.ts';
import { queueName } from '../../../domain/queues.ts';
import { stack } from './stack.ts';

/** Runs one round of a process that has no input, and waits for its end. As a schedule's run, it is started with a sealed null. */
export async function runRound(workflowType: string): Promise<void> {
  const config = loadConfig(stack.serviceEnv);
  const connection = await Connection.connect({ address: stack.temporal.address });
  try {
    const client = new Client({
      connection,
      namespace: stack.temporal.namespace,
      dataConverter: dataConverter(createCipher(config.ENCRYPTION_KEYS)),
    });
    await client.workflow.execute(workflowType, {
      workflowId: `${workflowType}/${randomUUID()}`,
      taskQueue: queueName(config.TEMPORAL_TASK_QUEUE, 'money'),
      args: [null],
    });
  } finally {
    await connection.close();
  }
}
