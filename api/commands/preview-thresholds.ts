/**
 * `npm run screening:preview -- 75 80 85`: says as lines of JSON what screening of those who came, or were paid, in the last 90 days would
 * have raised at each of these thresholds and at the present one. Nothing is written down.
 */
import { parseArgs } from 'node:util';
import { ConfigError, loadConfig } from '../../config.ts';
import { openOrm } from '../../db/orm.ts';
import { runCommand } from './command.ts';
import { now } from '../../domain/time/now.ts';
import { previewThresholds } from '../../services/aml/threshold-preview.ts';

const DAYS = 90;
const DAY_MILLISECONDS = 86_400_000;

async function main(): Promise<void> {
  const given = parseArgs({ allowPositionals: true }).positionals.map(Number);
  if (given.length === 0 || !given.every((score) => Number.isInteger(score) && score > 0 && score <= 100))
    throw new ConfigError(
      'Give thresholds, whole numbers from 1 to 100: npm run screening:preview -- 75 80 85',
    );
  const config = loadConfig();
  const thresholds = [...new Set([...given, config.AML_MATCH_THRESHOLD])].sort((a, b) => a - b);
  const orm = openOrm(config);
  const em = () => orm.em.fork();
  try {
    const since = new Date(now().getTime() - DAYS * DAY_MILLISECONDS);
    for (const raised of await previewThresholds(em, since, thresholds))
      process.stdout.write(`${JSON.stringify(raised)}\n`);
  } finally {
    await orm.close(true);
  }
}

await runCommand(main);
