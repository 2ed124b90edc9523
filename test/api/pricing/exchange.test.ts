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
import { accountType, faultOf, inSeconds, treasury, type Treasury } from '../../support/bank/pricing.ts';

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
    expect((await office.setRate('VND/CLF', { rate })).as(z.looseObject({ rate: z.string() })).rate).toBe(
      rate,
    );
  },
);

const RateAnswer = z.looseObject({ id: z.uuid(), status: z.string(), spread_bps: z.string() });

test('a rate supersedes the one before it, keeps its spread, and every change is in the audit log', async () => {
  const first = (await office.setRate('AZN/GEL', { rate: '1.58', spread_bps: '30', source: 'desk' })).as(
    RateAnswer,
  );
  expect(first).toMatchObject({
    status: 'current',
    rate: '1.58',
    spread_bps: '30',
    source: 'desk',
    valid_until: null,
  });
  const second = (await office.setRate('AZN/GEL', { rate: '1.590000000001' })).as(RateAnswer);
  expect(second).toMatchObject({ status: 'current', rate: '1.590000000001', spread_bps: '30' });
  await office.setRate('AZN/GEL', { rate: '1.6', valid_from: inSeconds(3_600) });
  const list = await office.read('/v1/admin/fx-rates', { base: 'AZN', quote: 'GEL' });
  expect(list.body).toMatchObject({
    items: [{ status: 'planned' }, { status: 'current' }, { status: 'superseded' }],
  });
  const current = await office.read('/v1/admin/fx-rates', { base: 'AZN', quote: 'GEL', status: 'current' });
  expect(current.body).toMatchObject({ items: [{ id: second.id }] });
  const log = await bank.asOwner(
    `select before->>'rate' as before, after->>'rate' as after from audit_log where subject_type = 'fx_rate' and subject_id = 'AZN/GEL' order by id`,
  );
  expect(log).toEqual([
    { before: null, after: '1.58' },
    { before: '1.58', after: '1.590000000001' },
    { before: '1.590000000001', after: '1.6' },
  ]);
});

interface Pair {
  readonly type: string;
  readonly customer: Person;
  readonly from: AccountAnswer;
  readonly to: AccountAnswer;
}

/** A customer with money in one currency and an account in another, both of this test alone. */
async function pair(source: string, target: string, funds: string): Promise<Pair> {
  const customer = await bank.customer();
  const [sold, bought] = [await accountType(bank, source), await accountType(bank, target)];
  return {
    type: await transferType(bank, { reach: 'own', assets: [source, target] }),
    customer,
    from: await bank.fundedAccount(customer, funds, sold.code),
    to: await bank.account(customer, bought.code),
  };
}

const wish = ({ type, from, to }: Pair) => ({ type, from: from.id, to: { account_id: to.id } });

test('fixed source: what arrives goes down, and each asset sums to zero by four legs with the spread in sight', async () => {
  const who = await pair('BTN', 'KGS', '1000.00');
  // 1.0421 × 0.9965 = 1.03845265; 333.33 × 1.03845265 = 346.147…; 333.33 × 1.0421 = 347.363…
  await office.setRate('BTN/KGS', { rate: '1.0421', spread_bps: '35' });
  const done = await pay(who.customer, { ...wish(who), amount: '333.33', currency: 'BTN' });
  expect(done.body).toMatchObject({
    status: 'executed',
    amount: money('333.33', 'BTN'),
    target_amount: money('346.14', 'KGS'),
    total_debit: money('333.33', 'BTN'),
    exchange: { rate: '1.03845265', mid_rate: '1.0421', spread_bps: 35, spread: money('1.22', 'KGS') },
  });
  const legs = await bank.asOwner(
    `select coalesce(a.role, 'customer') as at, e.asset, e.amount, e.part from ledger_entries e join accounts a on a.id = e.account_id
       join transfers t on t.transaction_id = e.transaction_id where t.id = $1 order by e.asset, e.amount`,
    [done.as(TransferAnswer).id],
  );
  expect(legs).toEqual([
    { at: 'customer', asset: 'BTN', amount: '-33333', part: 'principal' },
    { at: 'fx_position', asset: 'BTN', amount: '33333', part: 'fx' },
    { at: 'fx_position', asset: 'KGS', amount: '-34736', part: 'fx' },
    { at: 'fx_spread', asset: 'KGS', amount: '122', part: 'spread' },
    { at: 'customer', asset: 'KGS', amount: '34614', part: 'principal' },
  ]);
});

test('fixed target: exactly that arrives, and no smaller amount would do', async () => {
  const who = await pair('BDT', 'KMF', '1000.00');
  // 1 minor unit of BDT is 0.038 KMF: 500 KMF are worth 131.5789… BDT
  await office.setRate('BDT/KMF', { rate: '3.8' });
  const done = await pay(who.customer, { ...wish(who), target: money('500', 'KMF') });
  expect(done.body).toMatchObject({ amount: money('131.58', 'BDT'), target_amount: money('500', 'KMF') });
  expect(await bank.look(who.customer, who.to)).toMatchObject({ balance: { amount: '500' } });
  const less = await quote(who.customer, { ...wish(who), amount: '131.57', currency: 'BDT' });
  expect(less.body).toMatchObject({ target_amount: money('499', 'KMF') });
});

test('the inverse, and the two legs over the base currency', async () => {
  const inverse = await pair('BHD', 'BIF', '10.000');
  await office.setRate('BIF/BHD', { rate: '0.000128' });
  // 10 / 0.000128
  expect(
    (await quote(inverse.customer, { ...wish(inverse), amount: '10.000', currency: 'BHD' })).body,
  ).toMatchObject({
    target_amount: money('78125', 'BIF'),
    exchange: { rate: '7812.5' },
  });
  const cross = await pair('BND', 'BOB', '100.00');
  await office.setRate('EUR/BND', { rate: '1.45', spread_bps: '10' });
  await office.setRate('EUR/BOB', { rate: '7.25', spread_bps: '15' });
  // 5 less 25 basis points
  expect(
    (await quote(cross.customer, { ...wish(cross), amount: '100.00', currency: 'BND' })).body,
  ).toMatchObject({
    target_amount: money('498.75', 'BOB'),
    exchange: { rate: '4.9875', mid_rate: '5', spread_bps: 25, spread: money('1.25', 'BOB') },
  });
});

test('without a rate, before it begins and after it has ended, there is no price', async () => {
  const who = await pair('BSD', 'BWP', '100.00');
  const asked = () => quote(who.customer, { ...wish(who), amount: '1.00', currency: 'BSD' });
  expect((await asked()).body).toMatchObject({ status: 409, code: 'rate_unavailable' });
  await office.setRate('BSD/BWP', { rate: '13', valid_from: inSeconds(3_600) });
  expect((await asked()).body).toMatchObject({ code: 'rate_unavailable' });
  await office.setRate('BSD/BWP', { rate: '13', valid_from: inSeconds(-100) });
  expect((await asked()).status).toBe(200);
  // newer, and already over: the older one does not come back
  await office.setRate('BSD/BWP', { rate: '13', valid_from: inSeconds(-60), valid_until: inSeconds(-30) });
  expect((await asked()).body).toMatchObject({ code: 'rate_unavailable' });
  await office.setRate('BSD/BWP', { rate: '13', valid_from: inSeconds(-2 * 86_400) });
  expect((await asked()).body).toMatchObject({ code: 'rate_unavailable' });
  await office.setRate('BSD/BWP', { rate: '13.5' });
  expect((await asked()).body).toMatchObject({ target_amount: money('13.50', 'BWP') });
});

test('a rate that names no end grows stale by its age', async () => {
  const who = await pair('BZD', 'CDF', '100.00');
  const old = await office.setRate('BZD/CDF', { rate: '1400', valid_from: inSeconds(-2 * 86_400) });
  expect(old.body).toMatchObject({ status: 'stale' });
  const asked = await quote(who.customer, { ...wish(who), amount: '1.00', currency: 'BZD' });
  expect(asked.body).toMatchObject({ code: 'rate_unavailable' });
});

test('a quote keeps its rate, whatever the rate is by then', async () => {
  const who = await pair('CRC', 'CVE', '100.00');
  await office.setRate('CRC/CVE', { rate: '0.2' });
  const offer = (await quote(who.customer, { ...wish(who), amount: '10.00', currency: 'CRC' })).as(
    z.looseObject({ id: z.uuid() }),
  );
  await office.setRate('CRC/CVE', { rate: '0.1' });
  const kept = await pay(who.customer, { ...wish(who), amount: '10.00', currency: 'CRC', quoteId: offer.id });
  expect(kept.body).toMatchObject({ target_amount: money('2.00', 'CVE') });
  expect((await pay(who.customer, { ...wish(who), amount: '10.00', currency: 'CRC' })).body).toMatchObject({
    target_amount: money('1.00', 'CVE'),
  });
});

test('what comes to nothing is refused', async () => {
  const who = await pair('DJF', 'KWD', '100');
  await office.setRate('DJF/KWD', { rate: '0.0009' });
  expect((await pay(who.customer, { ...wish(who), amount: '1', currency: 'DJF' })).body).toMatchObject({
    status: 409,
    code: 'amount_not_convertible',
  });
  expect((await pay(who.customer, { ...wish(who), amount: '2', currency: 'DJF' })).body).toMatchObject({
    target_amount: money('0.001', 'KWD'),
  });
});
