/** How the back office limits what customers buy, sell and withdraw: what tightens counts at once, what loosens waits for a second administrator. */
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { call } from '../../support/bank/accounts.ts';
import { openBank, type Bank, type Person } from '../../support/bank/bank.ts';
import { approvedCall, checkerOf, ChangeAnswer, decideOn } from '../../support/bank/second-person.ts';
import { newKey } from '../../support/client.ts';

let bank: Bank;
let office: Person;
beforeAll(async () => {
  bank = openBank();
  office = await bank.admin('crypto:read', 'crypto:write');
  // so that nobody is alone in the bank
  await bank.admin('crypto:write');
});
afterAll(() => bank.close());

// no other test changes these
const LIMITS = '/v1/admin/crypto/limits';
const BUY = `${LIMITS}/buy`;

const eur = (amount: string | null, currency = 'EUR') => (amount === null ? null : { amount, currency });
const limit = (kyc_level: number, day: string | null, month: string | null) => ({
  ...{ kyc_level, last_24_hours: eur(day), last_30_days: eur(month) },
});
const put = (path: string, limits: readonly object[], person = office) =>
  call(person, 'PUT', path, { limits });
const agreed = (path: string, limits: readonly object[]) =>
  approvedCall(bank, office, 'PUT', path, { body: { limits } });
const faultAt = (pointer: string, code: string) => ({
  status: 400,
  body: { code: 'invalid_request', errors: [{ pointer, code }] },
});

const USUAL = [
  limit(0, '1000.00', '5000.00'),
  limit(1, '10000.00', '50000.00'),
  limit(2, '100000.00', '500000.00'),
];

test('all operations are listed with their limits, those of selling empty, page by page', async () => {
  const page = (query: Record<string, string>) => call(office, 'GET', LIMITS, undefined, { query });
  const { body } = await page({});
  expect(body).toMatchObject({
    items: [
      { operation: 'buy', limits: USUAL },
      { operation: 'sell', limits: [] },
      { operation: 'withdrawal' },
    ],
    next_cursor: null,
  });
  const first = (await page({ limit: '1' })).body as { items: object[]; next_cursor: string };
  expect(first).toMatchObject({ items: [{ operation: 'buy' }] });
  expect((await page({ limit: '2', cursor: first.next_cursor })).body).toMatchObject({
    items: [{ operation: 'sell' }, { operation: 'withdrawal' }],
    next_cursor: null,
  });
});

describe('limits that are set', () => {
  test('count at once if they tighten, and the audit log says what they were', async () => {
    const lower = [limit(0, '0.00', '100.00'), limit(1, '10000.00', '50000.00')];
    expect(await put(BUY, lower)).toMatchObject({ status: 200, body: { operation: 'buy', limits: lower } });
    expect(await call(office, 'GET', BUY)).toMatchObject({ status: 200, body: { limits: lower } });
    const [entry] = await bank.asOwner(
      `select before, after from audit_log where action = 'crypto_limits.updated' and subject_id = 'buy'
         order by id desc limit 1`,
    );
    expect(entry).toEqual({ before: { limits: USUAL }, after: { limits: lower } });
  });

  test('wait for a second administrator if they loosen, and count once that one has agreed', async () => {
    const before = (await call(office, 'GET', BUY)).body;
    const asked = await office.client.call('PUT', BUY, {
      ...{ token: office.token, key: newKey(), body: { limits: USUAL } },
    });
    expect(asked).toMatchObject({
      ...{ status: 202, body: { operation: 'putCryptoLimits', resource: 'crypto_limits/buy' } },
    });
    expect((await call(office, 'GET', BUY)).body).toEqual(before);
    const change = asked.as(ChangeAnswer);
    expect(await decideOn(office, change, 'approve')).toMatchObject({
      ...{ status: 403, body: { code: 'same_person' } },
    });
    expect(await decideOn(await checkerOf(bank, change), change, 'approve')).toMatchObject({ status: 200 });
    expect((await call(office, 'GET', BUY)).body).toEqual({ operation: 'buy', limits: USUAL });
  });

  test('by several calls at once are those of one of them', async () => {
    const wanted = [1, 2, 3, 4, 5].map((kycLevel) => [limit(kycLevel, '0.00', '0.00')]);
    const answers = await Promise.all(wanted.map((limits) => put(`${LIMITS}/sell`, limits)));
    expect(answers.map(({ status }) => status)).toEqual(wanted.map(() => 200));
    const { limits } = (await call(office, 'GET', `${LIMITS}/sell`)).body as { limits: object[] };
    expect(wanted).toContainEqual(limits);
    expect(await agreed(`${LIMITS}/sell`, [])).toMatchObject({ status: 200, body: { limits: [] } });
  });

  test('that are the first of an operation tighten, and to remove the last one loosens', async () => {
    const first = [limit(1, null, '10.00')];
    expect(await put(`${LIMITS}/sell`, first)).toMatchObject({ status: 200, body: { limits: first } });
    expect(await agreed(`${LIMITS}/sell`, [])).toMatchObject({ status: 200, body: { limits: [] } });
  });

  test.each([
    [
      'another currency',
      [{ ...USUAL[0], last_24_hours: eur('1.00', 'USD') }],
      '/limits/0/last_24_hours/currency',
      'currency_mismatch',
    ],
    ['less than nothing', [USUAL[0], limit(1, null, '-0.01')], '/limits/1/last_30_days/amount', 'negative'],
    [
      'more in 24 hours than in 30 days',
      [limit(0, '100.01', '100.00')],
      '/limits/0/last_24_hours',
      'limits_conflict',
    ],
    [
      'a level twice',
      [limit(1, '1.00', null), USUAL[0], limit(1, '2.00', null)],
      '/limits/2/kyc_level',
      'twice',
    ],
  ])('are refused for %s', async (_what, limits, pointer, code) => {
    expect(await put(BUY, limits as object[])).toMatchObject(faultAt(pointer, code));
  });

  test('are refused for a level that nobody has, and for an operation that there is not', async () => {
    expect(await put(BUY, [limit(10, null, null)])).toMatchObject({ status: 400 });
    expect(await put(`${LIMITS}/gift`, [])).toMatchObject({ status: 404 });
    expect(await call(office, 'GET', `${LIMITS}/gift`)).toMatchObject({ status: 404 });
  });

  test('take the right to set them', async () => {
    const reader = await bank.admin('crypto:read');
    expect(await put(BUY, [], reader)).toMatchObject({ status: 403 });
    expect(await call(await bank.customer(), 'GET', BUY)).toMatchObject({ status: 403 });
  });
});
