/** `npm run ledger:check`: proves the books and exits with 1 where they do not hold. */
import { loadConfig } from '../config.ts';
import { trialBalance } from './ledger/trial-balance.ts';
import { openOrm } from './orm.ts';

const orm = openOrm(loadConfig());
try {
  const report = await trialBalance(orm.em.fork());
  for (const { check, broken } of report.checks)
    process.stdout.write(
      `${broken === 0 ? 'ok     ' : 'BROKEN '} ${check}${broken === 0 ? '' : `: ${broken}`}\n`,
    );
  for (const { asset, entries, sum } of report.totals)
    process.stdout.write(`${asset.padEnd(6)} ${entries} entries, sum ${sum}\n`);
  process.stdout.write(report.sound ? 'The books balance.\n' : 'THE BOOKS DO NOT BALANCE.\n');
  process.exitCode = report.sound ? 0 : 1;
} finally {
  await orm.close(true);
}
