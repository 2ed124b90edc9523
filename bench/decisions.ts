/** An administrator's decision on a transfer, through its process, beside an Update that a process answers and does nothing else for. */
import { randomUUID } from 'node:crypto';
import pg from 'pg';
import { createCipher } from '../adapters/cipher.ts';
import { connectTemporal } from '../adapters/temporal.ts';
import { loadConfig } from '../config.ts';
import { queueName } from '../domain/queues.ts';
import { makeCaller, type Caller } from './stage/caller.ts';
import { atRest, deciding, outboxEmpty, pendingTransfers } from './stage/deciding.ts';
import { compare, drive, type Comparison, type Sample } from './measure.ts';
import type { Stage } from './stage/stage.ts';
import { answered } from './stage/workflows.ts';

const SECONDS = 5;
const CALLERS = [1, 16];
/** More than one caller, and than so many callers, decide in a round. */
const A_CALLER = 300;
const MOST = 800;
const STARTS_AT_ONCE = 16;

export async function benchDecisions(stage: Stage, customer: Caller, rounds: number): Promise<Comparison[]> {
  const config = loadConfig(stage.env);
  const temporal = connectTemporal(config, createCipher(config.ENCRYPTION_KEYS));
  const admin = await makeCaller(stage, ['transfers:review']);
  const owner = new pg.Client(stage.ownerUrl);
  await owner.connect();

  const ours = async (callers: number): Promise<Sample> => {
    const pending = await pendingTransfers(stage.api, customer, Math.min(callers * A_CALLER, MOST));
    await outboxEmpty(owner);
    await atRest(
      temporal,
      pending.map((id) => `transfer/${id}`),
    );
    return drive(callers, SECONDS, await deciding(stage.api, admin, pending));
  };

  /** Runs that wait for one Update. */
  const waitingRuns = async (count: number): Promise<string[]> => {
    const ids: string[] = [];
    const start = async (): Promise<void> => {
      const workflowId = `bare/${randomUUID()}`;
      const taskQueue = queueName(config.TEMPORAL_TASK_QUEUE, 'money');
      await temporal.client.workflow.start('bare', { workflowId, taskQueue, args: [null] });
      ids.push(workflowId);
    };
    while (ids.length < count) await Promise.all(Array.from({ length: STARTS_AT_ONCE }, start));
    return ids;
  };

  const floor = async (callers: number): Promise<Sample> => {
    const waiting = await waitingRuns(Math.min(callers * A_CALLER, MOST));
    await atRest(temporal, waiting);
    return drive(callers, SECONDS, async () => {
      const workflowId = waiting.shift();
      if (workflowId === undefined) throw new Error('more updates were asked for than runs waited');
      await temporal.client.workflow
        .getHandle(workflowId)
        .executeUpdate(answered, { updateId: randomUUID() });
    });
  };

  try {
    const results: Comparison[] = [];
    for (const callers of CALLERS) {
      // connections that have planned nothing yet cost both a multiple
      await floor(callers);
      await ours(callers);
      results.push(
        await compare(
          `decision through its process / a bare Update, ${callers} callers`,
          rounds,
          () => ours(callers),
          () => floor(callers),
        ),
      );
    }
    return results;
  } finally {
    await Promise.all([temporal.close(), admin.close(), owner.end()]);
  }
}
