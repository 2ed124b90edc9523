/** A worker of the service that also knows the benchmark's bare workflow. */
import { fileURLToPath } from 'node:url';
import { loadConfig } from '../../config.ts';
import { runWorker } from '../../workers/run.ts';

await runWorker(loadConfig(), fileURLToPath(new URL('./workflows.ts', import.meta.url)));
