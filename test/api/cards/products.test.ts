/** Payment systems and products of cards: what is refused, what waits for a second person, and that versions stand. */
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { z } from 'zod';
import { openBank, type Bank, type Person } from '../../support/bank/bank.ts';
import { approved, call, euro, Listed } from '../../support/bank/accounts.ts';
import { newCard, newPaymentSystem, newProduct, newRange, productTerms } from '../../support/bank/cards.ts';
import { codeOf, newKey } from '../../support/client.ts';

let bank: Bank;
let office: Person;
beforeAll(async () => {
  bank = openBank();
  [office] = [await bank.admin('cards:read', 'cards:write'), await bank.admin('cards:write')];
});
afterAll(() => bank.close());

const systemPath = (id: string): string => `/v1/admin/card-payment-systems/${id}`;
const productPath = (id: string): string => `/v1/admin/card-products/${id}`;

describe('payment systems', () => {
  test('a range says how many numbers are left, and more numbers wait for a second administrator', async () => {
    const range = newRange(10);
    const system = await newPaymentSystem(office, { iin_ranges: [range] });
    const path = systemPath(system.id);
    expect((await call(office, 'GET', path)).body).toMatchObject({
      version: 1,
      iin_ranges: [{ ...range, remaining: 10 }],
    });
    const wider = { iin_ranges: [{ first: range.first, last: String(BigInt(range.last) + 5n) }] };
    expect(await call(office, 'PATCH', path, wider)).toMatchObject({ status: 202 });
    const narrower = { iin_ranges: [{ first: range.first, last: String(BigInt(range.last) - 5n) }] };
    expect(await call(office, 'PATCH', path, narrower)).toMatchObject({ status: 200 });
    expect((await call(office, 'GET', path)).body).toMatchObject({
      version: 2,
      iin_ranges: [{ remaining: 5 }],
    });
  });

  test('numbers that cards have stay in their range', async () => {
    const range = newRange(10);
    const { id } = await newPaymentSystem(office, { iin_ranges: [range] });
    await bank.asOwner('update card_iin_ranges set issued = 1 where payment_system_id = $1', [id]);
    const smaller = [{ first: range.first, last: range.first }];
    for (const iin_ranges of [[], smaller])
      expect(codeOf(await call(office, 'PATCH', systemPath(id), { iin_ranges }))).toBe('in_use');
    const wider = [{ first: range.first, last: String(BigInt(range.last) + 1n) }];
    const done = await approved(bank, office, 'PATCH', systemPath(id), { iin_ranges: wider });
    expect(done.body).toMatchObject({ iin_ranges: [{ remaining: 10 }] });
    for (const change of ['delete from card_iin_ranges', 'update card_iin_ranges set last = first'])
      await expect(bank.asOwner(`${change} where payment_system_id = $1`, [id])).rejects.toThrow(/in use/);
  });

  test.each([
    ['too few digits', { first: '99999000000', last: '999990000000009' }, '/iin_ranges/0/first'],
    [
      'an end before the beginning',
      { first: '999990000000009', last: '999990000000000' },
      '/iin_ranges/0/last',
    ],
  ])('a range with %s is refused', async (_what, range, pointer) => {
    const body = { code: `s${newKey().replaceAll('-', '')}`, name: 'x', pan_length: 16, iin_ranges: [range] };
    const answer = await call(office, 'POST', '/v1/admin/card-payment-systems', body);
    expect(answer.body).toMatchObject({ status: 400, errors: [{ pointer }] });
  });

  test('a number belongs to one range, and a code to one payment system', async () => {
    const range = newRange();
    const { code } = await newPaymentSystem(office, { iin_ranges: [range] });
    const body = { code: `s${newKey().replaceAll('-', '')}`, name: 'x', pan_length: 16 };
    const path = '/v1/admin/card-payment-systems';
    const overlap = await call(office, 'POST', path, { ...body, iin_ranges: [range] });
    expect(overlap.body).toMatchObject({
      status: 400,
      errors: [{ pointer: '/iin_ranges', code: 'overlap' }],
    });
    expect(codeOf(await call(office, 'POST', path, { ...body, code, iin_ranges: [] }))).toBe('conflict');
  });
});

describe('products', () => {
  test('a customer sees an enabled product; a change is a version, and both are in the audit log', async () => {
    const system = await newPaymentSystem(office);
    const limits = [{ period: 'PT24H', scope: 'cash', amount: euro('200.00'), customer_may_loosen: true }];
    const product = await newProduct(bank, office, system.id, { limits, sca: { mode: 'off' } });
    const path = productPath(product.id);
    expect((await call(office, 'GET', path)).body).toMatchObject({
      version: 1,
      limits: [{ period: 'PT24H', scope: 'cash', amount: euro('200.00'), count: null }],
      validity_months: 48,
      stand_in_limit: euro('0.00'),
    });
    const customer = await bank.customer();
    const offered = async (): Promise<string[]> => {
      const query = { limit: '200' };
      const page = await call(customer, 'GET', '/v1/card-products', undefined, { query });
      return page.as(Listed).items.map(({ id }) => id);
    };
    expect(await offered()).toContain(product.id);
    const tighter = { limits: [{ ...limits[0], amount: euro('100.00') }], sca: { mode: 'count', count: 3 } };
    expect(await call(office, 'PATCH', path, tighter)).toMatchObject({ status: 200 });
    expect(await call(office, 'PATCH', path, { enabled: false })).toMatchObject({ status: 200 });
    expect(await offered()).not.toContain(product.id);
    const versions = await bank.asOwner(
      `select version, limits->0->>'amount' as most from card_product_versions where product_id = $1 order by version`,
      [product.id],
    );
    expect(versions.map(({ most }) => most)).toEqual(['20000', '10000', '10000']);
    const [entry] = await bank.asOwner(
      `select before->'enabled' as before, after->'enabled' as after from audit_log
        where subject_id = $1 and action = 'card_product.updated' order by id desc limit 1`,
      [product.id],
    );
    expect(entry).toEqual({ before: true, after: false });
    await expect(
      bank.asOwner('update card_product_versions set enabled = true where product_id = $1', [product.id]),
    ).rejects.toThrow(/append-only/);
  });

  test.each([
    ['no limits', { limits: [] }],
    ['a higher limit', { limits: [{ period: 'day', amount: euro('501.00') }] }],
    ['a limit that the customer may loosen', { limits: [{ ...day('500.00'), customer_may_loosen: true }] }],
    ['more tries of the PIN', { pin_tries: 4 }],
    ['more that is approved without the bank', { stand_in_limit: euro('1.00') }],
    ['no country closed', { controls: [] }],
    ['a check less often', { sca: { mode: 'count', count: 6 } }],
    ['other holds', { hold_rules: [{ mcc: ['5542'], days: 1 }] }],
  ])('%s waits for a second administrator', async (_what, change) => {
    const terms = {
      limits: [day('500.00')],
      controls: [{ type: 'country', mode: 'block', values: ['KP'] }],
    };
    const system = await newPaymentSystem(office);
    const product = await newProduct(bank, office, system.id, terms);
    expect(await call(office, 'PATCH', productPath(product.id), change)).toMatchObject({ status: 202 });
  });

  test.each([
    [
      'an amount in another currency',
      { stand_in_limit: { amount: '1.00', currency: 'USD' } },
      '/stand_in_limit/currency',
    ],
    ['a period that is none', { limits: [{ period: 'year', count: 1 }] }, '/limits/0/period'],
    ['a limit of nothing', { limits: [{ period: 'day' }] }, '/limits/0/amount'],
    ['a limit twice', { limits: [day('1.00'), day('2.00')] }, '/limits/1'],
    [
      'a country that is none',
      { controls: [{ type: 'country', mode: 'block', values: ['XX'] }] },
      '/controls/0/values',
    ],
    [
      'a way of use that is none',
      { controls: [{ type: 'channel', mode: 'allow', values: ['fax'] }] },
      '/controls/0/values',
    ],
    ['a check that counts nothing', { sca: { mode: 'amount' } }, '/sca/amount'],
    [
      'one category in two rules',
      {
        hold_rules: [
          { mcc: ['5542'], days: 1 },
          { mcc: ['5542'], days: 2 },
        ],
      },
      '/hold_rules',
    ],
    [
      'an account type that is none',
      { account_type_ids: ['0192f0c1-3b1e-7c4e-9d5a-6f0a4c1b2d3e'] },
      '/account_type_ids',
    ],
    [
      'a payment system that is none',
      { payment_system_id: '0192f0c1-3b1e-7c4e-9d5a-6f0a4c1b2d3e' },
      '/payment_system_id',
    ],
  ])('%s is refused with a pointer', async (_what, terms, pointer) => {
    const system = await newPaymentSystem(office);
    const answer = await call(office, 'POST', '/v1/admin/card-products', productTerms(system.id, terms));
    expect(answer.body).toMatchObject({ status: 400, errors: [{ pointer }] });
  });

  test('a version of the release before, which knows no payments without the card, gets the figures of the law', async () => {
    const product = await newProduct(bank, office, (await newPaymentSystem(office)).id);
    await bank.asOwner(
      `with version as (
         insert into card_product_versions (product_id, version, name, enabled, account_type_ids, validity_months, hold_rules, controls,
             limits, sca, pin_tries, stand_in_limit)
           select product_id, 2, name, enabled, account_type_ids, validity_months, hold_rules, controls, limits, sca,
                  pin_tries, stand_in_limit
             from card_product_versions where product_id = $1)
       update card_products set version = 2 where id = $1`,
      [product.id],
    );
    expect((await call(office, 'GET', `/v1/admin/card-products/${product.id}`)).body).toMatchObject({
      version: 2,
      sca: { remote: { amount: euro('100.00'), count: 5 } },
    });
  });

  test('a change touches issued cards only if it says so, and waits if one of them could pay more', async () => {
    const system = await newPaymentSystem(office);
    const product = await newProduct(bank, office, system.id, { limits: [day('100.00')] });
    const path = productPath(product.id);
    const holder = await bank.customer();
    const card = await newCard(bank, holder, product.id);
    const limitOf = async () =>
      (await call(holder, 'GET', `/v1/cards/${card.id}`)).as(Limited).limits[0]?.amount.amount;
    await approved(bank, office, 'PATCH', path, { limits: [day('500.00')] });
    expect(await limitOf()).toBe('100.00');
    // tighter than the product is, looser than the card is
    const change = { limits: [day('200.00')], apply_to_issued: true };
    expect(await call(office, 'PATCH', path, change)).toMatchObject({ status: 202 });
    const disabled = { limits: [], enabled: false, apply_to_issued: true };
    const other = await bank.admin('cards:write');
    expect((await call(other, 'PATCH', path, disabled)).status).not.toBe(200);
    expect(await limitOf()).toBe('100.00');
    const tighter = { limits: [day('50.00')], apply_to_issued: true };
    expect(await call(other, 'PATCH', path, tighter)).toMatchObject({ status: 200 });
    expect(await limitOf()).toBe('50.00');
    const [entry] = await bank.asOwner(
      `select after->'applied_to_cards' as cards from audit_log
        where subject_id = $1 and action = 'card_product.updated' order by id desc limit 1`,
      [product.id],
    );
    expect(entry).toEqual({ cards: 1 });
  });

  test('a product may be for some account types only, and a code is taken once', async () => {
    const system = await newPaymentSystem(office);
    const [type] = await bank.asOwner(`select id from account_types where code = 'current_eur'`);
    const { code, id } = await newProduct(bank, office, system.id, { account_type_ids: [type?.['id']] });
    expect(await call(office, 'PATCH', productPath(id), { account_type_ids: [] })).toMatchObject({
      status: 202,
    });
    const twin = await call(office, 'POST', '/v1/admin/card-products', productTerms(system.id, { code }));
    expect(codeOf(twin)).toBe('conflict');
    expect(
      (await call(office, 'GET', '/v1/admin/card-products', undefined, { query: { enabled: 'false' } }))
        .status,
    ).toBe(200);
  });
});

const Limited = z.object({ limits: z.array(z.object({ amount: z.object({ amount: z.string() }) })) });

function day(amount: string) {
  return { period: 'day', amount: euro(amount) };
}
