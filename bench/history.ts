/** Reads of a long history against the same reads of a short one: what they cost must not grow with it. And the search over a million. */
import type { Caller } from './caller.ts';
import { proveBooks, seedAccounts, seedLedger } from './ledger-seed.ts';
import { drive, type Sample } from './measure.ts';
import type { Stage } from './stage.ts';

const SHORT = 10_000;
const LONG = Number(process.env['BENCH_ENTRIES'] ?? 10_000_000);
const SEARCHABLE = 1_000_000;
const CALLERS = 4;
const SECONDS = 5;
/** The highest p99 of the long history, as a multiple of the short one's. */
const MOST = 1.5;

type Read = (account: string) => string;

const YEAR = 364 * 86_400_000;
const lastYear = (): string =>
  new URLSearchParams({ from: new Date(Date.now() - YEAR).toISOString(), interval: 'day' }).toString();

/** Reads that must cost the same, by name. */
const READS: Readonly<Record<string, Read>> = {
  'account detail': (account) => `/v1/accounts/${account}`,
  'movements, 50': (account) => `/v1/accounts/${account}/transactions`,
  'movements of an amount': (account) =>
    `/v1/accounts/${account}/transactions?min_amount=990.00&direction=debit`,
  'history, 365 points': (account) => `/v1/accounts/${account}/balance-history?${lastYear()}`,
  'history by value date': (account) => `/v1/accounts/${account}/balance-history?by=value&${lastYear()}`,
};
const WORDS = ['rent', 'bakrey', 'cafe 77', 'miete 120', 'salry', 'insurance 19', 'zzz'];

/** Prints a line for each read; throws where one grows beyond what it may. */
export async function benchHistory(stage: Stage, caller: Caller, rounds: number): Promise<void> {
  const accounts = await seedAccounts(stage.ownerUrl, caller.id);
  const say = (line: string): void => void process.stderr.write(`${line}\n`);
  const fill = (entries: number, searchable: number) =>
    seedLedger({ ownerUrl: stage.ownerUrl, accounts, entries, searchable, say });
  await fill(SHORT, 0);
  const short = await measureAll(stage, caller, accounts, rounds);
  const begun = performance.now();
  const there = await fill(LONG, SEARCHABLE);
  say(`seeded in ${((performance.now() - begun) / 60_000).toFixed(1)} minutes`);
  await proveBooks(stage.env);
  const long = await measureAll(stage, caller, accounts, rounds);
  const slower: string[] = [];
  for (const name of Object.keys(READS)) {
    const [few, many] = [short.get(name) ?? Number.NaN, long.get(name) ?? Number.NaN];
    process.stdout.write(
      `${`${name}, ${there} entries / ${SHORT}`.padEnd(52)} p99 ms ${many.toFixed(1)} / ${few.toFixed(1)} = ${(many / few).toFixed(2)}\n`,
    );
    if (!(many / few <= MOST)) slower.push(name);
  }
  const search = await read(stage, caller, () => `/v1/search?q=${encodeURIComponent(anyOf(WORDS))}`);
  process.stdout.write(
    `${`search over ${SEARCHABLE} movements`.padEnd(52)} p50 ms ${search.p50.toFixed(1)} p99 ms ${search.p99.toFixed(1)}\n`,
  );
  if (slower.length > 0) throw new Error(`grow with the history: ${slower.join(', ')}`);
}

/** The median of the rounds' p99, by read. */
async function measureAll(
  stage: Stage,
  caller: Caller,
  accounts: readonly string[],
  rounds: number,
): Promise<ReadonlyMap<string, number>> {
  // the longest of all, and others of the caller's
  const own = [accounts[0] ?? '', ...accounts.slice(0, 4)];
  const samples = new Map<string, number[]>();
  for (let round = 0; round < rounds; round++)
    for (const [name, path] of Object.entries(READS)) {
      const { p99 } = await read(stage, caller, () => path(anyOf(own)));
      samples.set(name, [...(samples.get(name) ?? []), p99]);
    }
  return new Map(
    [...samples].map(([name, found]) => [
      name,
      found.toSorted((a, b) => a - b)[found.length >> 1] ?? Number.NaN,
    ]),
  );
}

function read(stage: Stage, caller: Caller, path: () => string): Promise<Sample> {
  return drive(CALLERS, SECONDS, async () => {
    const answer = await fetch(`${stage.api}${path()}`, {
      headers: { authorization: `Bearer ${caller.token}` },
    });
    await answer.arrayBuffer();
    if (answer.status !== 200) throw new Error(`${path()}: ${answer.status}`);
  });
}

function anyOf(list: readonly string[]): string {
  return list[Math.floor(Math.random() * list.length)] ?? '';
}
