/** Reads of a long history against the same reads of a short one: what they cost must not grow with it. And the search over a million. */
import { makeCaller, type Caller } from './stage/caller.ts';
import { proveBooks, seedAccounts, seedLedger } from './stage/ledger-seed.ts';
import { compare, drive, type Sample } from './measure.ts';
import type { Stage } from './stage/stage.ts';

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

/** A database with so many entries, an API in front of it, and who reads there. */
interface Side {
  readonly api: string;
  readonly caller: Caller;
  readonly accounts: readonly string[];
}

/** Both in turn; prints a line for each read, throws where one grows beyond what it may. */
export async function benchHistory(stage: Stage, caller: Caller, rounds: number): Promise<void> {
  const say = (line: string): void => void process.stderr.write(`${line}\n`);
  const fill = async (
    place: Pick<Stage, 'ownerUrl' | 'api' | 'env'>,
    reader: Caller,
    entries: number,
    searchable: number,
  ): Promise<Side> => {
    const { ownerUrl, api, env } = place;
    const accounts = await seedAccounts(ownerUrl, reader.id);
    await seedLedger({ ownerUrl, accounts, entries, searchable, say });
    await proveBooks(env);
    return { api, caller: reader, accounts };
  };
  const other = await stage.beside('short');
  const short = await fill(other, await makeCaller(other), SHORT, 0);
  const begun = performance.now();
  const long = await fill(stage, caller, LONG, SEARCHABLE);
  say(`${LONG} entries seeded and proven in ${((performance.now() - begun) / 60_000).toFixed(1)} minutes`);
  const slower: string[] = [];
  for (const [name, path] of Object.entries(READS)) {
    const { ours, floor } = await compare(
      `${name}, ${LONG} entries / ${SHORT}`,
      rounds,
      () => read(long, path),
      () => read(short, path),
    );
    if (!(median(ours) / median(floor) <= MOST)) slower.push(name);
  }
  const search = await read(long, () => `/v1/search?q=${encodeURIComponent(anyOf(WORDS))}`);
  process.stdout.write(
    `${`search over ${SEARCHABLE} movements`.padEnd(46)} p50 ms ${search.p50.toFixed(1)} p99 ms ${search.p99.toFixed(1)}\n`,
  );
  await short.caller.close();
  if (slower.length > 0) throw new Error(`grow with the history: ${slower.join(', ')}`);
}

/** Of the rounds' p99. */
function median(samples: readonly Sample[]): number {
  const sorted = samples.map(({ p99 }) => p99).toSorted((a, b) => a - b);
  return sorted[sorted.length >> 1] ?? Number.NaN;
}

/** Half of the calls go to the longest history of all, the others to that of others of the caller's. */
async function read({ api, caller, accounts }: Side, path: Read): Promise<Sample> {
  const longest = accounts[0] ?? '';
  const headers = { authorization: `Bearer ${await caller.freshToken()}` };
  return drive(CALLERS, SECONDS, async () => {
    const account = Math.random() < 0.5 ? longest : anyOf(accounts.slice(0, 10));
    const answer = await fetch(`${api}${path(account)}`, { headers });
    await answer.arrayBuffer();
    if (answer.status !== 200) throw new Error(`${path(account)}: ${answer.status}`);
  });
}

function anyOf(list: readonly string[]): string {
  return list[Math.floor(Math.random() * list.length)] ?? '';
}
