/** `npm run worker`. */
import { ConfigError, loadConfig } from '../config.ts';
import { runWorker } from './run.ts';

try {
  await runWorker(loadConfig());
} catch (error) {
  if (!(error instanceof ConfigError)) throw error;
  process.stderr.write(`${error.message}\n`);
  // what was already built would keep the process alive
  process.exit(1);
}
