/** The books as a feed: complete, in one order, and with nothing that was undone. */
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import pg from 'pg';
import { z } from 'zod';
import { openBank, TransferAnswer, type Bank, type Person } from '../../support/bank/bank.ts';
import { stack } from '../../support/stack/stack.ts';
import { payPatiently } from '../../support/bank/transfers.ts';
import { until } from '../../support/stack/processes.ts';

const Page = z.object({
  items: z.array(
    z.object({
      position: z.string(),
      id: z.string(),
      source_id: z.string(),
      entries: z.array(z.object({ account_id: z.string(), sequence: z.string() })),
    }),
  ),
  next_after: z.string(),
});
type Event = z.output<typeof Page>['items'][number];

let bank: Bank;
let reader: Person;
beforeAll(async () => {
  bank = openBank();
  reader = await bank.admin('ledger:read');
});
afterAll(async () => {
  await bank.close();
});

async function read(after: string): Promise<z.output<typeof Page>> {
  const path = `/v1/admin/ledger/events?after=${after}&limit=50`;
  return (await reader.client.call('GET', path, { token: reader.token })).as(Page);
}

/** Reads on until there is nothing more. */
async function readAll(after: string): Promise<{ events: Event[]; next: string }> {
  const events: Event[] = [];
  for (let next = after; ;) {
    const page = await read(next);
    events.push(...page.items);
    if (page.items.length === 0) return { events, next };
    next = page.next_after;
  }
}

/** Reads on until these have come: whoever else books in the bank meanwhile holds the feed back. */
async function readUntil(after: string, come: (events: readonly Event[]) => boolean): Promise<Event[]> {
  const events: Event[] = [];
  let next = after;
  await until(async () => {
    const more = await readAll(next);
    events.push(...more.events);
    next = more.next;
    return come(events);
  });
  return events;
}

const isOf = (event: Event, account: { id: string }): boolean =>
  event.entries.some(({ account_id }) => account_id === account.id);

async function latest(): Promise<string> {
  const [found] = await bank.asOwner(
    'select coalesce(max(position), 0)::text as last from ledger_transactions',
  );
  return z.string().parse(found?.['last']);
}

test('a reader who comes again and again while payments are made sees each once, those of an account in order', async () => {
  const customer = await bank.customer();
  const [from, to] = [await bank.fundedAccount(customer, '100.00'), await bank.account(customer)];
  const start = await latest();
  const seen: Event[] = [];
  let next = start;
  let paying = true;
  const following = (async () => {
    while (paying) {
      const page = await read(next);
      seen.push(...page.items);
      next = page.next_after;
    }
  })();
  const paid = await Promise.all(
    Array.from({ length: 40 }, (_, index) =>
      payPatiently(customer, {
        from: from.id,
        to: { account_id: to.id },
        amount: index % 2 === 0 ? '1.00' : '0.50',
      }),
    ),
  );
  paying = false;
  await following;
  const mine = new Set(paid.map((answer) => answer.as(TransferAnswer).id));
  const ofMine = (events: readonly Event[]) => events.filter(({ source_id }) => mine.has(source_id));
  const before = ofMine(seen).length;
  seen.push(...(await readUntil(next, (events) => before + ofMine(events).length >= 40)));
  expect(ofMine(seen)).toHaveLength(40);
  expect(new Set(seen.map(({ id }) => id)).size).toBe(seen.length);
  const sequences = seen
    .flatMap(({ entries }) => entries)
    .filter(({ account_id }) => account_id === from.id)
    .map(({ sequence }) => Number(sequence));
  expect(sequences).toEqual([...sequences].sort((a, b) => a - b));
});

test('what is still being booked holds the feed back, and what is undone never comes', async () => {
  const customer = await bank.customer();
  const account = await bank.fundedAccount(customer, '10.00');
  // not an account of the bank's: who books there meanwhile would wait for this transaction
  const aside = await bank.account(customer);
  const { next } = await readAll(await latest());
  const slow = new pg.Client({ connectionString: stack.ownerUrl });
  await slow.connect();
  const book = (id: string, client: { query: pg.Client['query'] }) =>
    client.query(
      `select * from ledger_post(jsonb_build_array(jsonb_build_object('id', $1::text, 'kind', 'test', 'source_type', 'test', 'source_id', $1::text,
         'entries', jsonb_build_array(
           jsonb_build_object('account', $2::text, 'asset', 'EUR', 'amount', '-1'),
           jsonb_build_object('account', $3::text, 'asset', 'EUR', 'amount', '1')))))`,
      [id, account.id, aside.id],
    );
  const undone = randomUUID();
  const other = await (async () => {
    try {
      await slow.query('begin');
      await book(undone, slow);
      // drawn later, committed earlier
      const opened = await bank.fundedAccount(customer, '3.00');
      const { events } = await readAll(next);
      expect(events.filter((event) => isOf(event, opened) || isOf(event, account))).toEqual([]);
      await slow.query('rollback');
      return opened;
    } finally {
      await slow.end();
    }
  })();
  const events = await readUntil(next, (found) => found.some((event) => isOf(event, other)));
  expect(events.some(({ id }) => id === undone)).toBe(false);
});
