/** From asking for a transfer until it is executed, against the least that Temporal can do for a caller who waits. */
import { WithStartWorkflowOperation } from '@temporalio/client';
import { randomUUID } from 'node:crypto';
import { createCipher } from '../adapters/cipher.ts';
import { connectTemporal } from '../adapters/temporal.ts';
import { loadConfig } from '../config.ts';
import type { Caller } from './caller.ts';
import { compare, drive, type Comparison } from './measure.ts';
import type { Stage } from './stage.ts';
import { answered } from './workflows.ts';

const SECONDS = 5;

/** Over HTTP with everything round it (step-up, idempotency key, answer), at 1 and 32 callers. */
export async function benchTransfers(stage: Stage, caller: Caller, rounds: number): Promise<Comparison[]> {
  const config = loadConfig(stage.env);
  const temporal = connectTemporal(config, createCipher(config.ENCRYPTION_KEYS));
  const bare = async (): Promise<void> => {
    const startWorkflowOperation = new WithStartWorkflowOperation('bare', {
      workflowId: `bare/${randomUUID()}`,
      taskQueue: config.TEMPORAL_TASK_QUEUE,
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
  const results: Comparison[] = [];
  for (const callers of [1, 32]) {
    const ours = async () => drive(callers, SECONDS, transferring(stage, caller));
    const floor = () => drive(callers, SECONDS, bare);
    await floor();
    results.push(await compare(`create transfer to executed, ${callers} callers`, rounds, ours, floor));
  }
  await temporal.close();
  return results;
}

/** Step-up tokens are signed beside the measured call, as a client would have got them before. */
function transferring(stage: Stage, caller: Caller): () => Promise<void> {
  let next = caller.stepUp('createTransfer');
  const body = JSON.stringify({
    source_account_id: caller.source,
    destination: { account_id: caller.destination },
    amount: { amount: '0.01', currency: 'EUR' },
  });
  return async () => {
    const token = next;
    next = caller.stepUp('createTransfer');
    const answer = await fetch(`${stage.api}/v1/transfers`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${caller.token}`,
        'content-type': 'application/json',
        'idempotency-key': randomUUID(),
        'x-step-up-token': await token,
      },
      body,
    });
    const text = await answer.text();
    if (answer.status !== 201 || !text.includes('"executed"')) throw new Error(`${answer.status} ${text}`);
  };
}
