/** Exchange rates: what they may say, which one counts, and that a conversion is booked to the last digit in every asset. */
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { z } from 'zod';
import {
  openBank,
  TransferAnswer,
  type AccountAnswer,
  type Bank,
  type Person,
} from '../../support/bank/bank.ts';
import { pay, quote, transferType } from '../../support/bank/transfers.ts';
import {
  accountType,
  faultOf,
  inSeconds,
  newCurrencies,
  treasury,
  type Treasury,
} from '../../support/bank/pricing.ts';

let bank: Bank;
let office: Treasury;
beforeAll(async () => {
  bank = openBank();
  office = await treasury(bank);
});
afterAll(async () => {
  await bank.expectBooksBalanced();
  await bank.close();
});

const money = (amount: string, currency: string) => ({ amount, currency });

describe('what a rate may not say is refused, with a pointer to it', () => {
  test.each<[string, object, string]>([
    ['nothing', {}, '/rate'],
    ['zero', { rate: '0.000' }, '/rate'],
    ['below zero', { rate: '-1' }, '/rate'],
    ['a number', { rate: 1.5 }, '/rate'],
    ['an exponent', { rate: '1e3' }, '/rate'],
    ['nineteen significant digits', { rate: '1.000000000000000001' }, '/rate'],
    ['a spread of half and more', { rate: '1', spread_bps: '5000' }, '/spread_bps'],
    ['a spread below zero', { rate: '1', spread_bps: '-1' }, '/spread_bps'],
    [
      'an end before the begin',
      { rate: '1', valid_from: '2026-01-02T00:00:00Z', valid_until: '2026-01-01T00:00:00Z' },
      '/valid_until',
    ],
    [
      'an end that has passed, without a begin',
      { rate: '1', valid_until: '2026-01-01T00:00:00Z' },
      '/valid_until',
    ],
    ['a begin that nobody means', { rate: '1', valid_from: '0000-01-01T00:00:00Z' }, '/valid_from'],
    ['an unknown field', { rate: '1', bid: '0.9' }, '/bid'],
  ])('%s', async (_name, rate, pointer) => {
    expect(faultOf(await office.setRate('AMD/GEL', rate))).toMatchObject({ status: 400, pointer });
  });
  test('a coin, of which there is no exchange rate', async () => {
    await bank.asOwner(
      `insert into assets (code, scale, kind) values ('XCOINFX', 18, 'crypto') on conflict do nothing`,
    );
    expect((await office.setRate('XCOINFX/EUR', { rate: '1' })).status).toBe(404);
  });
  test('a currency in itself, and one that is none', async () => {
    expect(faultOf(await office.setRate('AMD/AMD', { rate: '1' }))).toMatchObject({
      status: 400,
      pointer: 'path/quote',
    });
    expect((await office.setRate('AMD/XYZ', { rate: '1' })).status).toBe(404);
    expect((await office.setRate('amd/GEL', { rate: '1' })).status).toBe(404);
  });
});

test.each(['0.000000000000112345678901234567', '123456789012345678', '1.00000000000000001'])(
  'the 18 significant digits of %s stay as they are',
  async (rate) => {
    const [base, quoted] = await newCurrencies(bank, office, 0, 4);
    expect(
      (await office.setRate(`${base}/${quoted}`, { rate })).as(z.looseObject({ rate: z.string() })).rate,
    ).toBe(rate);
  },
);

const RateAnswer = z.looseObject({ id: z.uuid(), status: z.string(), spread_bps: z.string() });

test('a rate supersedes the one before it, keeps its spread, and every change is in the audit log', async () => {
  const [base, quoted] = await newCurrencies(bank, office, 2, 2);
  const name = `${base}/${quoted}`;
  const first = (await office.setRate(name, { rate: '1.58', spread_bps: '30', source: 'desk' })).as(
    RateAnswer,
  );
  expect(first).toMatchObject({
    status: 'current',
    rate: '1.58',
    spread_bps: '30',
    source: 'desk',
    valid_until: null,
  });
  const second = (await office.setRate(name, { rate: '1.590000000001' })).as(RateAnswer);
  expect(second).toMatchObject({ status: 'current', rate: '1.590000000001', spread_bps: '30' });
  await office.setRate(name, { rate: '1.6', valid_from: inSeconds(3_600) });
  const list = await office.read('/v1/admin/fx-rates', { base, quote: quoted });
  expect(list.body).toMatchObject({
    items: [{ status: 'planned' }, { status: 'current' }, { status: 'superseded' }],
  });
  const current = await office.read('/v1/admin/fx-rates', { base, quote: quoted, status: 'current' });
  expect(current.body).toMatchObject({ items: [{ id: second.id }] });
  const log = await bank.asOwner(
    `select before->>'rate' as before, after->>'rate' as after from audit_log where subject_type = 'fx_rate' and subject_id = $1 order by id`,
    [name],
  );
  expect(log).toEqual([
    { before: null, after: '1.58' },
    { before: '1.58', after: '1.590000000001' },
    { before: '1.590000000001', after: '1.6' },
  ]);
});

interface Pair {
  /** What the customer sells and buys. */
  readonly sold: string;
  readonly bought: string;
  readonly type: string;
  readonly customer: Person;
  readonly from: AccountAnswer;
  readonly to: AccountAnswer;
}

/** A customer with money in one currency and an account in another, of so many digits and of this test alone. */
async function pair(digits: readonly [number, number], funds: string): Promise<Pair> {
  const customer = await bank.customer();
  const [sold, bought] = await newCurrencies(bank, office, ...digits);
  const [from, to] = [await accountType(bank, sold), await accountType(bank, bought)];
  return {
    ...{ sold, bought, customer },
    type: await transferType(bank, { reach: 'own', assets: [sold, bought] }),
    from: await bank.fundedAccount(customer, funds, from.code),
    to: await bank.account(customer, to.code),
  };
}

const wish = ({ type, from, to }: Pair) => ({ type, from: from.id, to: { account_id: to.id } });

test('fixed source: what arrives goes down, and each asset sums to zero by four legs with the spread in sight', async () => {
  const who = await pair([2, 2], '1000.00');
  // 1.0421 × 0.9965 = 1.03845265; 333.33 × 1.03845265 = 346.147…; 333.33 × 1.0421 = 347.363…
  await office.setRate(`${who.sold}/${who.bought}`, { rate: '1.0421', spread_bps: '35' });
  const done = await pay(who.customer, { ...wish(who), amount: '333.33', currency: who.sold });
  expect(done.body).toMatchObject({
    status: 'executed',
    amount: money('333.33', who.sold),
    target_amount: money('346.14', who.bought),
    total_debit: money('333.33', who.sold),
    exchange: { rate: '1.03845265', mid_rate: '1.0421', spread_bps: 35, spread: money('1.22', who.bought) },
  });
  const legs = await bank.asOwner(
    `select coalesce(a.role, 'customer') as at, e.asset, e.amount, e.part from ledger_entries e join accounts a on a.id = e.account_id
       join transfers t on t.transaction_id = e.transaction_id where t.id = $1 order by e.asset, e.amount`,
    [done.as(TransferAnswer).id],
  );
  expect(legs).toEqual([
    { at: 'customer', asset: who.sold, amount: '-33333', part: 'principal' },
    { at: 'fx_position', asset: who.sold, amount: '33333', part: 'fx' },
    { at: 'fx_position', asset: who.bought, amount: '-34736', part: 'fx' },
    { at: 'fx_spread', asset: who.bought, amount: '122', part: 'spread' },
    { at: 'customer', asset: who.bought, amount: '34614', part: 'principal' },
  ]);
});

test('fixed target: exactly that arrives, and no smaller amount would do', async () => {
  const who = await pair([2, 0], '1000.00');
  // 1 minor unit of BDT is 0.038 KMF: 500 KMF are worth 131.5789… BDT
  await office.setRate(`${who.sold}/${who.bought}`, { rate: '3.8' });
  const done = await pay(who.customer, { ...wish(who), target: money('500', who.bought) });
  expect(done.body).toMatchObject({
    amount: money('131.58', who.sold),
    target_amount: money('500', who.bought),
  });
  expect(await bank.look(who.customer, who.to)).toMatchObject({ balance: { amount: '500' } });
  const less = await quote(who.customer, { ...wish(who), amount: '131.57', currency: who.sold });
  expect(less.body).toMatchObject({ target_amount: money('499', who.bought) });
});

test('the inverse, and the two legs over the base currency', async () => {
  const inverse = await pair([3, 0], '10.000');
  await office.setRate(`${inverse.bought}/${inverse.sold}`, { rate: '0.000128' });
  // 10 / 0.000128
  expect(
    (await quote(inverse.customer, { ...wish(inverse), amount: '10.000', currency: inverse.sold })).body,
  ).toMatchObject({
    target_amount: money('78125', inverse.bought),
    exchange: { rate: '7812.5' },
  });
  const cross = await pair([2, 2], '100.00');
  await office.setRate(`EUR/${cross.sold}`, { rate: '1.45', spread_bps: '10' });
  await office.setRate(`EUR/${cross.bought}`, { rate: '7.25', spread_bps: '15' });
  // 5 less 25 basis points
  expect(
    (await quote(cross.customer, { ...wish(cross), amount: '100.00', currency: cross.sold })).body,
  ).toMatchObject({
    target_amount: money('498.75', cross.bought),
    exchange: { rate: '4.9875', mid_rate: '5', spread_bps: 25, spread: money('1.25', cross.bought) },
  });
});

test('without a rate, before it begins and after it has ended, there is no price', async () => {
  const who = await pair([2, 2], '100.00');
  const asked = () => quote(who.customer, { ...wish(who), amount: '1.00', currency: who.sold });
  expect((await asked()).body).toMatchObject({ status: 409, code: 'rate_unavailable' });
  await office.setRate(`${who.sold}/${who.bought}`, { rate: '13', valid_from: inSeconds(3_600) });
  expect((await asked()).body).toMatchObject({ code: 'rate_unavailable' });
  await office.setRate(`${who.sold}/${who.bought}`, { rate: '13', valid_from: inSeconds(-100) });
  expect((await asked()).status).toBe(200);
  // newer, and already over: the older one does not come back
  await office.setRate(`${who.sold}/${who.bought}`, {
    rate: '13',
    valid_from: inSeconds(-60),
    valid_until: inSeconds(-30),
  });
  expect((await asked()).body).toMatchObject({ code: 'rate_unavailable' });
  await office.setRate(`${who.sold}/${who.bought}`, { rate: '13', valid_from: inSeconds(-2 * 86_400) });
  expect((await asked()).body).toMatchObject({ code: 'rate_unavailable' });
  await office.setRate(`${who.sold}/${who.bought}`, { rate: '13.5' });
  expect((await asked()).body).toMatchObject({ target_amount: money('13.50', who.bought) });
});

test('a rate that names no end grows stale by its age', async () => {
  const who = await pair([2, 2], '100.00');
  const old = await office.setRate(`${who.sold}/${who.bought}`, {
    rate: '1400',
    valid_from: inSeconds(-2 * 86_400),
  });
  expect(old.body).toMatchObject({ status: 'stale' });
  const asked = await quote(who.customer, { ...wish(who), amount: '1.00', currency: who.sold });
  expect(asked.body).toMatchObject({ code: 'rate_unavailable' });
});

test('a quote keeps its rate, whatever the rate is by then', async () => {
  const who = await pair([2, 2], '100.00');
  await office.setRate(`${who.sold}/${who.bought}`, { rate: '0.2' });
  const offer = (await quote(who.customer, { ...wish(who), amount: '10.00', currency: who.sold })).as(
    z.looseObject({ id: z.uuid() }),
  );
  await office.setRate(`${who.sold}/${who.bought}`, { rate: '0.1' });
  const kept = await pay(who.customer, {
    ...wish(who),
    amount: '10.00',
    currency: who.sold,
    quoteId: offer.id,
  });
  expect(kept.body).toMatchObject({ target_amount: money('2.00', who.bought) });
  expect((await pay(who.customer, { ...wish(who), amount: '10.00', currency: who.sold })).body).toMatchObject(
    {
      target_amount: money('1.00', who.bought),
    },
  );
});

test('what comes to nothing is refused', async () => {
  const who = await pair([0, 3], '100');
  await office.setRate(`${who.sold}/${who.bought}`, { rate: '0.0009' });
  expect((await pay(who.customer, { ...wish(who), amount: '1', currency: who.sold })).body).toMatchObject({
    status: 409,
    code: 'amount_not_convertible',
  });
  expect((await pay(who.customer, { ...wish(who), amount: '2', currency: who.sold })).body).toMatchObject({
    target_amount: money('0.001', who.bought),
  });
});
