/** From asking for a transfer until it is executed, against the least that Temporal can do for a caller who waits. */
import { WithStartWorkflowOperation } from '@temporalio/client';
import { randomUUID } from 'node:crypto';
import { createCipher } from '../adapters/cipher.ts';
import { connectTemporal } from '../adapters/temporal.ts';
import { loadConfig } from '../config.ts';
import { queueName } from '../domain/queues.ts';
import type { Caller } from './stage/caller.ts';
import { compare, drive, type Comparison } from './measure.ts';
import { paying } from './stage/paying.ts';
import type { Stage } from './stage/stage.ts';
import { answered } from './stage/workflows.ts';

const SECONDS = 5;
const CALLERS = [1, 16, 32, 64];

/** The whole request over HTTP, with step-up, idempotency key and answer. */
export async function benchTransfers(stage: Stage, caller: Caller, rounds: number): Promise<Comparison[]> {
  const config = loadConfig(stage.env);
  const temporal = connectTemporal(config, createCipher(config.ENCRYPTION_KEYS));

  const bare = async (): Promise<void> => {
    const startWorkflowOperation = new WithStartWorkflowOperation('bare', {
      workflowId: `bare/${randomUUID()}`,
      taskQueue: queueName(config.TEMPORAL_TASK_QUEUE, 'money'),
      args: [null],
      workflowIdConflictPolicy: 'USE_EXISTING',
      workflowIdReusePolicy: 'REJECT_DUPLICATE',
    });
    await temporal.within(20_000, () =>
      temporal.client.workflow.executeUpdateWithStart(answered, {
        updateId: randomUUID(),
        startWorkflowOperation,
      }),
    );
  };

  const between = { payer: () => caller.source, payee: () => caller.destination };
  const results: Comparison[] = [];
  for (const callers of CALLERS) {
    const floor = () => drive(callers, SECONDS, bare);
    await floor();
    const overHttp = async () => drive(callers, SECONDS, await paying(stage.api, caller, between));
    results.push(
      await compare(`POST /v1/transfers to executed, ${callers} callers`, rounds, overHttp, floor),
    );
  }
  await temporal.close();
  return results;
}
