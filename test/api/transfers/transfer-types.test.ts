/** The configuration of transfer types: what it may say, and that it holds from then on. */
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { z } from 'zod';
import { openBank, type Bank } from '../../support/bank/bank.ts';
import { allItems } from '../../support/client.ts';
import { limitType, pay, transferType } from '../../support/bank/transfers.ts';
import { faultOf, treasury, type Treasury } from '../../support/bank/pricing.ts';

let bank: Bank;
let office: Treasury;
beforeAll(async () => {
  bank = openBank();
  office = await treasury(bank);
});
afterAll(() => bank.close());

const eur = (amount: string) => ({ amount, currency: 'EUR' });
const limit = {
  currency: 'EUR',
  kyc_level: 0,
  subject: 'user',
  single: null,
  day: eur('10.00'),
  month: null,
};

describe('what a configuration may not say is refused, with a pointer to it', () => {
  test.each<[string, object, string]>([
    ['no name', { name: ' ' }, '/name'],
    ['no time to approve', { approval_seconds: 0 }, '/approval_seconds'],
    ['a time of day that is none', { cut_off: '24:00' }, '/cut_off'],
    ['a zone that is none', { cut_off_zone: 'Europe/Atlantis' }, '/cut_off_zone'],
    ['an offset for a zone', { cut_off_zone: '+01:00' }, '/cut_off_zone'],
    ['SQL for a zone', { cut_off_zone: `UTC'; select 1` }, '/cut_off_zone'],
    [
      'a currency that is none',
      { currencies: [{ currency: 'EUX', approval_above: eur('1.00') }] },
      '/currencies/0/currency',
    ],
    [
      'a currency twice',
      { currencies: [1, 2].map(() => ({ currency: 'EUR', approval_above: eur('1.00') })) },
      '/currencies/1',
    ],
    [
      'a threshold in another currency',
      { currencies: [{ currency: 'USD', approval_above: eur('1.00') }] },
      '/currencies/0/approval_above/currency',
    ],
    [
      'a threshold below zero',
      { currencies: [{ currency: 'EUR', approval_above: eur('-1.00') }] },
      '/currencies/0/approval_above/amount',
    ],
    [
      'a limit with too many digits',
      { limits: [{ ...limit, single: eur('1.001') }] },
      '/limits/0/single/amount',
    ],
    ['a limit twice', { limits: [limit, { ...limit, day: null }] }, '/limits/1'],
    ['a limit for whom there is none', { limits: [{ ...limit, subject: 'everybody' }] }, '/limits/0/subject'],
    ['what cannot be configured', { reach: 'sepa' }, '/reach'],
  ])('%s', async (_name, change, pointer) => {
    expect(faultOf(await office.configure(await transferType(bank), change))).toMatchObject({
      status: 400,
      pointer,
    });
  });
  test('a type that is none', async () => {
    expect((await office.configure('by_pigeon', { enabled: false })).status).toBe(404);
  });
});

const TypeList = z.array(z.looseObject({ code: z.string(), limits: z.array(z.looseObject({})) }));

test('a change holds at once, what is left out stays, and the audit log has both', async () => {
  const code = await transferType(bank, { limits: [{ single: 5_000 }] });
  const change = {
    cut_off: '16:30',
    cut_off_zone: 'America/New_York',
    business_days_only: true,
    approval_seconds: 60,
  };
  expect((await office.configure(code, change)).body).toMatchObject({
    ...change,
    name: code,
    enabled: true,
    limits: [{ single: eur('50.00'), day: null }],
  });
  expect((await office.configure(code, { cut_off: null })).body).toMatchObject({ ...change, cut_off: null });
  const log = await bank.asOwner(
    `select before->>'cut_off' as before, after->>'cut_off' as after from audit_log where subject_id = $1 and action = 'transfer_type.updated' order by id`,
    [code],
  );
  expect(log).toEqual([
    { before: null, after: '16:30' },
    { before: '16:30', after: null },
  ]);
});

test('thresholds, limits and currencies hold for the next transfer', async () => {
  const code = await transferType(bank);
  const customer = await bank.customer();
  const [from, to] = [
    await bank.fundedAccount(customer, '100.00'),
    await bank.account(await bank.customer()),
  ];
  const send = (amount: string) =>
    pay(customer, { type: code, from: from.id, to: { account_id: to.id }, amount });
  await office.configure(code, {
    currencies: [{ currency: 'EUR', approval_above: eur('5.00') }],
    limits: [limit],
  });
  expect((await send('5.00')).body).toMatchObject({ status: 'executed' });
  expect((await send('5.01')).body).toMatchObject({ code: 'limit_exceeded', limit: { remaining: '5.00' } });
  await office.configure(code, { limits: [] });
  expect((await send('5.01')).body).toMatchObject({ status: 'pending_approval' });
  await office.configure(code, { currencies: [] });
  expect((await send('1.00')).body).toMatchObject({ code: 'transfer_type_unavailable' });
});

test('a customer sees the limits of the own level, and no type that is switched off', async () => {
  const code = await transferType(bank);
  await limitType(bank, code, { level: 0, single: 100 });
  await limitType(bank, code, { level: 1, single: 200 });
  await limitType(bank, code, { level: 2, single: 300 });
  await limitType(bank, code, { level: 1, subject: 'recipient', day: 400 });
  const customer = await bank.customer();
  const mine = async () => {
    const items = await allItems(customer.client, '/v1/transfer-types', customer);
    return TypeList.parse(items).find((type) => type.code === code)?.limits;
  };
  // where there is none for the own level, the lowest there is
  expect(await mine()).toMatchObject([
    { kyc_level: 1, subject: 'recipient', day: eur('4.00') },
    { kyc_level: 0, subject: 'user', single: eur('1.00') },
  ]);
  await bank.asOwner('update users set kyc_level = 1 where id = $1', [customer.id]);
  expect(await mine()).toMatchObject([
    { kyc_level: 1, subject: 'recipient', day: eur('4.00') },
    { kyc_level: 1, subject: 'user', single: eur('2.00') },
  ]);
  const all = (await office.read(`/v1/admin/transfer-types/${code}`)).body;
  expect(all).toMatchObject({ limits: [{}, {}, {}, {}] });
  await office.configure(code, { enabled: false });
  expect(await mine()).toBeUndefined();
  const items = await allItems(office.person.client, '/v1/admin/transfer-types', office.person);
  expect(items).toContainEqual(expect.objectContaining({ code }));
});
