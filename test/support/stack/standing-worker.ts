/**
 * A worker that stands still for ever where a test says, so that it can be killed there. STANDS is a JSON object of transfer id to
 * place: `decision before` is before a decision is carried out, `decision after` is after its commit and before Temporal
 * hears of it. Each place that is reached is a line of the output, `stands decision before of <id>`; an activity that has stood for
 * longer than its time-out is tried again, and says so again. A step that is over is a line too: `did time of <id>`.
 */
import { NativeConnection, Worker } from '@temporalio/worker';
import { pino } from 'pino';
import { z } from 'zod';
import { railActivities } from '../../../activities/rail.ts';
import { transferActivities } from '../../../activities/transfers.ts';
import { createCipher } from '../../../adapters/cipher.ts';
import { createFileRail } from '../../../services/transfers/file-rail.ts';
import { readAssets } from '../../../services/platform/assets.ts';
import { createStorage } from '../../../adapters/storage.ts';
import { dataConverter } from '../../../adapters/temporal.ts';
import { loadConfig } from '../../../config.ts';
import { queueName } from '../../../domain/queues.ts';
import { openOrm } from '../../../db/orm.ts';
import { bundleWorkflows } from '../../../workers/bundle.ts';

const stands = z.record(z.string(), z.string()).parse(JSON.parse(process.env['STANDS'] ?? '{}'));
const config = loadConfig();
const orm = openOrm(config);
const em = () => orm.em.fork();
// as every process does before it serves
await readAssets(em());
const rail = createFileRail({ config, storage: createStorage(config), em, log: pino({ level: 'silent' }) });
const { transferState, carryOutStep } = transferActivities({ em });
const { submitToRail } = railActivities({ em, rail });

async function standing<T>(id: string, step: string, act: () => Promise<T>): Promise<T> {
  await standAt(id, `${step} before`);
  const result = await act();
  await standAt(id, `${step} after`);
  process.stdout.write(`did ${step} of ${id}\n`);
  return result;
}

async function standAt(id: string, place: string): Promise<void> {
  if (stands[id] !== place) return;
  process.stdout.write(`stands ${place} of ${id}\n`);
  await new Promise(() => undefined);
}

const connection = await NativeConnection.connect({ address: config.TEMPORAL_ADDRESS });
const common = {
  connection,
  namespace: config.TEMPORAL_NAMESPACE,
  dataConverter: dataConverter(createCipher(config.ENCRYPTION_KEYS)),
};
const money = await Worker.create({
  ...common,
  taskQueue: queueName(config.TEMPORAL_TASK_QUEUE, 'money'),
  workflowBundle:
    config.WORKFLOW_BUNDLE === undefined ? await bundleWorkflows() : { codePath: config.WORKFLOW_BUNDLE },
  activities: {
    transferState: (id: Parameters<typeof transferState>[0]) => standing(id, 'open', () => transferState(id)),
    carryOutStep: (...[id, step]: Parameters<typeof carryOutStep>) =>
      standing(id, step.source, () => carryOutStep(id, step)),
  },
});
const outside = await Worker.create({
  ...common,
  taskQueue: queueName(config.TEMPORAL_TASK_QUEUE, 'outside'),
  activities: {
    submitToRail: (id: Parameters<typeof submitToRail>[0]) => standing(id, 'submit', () => submitToRail(id)),
  },
});
await Promise.all([money.run(), outside.run()]);
