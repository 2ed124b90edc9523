/** What is read from the books: movements, recipients, sums. */
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { z } from 'zod';
import { openBank, type AccountAnswer, type Bank, type Person } from '../../support/bank/bank.ts';
import { pay, transferType } from '../../support/bank/transfers.ts';

let bank: Bank;
beforeAll(() => {
  bank = openBank();
});
afterAll(() => bank.close());

const Movements = z.object({
  items: z.array(
    z.looseObject({
      sequence: z.string(),
      description: z.string(),
      counterparty: z.looseObject({ name: z.string().nullable() }).nullable(),
    }),
  ),
  next_cursor: z.string().nullable(),
  prev_cursor: z.string().nullable(),
});
type Movements = z.output<typeof Movements>;
type Query = Readonly<Record<string, string>>;

const read = (person: Person, path: string, query: Query = {}) =>
  person.client.call('GET', path, { token: person.token, query });

async function movements(person: Person, account: { id: string }, query: Query = {}): Promise<Movements> {
  return (await read(person, `/v1/accounts/${account.id}/transactions`, query)).as(Movements);
}

const numbers = ({ items }: Movements): string[] => items.map(({ sequence }) => sequence);

async function named(first: string, last: string): Promise<Person> {
  const person = await bank.customer();
  await bank.asOwner('update users set first_name = $2, last_name = $3 where id = $1', [
    person.id,
    first,
    last,
  ]);
  return person;
}

describe('movements', () => {
  let customer: Person;
  let from: AccountAnswer;
  let to: AccountAnswer;
  let begun: Date;
  beforeAll(async () => {
    customer = await bank.customer();
    from = await bank.fundedAccount(customer, '100.00');
    to = await bank.account(customer);
    begun = new Date();
    for (const [amount, description] of [
      ['1.00', 'Miete März'],
      ['2.00', 'Café'],
      ['3.00', 'Rent April'],
      ['4.00', 'Coffee'],
    ] as const)
      await bank.transfer(customer, { from: from.id, to: to.id, amount, description });
  });

  test.each<[string, Query, string[]]>([
    ['by least amount', { min_amount: '2.5' }, ['5', '4', '1']],
    ['by amounts', { min_amount: '2', max_amount: '3.00' }, ['4', '3']],
    ['by direction', { direction: 'credit' }, ['1']],
    ['by direction and amount', { direction: 'debit', max_amount: '1' }, ['2']],
    ['by kind', { kind: 'adjustment' }, ['1']],
    ['by words without their accents', { text: 'marz' }, ['2']],
    ['by the beginnings of words', { text: 'RE apr' }, ['4']],
    ['by words that are not there', { text: 'rent marz' }, []],
    ['by nothing but signs', { text: '%' }, []],
    ['by value date', { value_from: '2000-01-01', value_to: '2000-12-31' }, []],
    ['by value date until', { value_to: '2999-12-31', limit: '1' }, ['5']],
    ['all at once', { direction: 'debit', min_amount: '1', text: 'c', order: 'asc' }, ['3', '5']],
  ])('are narrowed %s', async (_how, query, expected) => {
    expect(numbers(await movements(customer, from, query))).toEqual(expected);
  });

  test('are narrowed by the time they were booked', async () => {
    const at = begun.toISOString();
    expect(numbers(await movements(customer, from, { from: at }))).toEqual(['5', '4', '3', '2']);
    expect(numbers(await movements(customer, from, { to: at }))).toEqual(['1']);
    expect(numbers(await movements(customer, from, { from: at, to: at }))).toEqual([]);
  });

  test.each<[string, Query]>([
    ['an unknown filter', { colour: 'red' }],
    ['an amount that the currency has not', { min_amount: '1.001' }],
    ['a day that does not exist', { value_from: '2026-02-30' }],
    ['a day of no calendar', { value_from: '0000-01-01' }],
    ['a last day of no calendar', { value_to: '0000-12-31' }],
    ['a time that nobody means', { to: '9999-12-31T23:59:59-01:00' }],
    ['a text with a control character', { text: 'a\u0000b' }],
    ['a text of a page', { text: 'x'.repeat(101) }],
    ['a cursor of another list', { cursor: 'WyJ0cmFuc2ZlcnMiLDFd' }],
  ])('are not narrowed by %s', async (_what, query) => {
    expect(await read(customer, `/v1/accounts/${from.id}/transactions`, query)).toMatchObject({
      status: 400,
      body: { code: 'invalid_request' },
    });
  });

  test('are read page by page and back again, in both orders', async () => {
    for (const order of ['asc', 'desc'] as const) {
      const pages: Movements[] = [await movements(customer, from, { limit: '2', order })];
      for (let page = pages[0]; page?.next_cursor; page = pages.at(-1))
        pages.push(await movements(customer, from, { limit: '2', order, cursor: page.next_cursor }));
      const all = pages.flatMap(numbers);
      expect(all).toEqual(order === 'asc' ? ['1', '2', '3', '4', '5'] : ['5', '4', '3', '2', '1']);
      expect(pages[0]?.prev_cursor).toBeNull();

      const back: Movements[] = [];
      for (let cursor = pages.at(-1)?.prev_cursor; cursor; cursor = back[0]?.prev_cursor)
        back.unshift(await movements(customer, from, { limit: '2', order, cursor }));
      expect(back.flatMap(numbers)).toEqual(all.slice(0, 4));
      const again = await movements(customer, from, {
        limit: '2',
        order,
        cursor: back[0]?.next_cursor ?? '',
      });
      expect(numbers(again)).toEqual(all.slice(2, 4));
    }
  });

  test('are narrowed by an IBAN as it is printed', async () => {
    const person = await bank.customer();
    const account = await bank.fundedAccount(person, '10.00');
    await pay(person, {
      type: await transferType(bank, { reach: 'sepa' }),
      from: account.id,
      to: { iban: 'DE89370400440532013000', name: 'Zoë Ångström' },
      amount: '3.00',
    });
    for (const text of ['DE89370400440532013000', 'DE89 3704 0044 0532 0130 00', 'de89 3704'])
      expect(numbers(await movements(person, account, { text }))).toEqual(['2']);
    expect(numbers(await movements(person, account, { text: 'DE02 1001 0010' }))).toEqual([]);
  });

  test('name the other side: one’s own account, another customer by an initial, nobody where it is the bank', async () => {
    const [anna, bert] = [await named('Anna', 'Berg'), await named('Bert', 'Amsel')];
    const [paying, paid] = [await bank.fundedAccount(anna, '10.00'), await bank.account(bert)];
    await bank.transfer(anna, { from: paying.id, to: paid.id, amount: '1.00' });
    const [debit, opening] = (await movements(anna, paying)).items;
    expect(debit?.counterparty).toMatchObject({ name: 'Bert A.', account_number: paid.number });
    expect(opening?.counterparty).toBeNull();
    expect((await movements(bert, paid)).items[0]?.counterparty).toMatchObject({ name: 'Anna B.' });
    const admin = await bank.admin('accounts:read');
    const seen = (await read(admin, `/v1/admin/accounts/${paid.id}/transactions`)).as(Movements);
    expect(seen.items[0]?.counterparty).toMatchObject({ name: 'Anna Berg', account_number: paying.number });
  });
});

describe('recipients', () => {
  const Recipients = z.object({
    items: z.array(
      z.looseObject({
        kind: z.string(),
        name: z.string(),
        last_amount: z.looseObject({ amount: z.string() }),
      }),
    ),
    next_cursor: z.string().nullable(),
  });
  const recipients = async (person: Person, query: Query = {}) =>
    (await read(person, '/v1/transfers/recipients', query)).as(Recipients);

  test('are each destination once, the one paid last first, a page at a time', async () => {
    const [payer, bert] = [await bank.customer(), await named('Bert', 'Amsel')];
    const from = await bank.fundedAccount(payer, '100.00');
    const [own, paid] = [await bank.account(payer), await bank.account(bert)];
    await pay(payer, { from: from.id, to: { account_id: paid.id }, amount: '1.00' });
    await pay(payer, { from: from.id, to: { account_id: own.id }, amount: '2.00' });
    const type = await transferType(bank, { reach: 'sepa' });
    const outside = { iban: 'DE89370400440532013000', name: 'Zoë Ångström' };
    expect(await pay(payer, { type, from: from.id, to: outside, amount: '3.00' })).toMatchObject({
      status: 201,
    });
    await pay(payer, { from: from.id, to: { account_id: paid.id }, amount: '4.00' });
    // refused for lack of money: nobody was paid
    await pay(payer, { from: from.id, to: { account_id: (await bank.account(bert)).id }, amount: '400.00' });

    const listed = (await recipients(payer)).items.map(({ kind, name, last_amount: { amount } }) => [
      kind,
      name,
      amount,
    ]);
    expect(listed).toEqual([
      ['customer', 'Bert A.', '4.00'],
      ['external', 'Zoë Ångström', '3.00'],
      ['own', 'Current account in euro', '2.00'],
    ]);
    const first = await recipients(payer, { limit: '2' });
    const second = await recipients(payer, { limit: '2', cursor: first.next_cursor ?? '' });
    expect([...first.items, ...second.items].map(({ name }) => name)).toEqual(listed.map(([, name]) => name));
    expect(second.next_cursor).toBeNull();
    expect((await recipients(bert)).items).toEqual([]);
  });
});

describe('sums', () => {
  const Money = z.object({ amount: z.string(), currency: z.string() });
  const Converted = z.object({ amount: Money, rate: z.string() }).nullable();
  const Summary = z.object({
    currencies: z.array(z.looseObject({ currency: z.string(), balance: Money, converted: Converted })),
    total: Money,
    without: z.array(z.string()),
  });
  const History = z.object({
    currencies: z.array(
      z.object({ currency: z.string(), points: z.array(z.looseObject({ converted: Converted })) }),
    ),
    totals: z.array(z.object({ at: z.string(), total: Money, without: z.array(z.string()) })),
  });

  test('what a customer has is converted by rate, and what has none is named', async () => {
    const customer = await bank.customer();
    await bank.fundedAccount(customer, '100.00');
    await bank.fundedAccount(customer, '200.00', 'current_chf');
    const code = `test_${customer.id.slice(0, 8)}`;
    await bank.asOwner(
      `insert into account_types (code, name, asset, openable_by) values ($1, 'Test', 'VUV', 'customer')`,
      [code],
    );
    await bank.fundedAccount(customer, '300', code);
    const [{ rate } = {}] = await bank.asOwner(
      `insert into fx_rates (id, base, quote, rate, spread_bps, valid_from, source)
       select uuidv7(), 'CHF', 'EUR', 1.0625, 25, now(), 'test' returning trim_scale(rate)::text as rate`,
    );
    expect(rate).toBe('1.0625');

    const summary = (await read(customer, '/v1/accounts/summary')).as(Summary);
    const chf = summary.currencies.find(({ currency }) => currency === 'CHF');
    expect(chf?.balance).toEqual({ amount: '200.00', currency: 'CHF' });
    const worth = Number(chf?.converted?.amount.amount);
    expect(worth).toBeCloseTo(200 * Number(chf?.converted?.rate), 2);
    expect(Number(summary.total.amount)).toBeCloseTo(100 + worth, 2);
    expect(summary.without).toEqual(['VUV']);

    const history = (await read(customer, '/v1/accounts/balance-history', { interval: 'hour' })).as(History);
    expect(history.totals[0]).toMatchObject({ total: { amount: '0.00', currency: 'EUR' }, without: [] });
    expect(history.totals.at(-1)).toMatchObject({ without: ['VUV'] });
    expect(Number(history.totals.at(-1)?.total.amount)).toBeGreaterThan(100);
  });

  test.each<[string, Query]>([
    [
      'more points than there may be',
      { interval: 'hour', from: '2026-01-01T00:00:00Z', to: '2026-03-01T00:00:00Z' },
    ],
    ['an end before its beginning', { from: '2026-03-01T00:00:00Z', to: '2026-01-01T00:00:00Z' }],
    ['a day for a moment', { from: '2026-03-01' }],
    ['no moment at all for its end', { to: 'yesterday' }],
    ['an unknown time zone', { time_zone: 'Mars/Olympus' }],
    ['an offset for a time zone', { time_zone: '+01:00' }],
    ['hours of value dates', { interval: 'hour', by: 'value' }],
    ['an unknown currency', { currency: 'EUX' }],
    ['an end that nobody means', { to: '9999-12-31T23:59:59-01:00' }],
    ['a beginning that nobody means', { from: '0000-01-01T00:00:00Z', interval: 'month' }],
  ])('no history is made of %s', async (_what, query) => {
    const answer = await read(await bank.customer(), '/v1/accounts/balance-history', query);
    expect(answer).toMatchObject({ status: 400, body: { code: 'invalid_request' } });
  });

  test('debits are credits in every currency, now and before', async () => {
    const account = await bank.fundedAccount(await bank.customer(), '10.00');
    const [{ booked } = {}] = await bank.asOwner(
      'select booked_at as booked from ledger_entries where account_id = $1',
      [account.id],
    );
    const admin = await bank.admin('ledger:read');
    const path = '/v1/admin/ledger/trial-balance';
    // of coins too, which other tests receive in this bank
    const Sum = z.looseObject({ amount: z.string() });
    const Balance = z.looseObject({
      balanced: z.boolean(),
      totals: z.array(z.object({ debit: Sum, credit: Sum })),
    });
    const asOf = booked instanceof Date ? booked.toISOString() : '';
    for (const query of [{}, { as_of: asOf }, { as_of: '2001-01-01T00:00:00Z' }] as Query[]) {
      const { balanced, totals } = (await read(admin, path, query)).as(Balance);
      expect(balanced).toBe(true);
      for (const { debit, credit } of totals) expect(debit).toEqual(credit);
      expect(totals.length > 0).toBe(query['as_of'] !== '2001-01-01T00:00:00Z');
    }
  });
});
