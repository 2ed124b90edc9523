/** Fee rules: what they may say, when they are in force, and that a transfer pays what its quote said. */
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { randomUUID } from 'node:crypto';
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
  RuleAnswer,
  treasury,
  type Treasury,
} from '../../support/bank/pricing.ts';
import { approvedChange } from '../../support/bank/second-person.ts';

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

const eur = (amount: string) => ({ amount, currency: 'EUR' });
const some = { code: 'some_fee', currency: 'EUR', description: 'Some fee' };

interface Priced {
  /** A transfer type of this test alone. */
  readonly type: string;
  readonly customer: Person;
  readonly from: AccountAnswer;
  readonly to: AccountAnswer;
}

async function priced(funds = '1000.00'): Promise<Priced> {
  const customer = await bank.customer();
  const [type, from, to] = await Promise.all([
    transferType(bank),
    bank.fundedAccount(customer, funds),
    bank.account(await bank.customer()),
  ]);
  return { type, customer, from, to };
}

const asked = (who: Priced, amount: string) =>
  quote(who.customer, { type: who.type, from: who.from.id, to: { account_id: who.to.id }, amount });
const paid = (who: Priced, amount: string, quoteId?: string) =>
  pay(who.customer, {
    type: who.type,
    from: who.from.id,
    to: { account_id: who.to.id },
    amount,
    ...(quoteId === undefined ? {} : { quoteId }),
  });
const added = async (rule: object) => (await office.addRule({ ...some, ...rule })).as(RuleAnswer);
const QuoteAnswer = z.looseObject({
  id: z.uuid(),
  fees: z.array(
    z.object({
      code: z.string(),
      description: z.string(),
      amount: z.unknown(),
      rule_id: z.uuid(),
      rule_version: z.int(),
    }),
  ),
  total_debit: z.unknown(),
});

describe('what a rule may not say is refused, with a pointer to it', () => {
  test.each<[string, object, string]>([
    ['a currency that is none', { currency: 'EUX' }, '/currency'],
    ['a code with capitals', { code: 'Fee' }, '/code'],
    ['no description', { description: '  ' }, '/description'],
    ['a description that hides its direction', { description: 'a\u202Eb' }, '/description'],
    [
      'an amount in another currency',
      { flat: { amount: '1.00', currency: 'USD' } },
      '/flat/currency currency_mismatch',
    ],
    ['an amount with too many digits', { minimum: eur('1.001') }, '/minimum/amount too_many_digits'],
    ['an amount as a JSON number', { flat: { amount: 1, currency: 'EUR' } }, '/flat/amount'],
    ['an amount below zero', { flat: eur('-1.00') }, '/flat/amount negative'],
    ['an amount that the books cannot hold', { flat: eur('9'.repeat(38)) }, '/flat/amount'],
    ['a rate below zero', { rate_bps: '-1' }, '/rate_bps'],
    ['a rate above all', { rate_bps: '10000.000001' }, '/rate_bps'],
    ['a rate with too many digits', { rate_bps: '1.0000001' }, '/rate_bps'],
    ['a rate as a number', { rate_bps: 15 }, '/rate_bps'],
    ['a maximum below the minimum', { minimum: eur('2.00'), maximum: eur('1.99') }, '/maximum below_minimum'],
    [
      'tiers that descend',
      { tiers: [{ above: eur('2.00') }, { above: eur('1.00') }] },
      '/tiers not_ascending',
    ],
    [
      'tiers that are the same',
      { tiers: [{ above: eur('2.00') }, { above: eur('2.00') }] },
      '/tiers not_ascending',
    ],
    ['a tier from zero', { tiers: [{ above: eur('0.00') }] }, '/tiers not_ascending'],
    [
      'a tier in another currency',
      { tiers: [{ above: { amount: '1', currency: 'JPY' } }] },
      '/tiers/0/above/currency',
    ],
    [
      'a tier with an unknown field',
      { tiers: [{ above: eur('1.00'), up_to: eur('2.00') }] },
      '/tiers/0/up_to',
    ],
    ['a tier mode that is none', { tier_mode: 'stairs' }, '/tier_mode'],
    ['a begin in the past', { valid_from: '2020-01-01T00:00:00Z' }, '/valid_from in_the_past'],
    [
      'an end before the begin',
      { valid_from: '2099-01-02T00:00:00Z', valid_to: '2099-01-01T00:00:00Z' },
      '/valid_to before_valid_from',
    ],
    ['a day that is none', { valid_from: '2099-02-30T00:00:00Z' }, '/valid_from'],
    ['an end that nobody means', { valid_to: '9999-12-31T23:59:59-12:00' }, '/valid_to'],
    ['a transfer type that is none', { transfer_type: 'by_pigeon' }, '/transfer_type unknown'],
    ['an account type that is none', { account_type_id: randomUUID() }, '/account_type_id unknown'],
    ['a monthly fee that is a share', { purpose: 'monthly', rate_bps: '10' }, '/purpose not_flat'],
    ['a monthly fee for a transfer type', { purpose: 'monthly', transfer_type: 'sepa' }, '/purpose not_flat'],
    ['a priority without measure', { priority: 1_001 }, '/priority'],
  ])('%s', async (_name, more, expected) => {
    const { status, pointer, code } = faultOf(await office.addRule({ ...some, ...more }));
    expect(status).toBe(400);
    // where the code says more than that the shape is wrong, it stands behind the pointer
    expect(`${pointer} ${code}`.slice(0, expected.length)).toBe(expected);
  });

  test('an account type of another currency', async () => {
    const { id } = await accountType(bank, 'USD');
    expect(faultOf(await office.addRule({ ...some, account_type_id: id }))).toMatchObject({
      status: 400,
      pointer: '/account_type_id',
    });
  });

  test('a change that contradicts what the rule says already', async () => {
    const { id } = await added({ transfer_type: await transferType(bank), maximum: eur('5.00') });
    expect(faultOf(await office.changeRule(id, { minimum: eur('5.01') }))).toMatchObject({
      status: 400,
      pointer: '/maximum',
    });
    expect(faultOf(await office.changeRule(id, { currency: 'USD' }))).toMatchObject({
      status: 400,
      pointer: '/currency',
    });
  });
});

test('a transfer pays the fee as an entry of its own, and the quote names rule and version', async () => {
  const who = await priced('200.00');
  const rule = await added({ transfer_type: who.type, flat: eur('0.35'), rate_bps: '150' });
  const offer = (await asked(who, '100.00')).as(QuoteAnswer);
  expect(offer).toMatchObject({
    fees: [
      { code: 'some_fee', description: 'Some fee', amount: eur('1.85'), rule_id: rule.id, rule_version: 1 },
    ],
    total_debit: eur('101.85'),
  });
  const done = await paid(who, '100.00');
  expect(done.body).toMatchObject({ status: 'executed', total_debit: eur('101.85') });
  expect(await bank.look(who.customer, who.from)).toMatchObject({ balance: { amount: '98.15' } });
  const entries = await bank.asOwner(
    `select e.amount, e.part from ledger_entries e join transfers t on t.transaction_id = e.transaction_id
      where t.id = $1 and e.account_id = $2 order by e.seq`,
    [done.as(TransferAnswer).id, who.from.id],
  );
  expect(entries).toEqual([
    { amount: '-10000', part: 'principal' },
    { amount: '-185', part: 'fee' },
  ]);
});

test('what covers the amount but not the fee is not enough', async () => {
  const who = await priced('100.00');
  await added({ transfer_type: who.type, flat: eur('0.01') });
  expect((await paid(who, '100.00')).body).toMatchObject({ code: 'insufficient_funds' });
  expect((await paid(who, '99.99')).body).toMatchObject({ status: 'executed' });
  expect(await bank.look(who.customer, who.from)).toMatchObject({ balance: { amount: '0.00' } });
});

test('a quote keeps its price, whatever the rule says by then; the next one costs more', async () => {
  const who = await priced();
  const { id } = await added({ transfer_type: who.type, flat: eur('1.00') });
  const offer = (await asked(who, '10.00')).as(QuoteAnswer);
  expect((await office.changeRule(id, { flat: eur('2.00') })).body).toMatchObject({
    version: 2,
    version_in_force: 2,
  });
  expect((await paid(who, '10.00', offer.id)).body).toMatchObject({ total_debit: eur('11.00') });
  expect((await paid(who, '10.00')).body).toMatchObject({ total_debit: eur('12.00') });
});

/** Another version of a rule, with the terms of its newest one, that is valid between these seconds from now. */
async function valid(rule: string, from: number, to: number): Promise<void> {
  // the clock goes on within a statement, so it is asked once: a rule is not valid before it is made
  const changed: Readonly<Record<string, string>> = {
    version: 'version + 1',
    created_at: `moment + ${String(from)} * interval '1 s'`,
    valid_from: `moment + ${String(from)} * interval '1 s'`,
    valid_to: `moment + ${String(to)} * interval '1 s'`,
  };
  const columns = (
    await bank.asOwner(
      `select column_name as name from information_schema.columns where table_name = 'fee_rule_versions' and is_generated = 'NEVER'`,
    )
  ).map(({ name }) => String(name));
  await bank.asOwner(
    `insert into fee_rule_versions (${columns.join(', ')})
       select ${columns.map((name) => changed[name] ?? name).join(', ')} from fee_rule_versions, (select bank_now() as moment) clock
        where rule_id = $1 order by version desc limit 1`,
    [rule],
  );
}

test('what is planned is not charged yet, and what has ended no more', async () => {
  const who = await priced();
  const rule = await added({ transfer_type: who.type, flat: eur('1.00'), valid_from: inSeconds(3_600) });
  expect(rule.version_in_force).toBeNull();
  expect((await asked(who, '10.00')).as(QuoteAnswer).fees).toEqual([]);
  const planned = { valid_from: inSeconds(3_600), valid_to: inSeconds(7_200) };
  const now = await office.changeRule(rule.id, planned);
  expect(now.body).toMatchObject({ version: 2, version_in_force: null });
  const charged = async (): Promise<number> => (await asked(who, '10.00')).as(QuoteAnswer).fees.length;
  expect(await charged()).toBe(0);
  // as if an hour had passed, and then two
  await valid(rule.id, -60, 3_540);
  expect(await charged()).toBe(1);
  await valid(rule.id, -30, -1);
  expect(await charged()).toBe(0);
});

test('a change of a rule that is planned leaves it planned, and of one that is in force leaves the old version to be read', async () => {
  const type = await transferType(bank);
  const from = inSeconds(3_600);
  const planned = await added({ transfer_type: type, flat: eur('1.00'), valid_from: from });
  expect((await office.changeRule(planned.id, { flat: eur('2.00') })).body).toMatchObject({
    version: 2,
    version_in_force: null,
    valid_from: from,
  });
  const inForce = await added({ transfer_type: type, flat: eur('1.00') });
  await office.changeRule(inForce.id, { enabled: false });
  const versions = await office.read(`/v1/admin/fee-rules/${inForce.id}/versions`);
  expect(versions.body).toMatchObject({
    items: [
      { version: 2, enabled: false, version_in_force: null },
      { version: 1, enabled: true, flat: eur('1.00') },
    ],
  });
});

test('an empty change changes nothing', async () => {
  const { id } = await added({ transfer_type: await transferType(bank) });
  expect((await office.changeRule(id, {})).body).toMatchObject({ version: 1 });
});

test('of two changes at once one waits for the second person, and the other is refused; a version that is over is refused too', async () => {
  const { id } = await added({ transfer_type: await transferType(bank) });
  const path = `/v1/admin/fee-rules/${id}`;
  const tag = (await office.read(path)).headers.get('ETag') ?? '';
  const { client, token } = office.person;
  const both = await Promise.all(
    [{ priority: 1 }, { rate_bps: '1' }].map((body) => client.call('PATCH', path, { token, body })),
  );
  expect(both.map(({ status }) => status).toSorted()).toEqual([202, 409]);
  expect(both.find(({ status }) => status === 409)?.body).toMatchObject({ code: 'change_pending' });
  const [waits] = both.filter(({ status }) => status === 202);
  if (waits === undefined) throw new Error('no change waits');
  expect((await approvedChange(bank, waits, path)).body).toMatchObject({ version: 2 });
  expect((await office.changeRule(id, { priority: 2 }, tag)).body).toMatchObject({ code: 'etag_mismatch' });
});

test('every change is in the audit log, with before and after', async () => {
  const { id } = await added({ transfer_type: await transferType(bank), flat: eur('1.00') });
  await office.changeRule(id, { flat: eur('2.00') });
  const log = await bank.asOwner(
    `select actor_id, action, before->'flat'->>'amount' as before, after->'flat'->>'amount' as after from audit_log where subject_id = $1 order by id`,
    [id],
  );
  expect(log).toEqual([
    { actor_id: office.person.id, action: 'fee_rule.created', before: null, after: '1.00' },
    { actor_id: office.person.id, action: 'fee_rule.updated', before: '1.00', after: '2.00' },
  ]);
});

test('a list is narrowed by what it is asked for, and read on from its cursor', async () => {
  const type = await transferType(bank);
  for (const code of ['fee_a', 'fee_b', 'fee_c']) await added({ code, transfer_type: type });
  const Page = z.object({
    items: z.array(z.looseObject({ code: z.string() })),
    next_cursor: z.string().nullable(),
  });
  const first = (await office.read('/v1/admin/fee-rules', { transfer_type: type, limit: '2' })).as(Page);
  const rest = (
    await office.read('/v1/admin/fee-rules', { transfer_type: type, cursor: first.next_cursor ?? '' })
  ).as(Page);
  expect([...first.items, ...rest.items].map(({ code }) => code)).toEqual(['fee_a', 'fee_b', 'fee_c']);
  expect(rest.next_cursor).toBeNull();
  expect(
    (await office.read('/v1/admin/fee-rules', { purpose: 'monthly', transfer_type: type })).as(Page).items,
  ).toEqual([]);
  const strange = Buffer.from(JSON.stringify(['fx-rates', randomUUID()])).toString('base64url');
  expect((await office.read('/v1/admin/fee-rules', { cursor: strange })).status).toBe(400);
});
