/** `npm run bench:seed [entries]`: ten million entries in a database of their own, proven, then thrown away. What they are for: `npm run bench history`. */
import { makeCaller } from './stage/caller.ts';
import { proveBooks, seedAccounts, seedLedger } from './stage/ledger-seed.ts';
import { openStage } from './stage/stage.ts';

const entries = Number(process.argv[2] ?? 10_000_000);
const stage = await openStage();
try {
  const caller = await makeCaller(stage);
  const begun = performance.now();
  const seconds = (): string => `${((performance.now() - begun) / 1_000).toFixed(1).padStart(7)} s`;
  const say = (line: string): void => void process.stdout.write(`${seconds()}  ${line}\n`);
  const accounts = await seedAccounts(stage.ownerUrl, caller.id);
  const there = await seedLedger({
    ownerUrl: stage.ownerUrl,
    accounts,
    entries,
    searchable: Math.min(entries, 1_000_000),
    say,
  });
  say(`${there} entries in ${accounts.length} accounts`);
  await proveBooks(stage.env);
  say('the books balance');
  await caller.close();
} finally {
  await stage.close();
}
