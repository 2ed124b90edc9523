/** The settings of processes: which transfers have one, and how long they are waited for. */
import { z } from 'zod';
import { port } from './setting-kinds.ts';

export const processSettings = {
  TRANSFER_RUNS: z
    .enum(['waiting', 'all'])
    .default('waiting')
    .describe(
      'which transfers get a process that operators see in the Temporal Web UI: those that wait for something, or `all`',
    ),
  PROCESS_ANSWER_SECONDS: z.coerce
    .number()
    .min(0.5)
    .max(30)
    .default(8)
    .describe(
      'seconds for which a call waits until its process has acted; if that takes longer, the answer says that the decision is accepted',
    ),
  RELAY_SECONDS: z.coerce
    .number()
    .min(0.1)
    .max(60)
    .default(5)
    .describe('seconds between two looks of a worker for processes that are still to be started or told'),
  WORKER_STATUS_PORT: port
    .default(0)
    .describe('port on which a worker answers /health, /ready and /metrics; 0 opens none'),
  METRICS_PORT: port
    .default(0)
    .describe('port of the metrics that Temporal’s SDK keeps of a worker; 0 opens none'),
};
