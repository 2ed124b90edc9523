/** A statement of a million lines against `COPY` of the same rows: time, first byte, and what it takes of the service's memory. */
import { get } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { linesAfter } from '../db/queries/statements/lines.ts';
import { statementHead } from '../db/queries/statements/statements.ts';
import { dayAt } from '../domain/statements.ts';
import type { Caller } from './stage/caller.ts';
import { seedLedger } from './stage/ledger-seed.ts';
import type { Stage } from './stage/stage.ts';

const LINES = Number(process.env['BENCH_LINES'] ?? 1_000_000);
const MEGABYTE = 2 ** 20;
const TIME_ZONE = 'Europe/Berlin';
/** What a statement may cost at most. */
const MOST = { ratio: 1.5, firstByteMs: 50, growthBytes: 64 * MEGABYTE };
const FORMATS = ['application/json', 'text/csv', 'application/xml'] as const;

interface Taken {
  readonly ms: number;
  readonly firstByteMs: number;
  readonly bytes: number;
  readonly growth: number;
}

/** Prints a line for each format; throws where one costs more than it may. PDF is measured without a floor. */
export async function benchStatements(stage: Stage, caller: Caller, rounds: number): Promise<void> {
  const accounts = [caller.source, caller.destination];
  const say = (line: string): void => void process.stderr.write(`${line}\n`);
  await seedLedger({ ownerUrl: stage.ownerUrl, accounts, entries: 2 * LINES, searchable: 0, say });
  const client = new pg.Client(stage.ownerUrl);
  await client.connect();
  try {
    const head = await headOf(client, caller);
    const lines = Number(head.seq_last) - Number(head.seq_before);
    const from = (day: string): string => `${stage.api}/v1/accounts/${head.account_id}/statement?from=${day}`;
    const url = from(dayAt(head.begins, TIME_ZONE));
    const short = from(await dayOf(client, caller, LINES / 20));
    const faults: string[] = [];
    for (const format of FORMATS) {
      // what the first statement of a kind takes is not taken again: the long one is compared with a short one
      await take(stage, caller, short, format);
      faults.push(...(await compare(format, rounds, lines)));
    }
    await take(stage, caller, short, 'application/pdf');
    const pdf = await take(stage, caller, url, 'application/pdf');
    print('application/pdf', lines, [pdf], []);
    if (pdf.growth > MOST.growthBytes) faults.push('application/pdf: memory');
    if (faults.length > 0) throw new Error(`statements cost too much: ${faults.join(', ')}`);

    async function compare(format: string, times: number, count: number): Promise<string[]> {
      const [ours, floor]: [Taken[], number[]] = [[], []];
      for (let round = 0; round < times; round++) {
        floor.push(await copy(client, head));
        ours.push(await take(stage, caller, url, format));
      }
      const ratio = print(format, count, ours, floor);
      const [middle] = [median(ours.map(({ firstByteMs }) => firstByteMs))];
      return [
        ...(ratio > MOST.ratio ? [`${format}: time`] : []),
        ...(middle > MOST.firstByteMs ? [`${format}: first byte`] : []),
        ...(ours.some(({ growth }) => growth > MOST.growthBytes) ? [`${format}: memory`] : []),
      ];
    }
  } finally {
    await client.end();
  }
}

/** The day from whose beginning on there are about so many lines until now. */
async function dayOf(client: pg.Client, { source }: Caller, lines: number): Promise<string> {
  const found = await client.query<{ day: string }>(
    `select ((e.booked_at at time zone $2)::date + 1)::text as day from accounts a join ledger_entries e on e.account_id = a.id
      where a.id = $1 and e.seq = greatest(a.entry_seq - $3::bigint, 1)`,
    [source, TIME_ZONE, Math.round(lines)],
  );
  const [row] = found.rows;
  if (row === undefined) throw new Error('the account has no entries');
  return row.day;
}

/** What the driver itself makes of a head. */
interface Head {
  readonly account_id: string;
  readonly begins: Date;
  readonly seq_before: string;
  readonly seq_last: string;
}

/** About a million lines until now. */
async function headOf(client: pg.Client, caller: Caller): Promise<Head> {
  const first = await dayOf(client, caller, LINES);
  const last = dayAt(new Date(), TIME_ZONE);
  const wish = [caller.source, caller.id, first, last, TIME_ZONE];
  const [head] = (await client.query<Head>(statementHead.sql, wish)).rows;
  if (head === undefined) throw new Error('the account is not there');
  return head;
}

/** The same rows, by the server's own way of putting out many. The client reads and drops them, as `psql` into /dev/null. */
async function copy(client: pg.Client, head: Head): Promise<number> {
  const values = [
    `'${head.account_id}'::uuid`,
    head.seq_before,
    head.seq_last,
    'false',
    `'${TIME_ZONE}'`,
    'null',
  ];
  const query = linesAfter.sql.replace(
    /\$(\d)/g,
    (_place, number: string) => values[Number(number) - 1] ?? '',
  );
  const begun = performance.now();
  await client.query(`copy (${query}) to stdout`);
  return performance.now() - begun;
}

async function take(stage: Stage, caller: Caller, url: string, format: string): Promise<Taken> {
  const before = await memoryOf(stage);
  let [peak, over] = [before, false];
  const watching = (async () => {
    for (; !over; await sleep(200)) peak = Math.max(peak, await memoryOf(stage));
  })();
  const begun = performance.now();
  const taken = await new Promise<Omit<Taken, 'growth'>>((resolve, reject) => {
    const headers = { authorization: `Bearer ${caller.token}`, accept: format };
    get(url, { headers }, (response) => {
      let [bytes, firstByteMs] = [0, 0];
      response.on('data', (part: Buffer) => {
        firstByteMs ||= performance.now() - begun;
        bytes += part.length;
      });
      response.on('end', () => {
        resolve({ ms: performance.now() - begun, firstByteMs, bytes });
      });
      response.on('error', reject);
      if (response.statusCode !== 200) reject(new Error(`${url} answered ${String(response.statusCode)}`));
    }).on('error', reject);
  });
  over = true;
  await watching;
  return { ...taken, growth: peak - before };
}

async function memoryOf(stage: Stage): Promise<number> {
  const text = await (await fetch(`${stage.api}/metrics`)).text();
  return Number(/^process_resident_memory_bytes (\S+)/m.exec(text)?.[1]);
}

function print(format: string, lines: number, ours: readonly Taken[], floor: readonly number[]): number {
  const [ms, copied] = [median(ours.map((one) => one.ms)), median(floor)];
  const ratio = ms / copied;
  const growth = Math.max(...ours.map((one) => one.growth)) / MEGABYTE;
  const size = (ours[0]?.bytes ?? 0) / MEGABYTE;
  process.stdout.write(
    `${`statement, ${String(lines)} lines, ${format}`.padEnd(46)} s ${(ms / 1_000).toFixed(2)}${
      floor.length === 0 ? '' : ` / COPY ${(copied / 1_000).toFixed(2)} = ${ratio.toFixed(2)}`
    }  first byte ms ${median(ours.map((one) => one.firstByteMs)).toFixed(0)}  memory +${growth.toFixed(0)} MiB  ${size.toFixed(0)} MiB\n`,
  );
  return ratio;
}

function median(values: readonly number[]): number {
  return values.toSorted((one, other) => one - other)[Math.floor(values.length / 2)] ?? Number.NaN;
}
