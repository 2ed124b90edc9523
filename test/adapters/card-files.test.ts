/** Files of the card network against the real store and database: taken whole or not at all, booked once, settled to zero. */
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { randomInt, randomUUID } from 'node:crypto';
import { pino } from 'pino';
import { z } from 'zod';
import { createCardVault } from '../../adapters/card-vault.ts';
import { createStorage } from '../../adapters/storage.ts';
import { loadConfig } from '../../config.ts';
import { withCheckDigit } from '../../domain/cards/cards.ts';
import { collectCardFiles } from '../../services/cards/files.ts';
import { openBooks, type Books } from '../support/bank/books.ts';
import {
  bookedCard,
  merchant,
  newPaymentId,
  sumsOf,
  takeMessage,
  newMessage,
  type BookedCard,
} from '../support/bank/card-books.ts';
import { brokenChecks } from '../support/bank/proof.ts';
import { ownBank } from '../support/stack/database.ts';
import { stack } from '../support/stack/stack.ts';

const folder = `cards-${randomUUID()}`;
const config = { ...loadConfig(stack.serviceEnv), CARD_FOLDER: folder };
const storage = createStorage(config);
const vault = createCardVault(config.CARD_KEYS);
const Line = z.looseObject({ alert: z.string().optional(), fault: z.string().optional() });

let books: Books;
let alerts: z.output<typeof Line>[] = [];
beforeAll(async () => {
  books = openBooks(await ownBank());
});
afterAll(async () => {
  expect(await brokenChecks(books.em())).toEqual([]);
  await books.close();
});

const log = pino(
  { level: 'error' },
  { write: (line: string) => void alerts.push(Line.parse(JSON.parse(line))) },
);
/** Takes in what lies there; answers what people are alerted to. */
async function collect(): Promise<string[]> {
  alerts = [];
  await collectCardFiles({ config, storage, vault, em: books.em, log });
  return alerts.map(({ alert, fault }) => `${String(alert)}: ${String(fault)}`);
}

interface Card extends BookedCard {
  readonly pan: string;
}
async function card(funds = 100_000n): Promise<Card> {
  const pan = withCheckDigit(BigInt(`77${String(randomInt(1e12)).padStart(12, '0')}7`));
  const [index] = vault.indexes(pan);
  return { ...(await bookedCard(books, funds, undefined, index)), pan };
}

const money = (minor: number, currency = 'EUR') => ({ amount: (minor / 100).toFixed(2), currency });
const recordOf = (pan: string, minor: number, more: object = {}) => ({
  ...{ record_id: randomUUID(), pan, kind: 'purchase', billing: money(minor), merchant_amount: money(minor) },
  ...{ merchant, interchange: money(0), final: true },
  ...more,
});
type NetworkRecord = ReturnType<typeof recordOf>;

interface FileWish {
  readonly id?: string;
  readonly count?: number;
  readonly sum?: number;
}
const sumOf = (records: readonly NetworkRecord[]): number =>
  records.reduce(
    (sum, { kind, billing }) => sum + (kind === 'refund' ? -1 : 1) * Math.round(Number(billing.amount) * 100),
    0,
  );

function clearingFile(records: readonly NetworkRecord[], wish: FileWish = {}): string {
  const { id = randomUUID(), count = records.length, sum = sumOf(records) } = wish;
  const lines = [
    { file_id: id, network: 'books', date: '2026-11-27' },
    ...records,
    { count, sums: [money(sum)] },
  ];
  return lines.map((line) => `${JSON.stringify(line)}\n`).join('');
}
const settlementFile = (clearing_files: readonly string[], net: number): string =>
  `${JSON.stringify({ file_id: randomUUID(), network: 'books', date: '2026-11-28', clearing_files, net: money(net) })}\n`;

const drop = (text: string, name = `${randomUUID()}.jsonl`): Promise<void> =>
  storage.put(`${folder}/in/${name}`, Buffer.from(text), 'application/x-ndjson');
const names = async (part: string): Promise<string[]> => storage.list(`${folder}/${part}/`, 1_000);

/** What the bank owes the network of these files, over all its clearing accounts. */
async function owed(files: readonly string[]): Promise<number[]> {
  const rows = await books.asOwner(
    `select sum(e.amount)::text as sum from ledger_entries e join accounts a on a.id = e.account_id and a.role = 'card_clearing'
       join ledger_transactions t on t.id = e.transaction_id
      where t.source_id in (select r.id from card_clearings r join card_files f on f.id = r.file_id where f.network_id = any ($1))
         or t.source_id in (select f.settled_by from card_files f where f.network_id = any ($1))
      group by a.id order by 1`,
    [files],
  );
  return rows.map(({ sum }) => Number(sum));
}

test('a file is booked and settled once, however often it comes, and what is kept has no number in it', async () => {
  const [one, other] = [await card(), await card()];
  const payment = newPaymentId();
  await takeMessage(books, one, { ...newMessage('0100', 'purchase', 'first', 5_000), payment });
  const records = [
    recordOf(one.pan, 4_200, { payment_id: payment, interchange: money(8) }),
    recordOf(other.pan, 1_500, { interchange: money(3) }),
    recordOf(other.pan, 500, { kind: 'refund', interchange: money(-1) }),
  ];
  const id = randomUUID();
  const file = clearingFile(records, { id });
  await Promise.all([drop(file), drop(file)]);
  await Promise.all([collect(), collect()]);
  await drop(file);
  expect(await collect()).toEqual([]);
  expect(await books.balance(one.account)).toEqual({ posted: 95_800n, held: 0n });
  expect(await books.balance(other.account)).toEqual({ posted: 99_000n, held: 0n });
  expect(await sumsOf(books, payment)).toMatchObject({ cleared: 4_200, held: 0, status: 'cleared' });
  expect((await owed([id])).reduce((sum, part) => sum + part, 0)).toBe(5_190);

  const settlement = settlementFile([id], 5_190);
  await drop(settlement);
  await drop(settlement);
  expect(await collect()).toEqual([]);
  expect(await collect()).toEqual([]);
  expect((await owed([id])).every((part) => part === 0)).toBe(true);
  const [posted] = await books.asOwner(
    `select count(*)::int as times from ledger_transactions t join card_files f on f.id = t.source_id where t.kind = 'settlement'`,
  );
  expect(posted).toEqual({ times: 1 });

  expect(await names('in')).toEqual([]);
  const kept = await Promise.all((await names('done')).map((key) => storage.content(key, 1 << 20)));
  // each that was delivered
  expect(kept).toHaveLength(5);
  for (const content of kept) expect(String(content)).not.toMatch(new RegExp(`${one.pan}|${other.pan}`));
  expect(kept.some((content) => String(content).includes(one.pan.slice(-4)))).toBe(true);
});

test('a file that is cut off, wrong or used before is refused whole, and says where', async () => {
  const { pan, account } = await card();
  const known = recordOf(pan, 100);
  const id = randomUUID();
  await drop(clearingFile([known], { id }));
  expect(await collect()).toEqual([]);
  const good = recordOf(pan, 200);
  const whole = clearingFile([good]);
  const twice = recordOf(pan, 300);
  const wrong: readonly (readonly [string, string])[] = [
    [whole.slice(0, -30), 'it is cut off: its last line has no end'],
    [`${whole.split('\n').slice(0, -2).join('\n')}\n`, 'line 2: count invalid_type'],
    [clearingFile([good], { sum: 201 }), 'its records in EUR have another sum than its trailer'],
    [clearingFile([good], { count: 2 }), 'it has 1 records, and its trailer says 2'],
    [clearingFile([twice, twice]), 'it has the same record twice'],
    [clearingFile([good, known]), `the record ${known.record_id} came in another file before`],
    [clearingFile([good], { id }), 'its id was used before for something else'],
    [clearingFile([{ ...good, pan: '12' }]), 'line 2: pan invalid_format'],
    ['nothing\n', 'line 1: it is no JSON'],
    [settlementFile([id], 99), 'it pays another sum than the records come to'],
  ];
  for (const [text, fault] of wrong) {
    await drop(text);
    expect(await collect()).toEqual([`card_file_refused: ${fault}`]);
  }
  expect((await books.balance(account)).posted).toBe(99_900n);
  const refused = await books.asOwner('select fault from card_files where fault is not null order by id');
  expect(refused.map(({ fault }) => fault)).toEqual(wrong.map(([, fault]) => fault));
  expect(await names('refused')).toHaveLength(wrong.length);
  // a corrected one is taken
  await drop(whole);
  expect(await collect()).toEqual([]);
  expect((await books.balance(account)).posted).toBe(99_700n);
});

test('what belongs to no account goes to suspense, so that it can be settled, and somebody is alerted', async () => {
  const { pan, account } = await card();
  const id = randomUUID();
  const lost = withCheckDigit(770_000_000_000_000n);
  const records = [
    recordOf(lost, 700),
    recordOf(pan, 900, { billing: money(900, 'USD') }),
    recordOf(pan, 100),
  ];
  const [first, second, third] = records;
  const file = [first, third].filter((record) => record !== undefined);
  await drop(clearingFile(file, { id }));
  expect(await collect()).toEqual(['card_clearing_aside: unknown_card']);
  const dollars = randomUUID();
  const head = { file_id: dollars, network: 'books', date: '2026-11-27' };
  const trailer = { count: 1, sums: [money(900, 'USD')] };
  await drop(
    [head, { ...second, interchange: money(0, 'USD') }, trailer]
      .map((line) => `${JSON.stringify(line)}\n`)
      .join(''),
  );
  expect(await collect()).toEqual(['card_clearing_aside: other_currency']);
  expect((await books.balance(account)).posted).toBe(99_900n);
  const suspense = await books.asOwner(
    `select e.asset, sum(e.amount)::int as sum from ledger_entries e join accounts a on a.id = e.account_id and a.role = 'suspense'
       join ledger_transactions t on t.id = e.transaction_id join card_clearings r on r.id = t.source_id
      where r.status = 'aside' group by 1 order by 1`,
  );
  expect(suspense).toEqual([
    { asset: 'EUR', sum: -700 },
    { asset: 'USD', sum: -900 },
  ]);
  await drop(settlementFile([id], 800));
  expect(await collect()).toEqual([]);
  expect((await owed([id])).every((part) => part === 0)).toBe(true);
});

test('a settlement that comes before its clearing file waits for it', async () => {
  const { pan, account } = await card();
  const id = randomUUID();
  await drop(settlementFile([id], 250));
  expect(await collect()).toEqual([]);
  expect(await names('in')).toHaveLength(1);
  await drop(clearingFile([recordOf(pan, 250)], { id }));
  await collect();
  await collect();
  expect(await names('in')).toEqual([]);
  expect((await owed([id])).every((part) => part === 0)).toBe(true);
  expect((await books.balance(account)).posted).toBe(99_750n);
});
