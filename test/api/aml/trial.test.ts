/** What conditions mean, tried on given events by the code that judges payments. */
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { z } from 'zod';
import { openBank, type Bank, type Person } from '../../support/bank/bank.ts';
import type { Answered } from '../../support/client.ts';

let bank: Bank;
let analyst: Person;
beforeAll(async () => {
  bank = openBank();
  analyst = await bank.admin('aml:read');
});
afterAll(() => bank.close());

const Result = z.object({
  hits: z.array(
    z.object({
      index: z.int(),
      outcome: z.string(),
      flag: z.int(),
      explanation: z.looseObject({ text: z.string() }),
    }),
  ),
});

interface Trial {
  readonly condition: unknown;
  readonly more?: object;
  readonly [other: string]: unknown;
}

const trial = ({ condition, more = {}, ...other }: Trial): Promise<Answered> =>
  analyst.client.call('POST', '/v1/admin/aml/rules/test', {
    token: analyst.token,
    body: { rule: { condition, ...more }, base_currency: 'EUR', ...other },
  });

/** The events of a trial that are hit, `!` before those that could not be checked. */
async function found(wanted: Trial): Promise<string> {
  const answer = await trial(wanted);
  expect(answer.status).toBe(200);
  return answer
    .as(Result)
    .hits.map(({ index, outcome }) => `${outcome === 'hit' ? '' : '!'}${index}`)
    .join(' ');
}

const at = (time: string) => `2026-03-${time}:00.000Z`;
const paid = (time: string, amount: string, more: object = {}) => ({
  ...{ at: at(time), kind: 'outgoing_transfer', amount: { amount, currency: 'EUR' } },
  ...more,
});
const sum = (more: object = {}) => ({
  ...{ aggregate: 'sum', over: 'outgoing', field: 'amount_base', window: 'PT24H' },
  ...more,
});
const least = (left: object, value: string) => ({ left, op: 'gte', right: { value } });

test('a window is open at its beginning and closed at its end', async () => {
  const events = [paid('01T10:00', '6000.00'), paid('02T10:00', '6000.00'), paid('03T09:59', '6000.00')];
  expect(await found({ condition: least(sum(), '12000'), events })).toBe('2');
});

test('the current movement counts unless it is left out', async () => {
  const events = [paid('01T10:00', '6000.00'), paid('01T11:00', '6000.00'), paid('01T12:00', '1.00')];
  expect(await found({ condition: least(sum({ include_current: true }), '12000'), events })).toBe('1 2');
  expect(await found({ condition: least(sum({ include_current: false }), '12000'), events })).toBe('2');
});

test('what has ended without the money having gone stops counting at once', async () => {
  const ended = { at: at('01T11:00'), status: 'rejected' };
  const events = [
    paid('01T10:00', '6000.00', { ended }),
    paid('01T10:30', '6000.00'),
    paid('01T11:30', '1.00'),
    paid('01T11:31', '1.00', { ended: { at: at('01T11:32'), status: 'executed' } }),
  ];
  expect(await found({ condition: least(sum(), '12000'), events })).toBe('1');
  const where = { left: { field: 'currency' }, op: 'eq', right: { value: 'EUR' } };
  expect(await found({ condition: least(sum({ where }), '12000'), events })).toBe('1');
});

test('counters and scans say the same, for each direction and both', async () => {
  const events = Array.from({ length: 12 }, (_, n) =>
    paid(`0${1 + Math.floor(n / 5)}T0${n % 5}:1${n % 6}`, `${n + 1}.50`, {
      kind: n % 3 === 0 ? 'incoming_transfer' : 'outgoing_transfer',
    }),
  );
  const where = { left: { field: 'amount' }, op: 'gt', right: { value: '0' } };
  for (const over of ['outgoing', 'incoming', 'both'])
    for (const aggregate of ['count', 'sum', 'avg']) {
      const field = aggregate === 'count' ? {} : { field: 'amount_base' };
      const of = { aggregate, over, ...field, window: 'PT30H' };
      for (const value of ['2', '5', '20.5']) {
        const counted = await found({ condition: least(of, value), events });
        expect(counted).toBe(await found({ condition: least({ ...of, where }, value), events }));
      }
    }
});

test('what is unknown is neither true nor false, and what hangs on it could not be checked', async () => {
  const country = { left: { field: 'counterparty_country' }, op: 'in', right: [{ value: 'KP' }] };
  const large = least({ field: 'amount' }, '100');
  const events = [
    paid('01T10:00', '1.00'),
    paid('01T10:01', '1.00', { country: 'KP' }),
    paid('01T10:02', '200.00'),
  ];
  expect(await found({ condition: country, events })).toBe('!0 1 !2');
  expect(await found({ condition: { not: country }, events })).toBe('!0 !2');
  expect(await found({ condition: { any: [country, large] }, events })).toBe('!0 1 2');
  expect(await found({ condition: { all: [country, large] }, events })).toBe('!2');
});

test('a missing rate and a division by zero could not be checked', async () => {
  const events = [
    paid('01T10:00', '10.00'),
    paid('01T10:01', '10.00', { amount: { amount: '10.00', currency: 'USD' } }),
  ];
  expect(await found({ condition: least({ field: 'amount_base' }, '5'), events })).toBe('0 !1');
  const rates = { 'USD/EUR': '0.5' };
  expect(await found({ condition: least({ field: 'amount_base' }, '5'), rates, events })).toBe('0 1');
  const none = { aggregate: 'count', over: 'incoming', window: 'PT1H' };
  const share = { div: [{ field: 'amount' }, none] };
  expect(await found({ condition: least(share, '5'), rates, events })).toBe('!0 !1');
});

test('amounts are converted and divided exactly, and compared without rounding', async () => {
  const dollars = { amount: { amount: '1.00', currency: 'USD' } };
  const events = [1, 2, 3].map((minute) => paid(`01T10:0${minute}`, '1.00', dollars));
  // a third of a euro for each dollar
  expect(await found({ condition: least(sum(), '1'), rates: { 'EUR/USD': '3' }, events })).toBe('2');
  const third = { mul: [{ div: [{ value: '10' }, { value: '3' }] }, { value: '3' }] };
  const condition = { left: { field: 'amount' }, op: 'eq', right: { sub: [third, { value: '9' }] } };
  expect(await found({ condition, rates: { 'EUR/USD': '3' }, events })).toBe('0 1 2');
});

test('fields of a movement mean what the documentation says', async () => {
  const events = [
    paid('01T10:00', '100.00', { counterparty: 'DE1', transfer_type: 'sepa' }),
    paid('04T23:30', '150.00', { counterparty: 'DE1' }),
    paid('05T01:00', '200.00', { counterparty: 'DE2', kind: 'incoming_transfer' }),
  ];
  const customer = {
    kyc_status: 'approved',
    risk: 'high',
    opened_at: at('01T00:00'),
    contact_changed_at: at('04T20:00'),
  };
  const whole = { customer, events };
  const is = (left: object, op: string, value: unknown) => ({ left, op, right: { value } });
  const [age, seen] = [{ field: 'account_age' }, { field: 'counterparty_first_seen_age' }];
  expect(await found({ condition: is(age, 'lte', 'PT10H'), ...whole })).toBe('0');
  expect(await found({ condition: is(seen, 'eq', 'PT0S'), ...whole })).toBe('0 2');
  expect(await found({ condition: is(seen, 'gte', 'P3D'), ...whole })).toBe('1');
  expect(await found({ condition: is({ field: 'dormant_for' }, 'gt', 'P3D'), ...whole })).toBe('1');
  expect(await found({ condition: is({ field: 'contact_changed_age' }, 'lt', 'PT4H'), ...whole })).toBe('1');
  expect(await found({ condition: is({ field: 'contact_changed_age' }, 'gt', 'P300D'), events })).toBe(
    '0 1 2',
  );
  expect(await found({ condition: is({ field: 'customer_risk' }, 'eq', 'high'), ...whole })).toBe('0 1 2');
  expect(await found({ condition: is({ field: 'customer_risk' }, 'eq', 'medium'), events })).toBe('0 1 2');
  expect(await found({ condition: is({ field: 'kyc_status' }, 'ne', 'none'), ...whole })).toBe('0 1 2');
  expect(await found({ condition: is({ field: 'direction' }, 'eq', 'incoming'), ...whole })).toBe('2');
  expect(await found({ condition: is({ field: 'is_round_to', step: '100' }, 'eq', true), ...whole })).toBe(
    '0 2',
  );
  const hour = { field: 'local_hour', zone: 'Europe/Berlin' };
  const night = { left: hour, op: 'between', right: [{ value: '0' }, { value: '2' }] };
  expect(await found({ condition: night, ...whole })).toBe('1 2');
  const kinds = { more: { applies_to: ['incoming_transfer'] } };
  expect(await found({ condition: is(age, 'gte', 'PT0S'), ...whole, ...kinds })).toBe('2');
});

test('aggregates look at what fits their where, and count different values', async () => {
  const events = ['A', 'B', 'A', 'C'].map((counterparty, n) =>
    paid(`01T10:0${n}`, `${n}00.00`.replace(/^0/, '1'), { counterparty }),
  );
  const of = { over: 'outgoing', window: 'PT1H' };
  const distinct = { aggregate: 'count_distinct', field: 'counterparty', ...of };
  expect(await found({ condition: least(distinct, '3'), events })).toBe('3');
  const where = { left: { field: 'counterparty' }, op: 'eq', right: { value: 'A' } };
  expect(await found({ condition: least({ aggregate: 'count', where, ...of }, '2'), events })).toBe('2 3');
  const highest = { aggregate: 'max', field: 'amount', ...of };
  expect(await found({ condition: least(highest, '200'), events })).toBe('2 3');
});

test('events of different customers do not see each other, and fees are not seen at all', async () => {
  const events = [
    paid('01T10:00', '6000.00', { customer: 'ann' }),
    paid('01T10:01', '6000.00', { customer: 'ben' }),
    paid('01T10:02', '6000.00', { customer: 'ann', fee: true }),
    paid('01T10:03', '6000.00', { customer: 'ann' }),
  ];
  expect(await found({ condition: least(sum(), '12000'), events })).toBe('3');
});

test('a hit within the cooldown of the last one joins its flag', async () => {
  const events = ['01T10:00', '01T11:00', '01T12:59', '01T15:00'].map((time) => paid(time, '5.00'));
  const answer = await trial({
    ...{ condition: least({ field: 'amount' }, '1'), events, more: { cooldown: 'PT2H' } },
  });
  expect(answer.as(Result).hits.map(({ flag }) => flag)).toEqual([1, 1, 1, 2]);
});

test('an explanation says each value at that moment in a sentence', async () => {
  const answer = await trial({
    condition: { all: [least(sum(), '12000'), least({ field: 'amount' }, '1')] },
    events: [paid('01T10:00', '6000.00'), paid('01T11:00', '6000.50')],
  });
  expect(answer.as(Result).hits).toMatchObject([
    {
      index: 1,
      explanation: {
        text: 'sum of amount_base of outgoing movements within PT24H is 12000.5 (gte 12000); amount is 6000.5 (gte 1)',
        leaves: [
          { pointer: '/all/0', value: '12000.5', op: 'gte', against: '12000', outcome: true },
          { pointer: '/all/1', value: '6000.5', outcome: true },
        ],
      },
    },
  ]);
});

test.each([
  ['an unknown field', { left: { field: 'colour' }, op: 'eq', right: { value: 'red' } }, '/left/field'],
  ['a wrong type', least({ field: 'amount' }, 'red'), ''],
  ['an order of texts', least({ field: 'currency' }, 'EUR'), '/op'],
  ['an aggregate without a window', least({ aggregate: 'count', over: 'both' }, '1'), '/left/window'],
  ['a window over 400 days', least(sum({ window: 'P401D' }), '1'), '/left/window'],
  ['a window in months', least(sum({ window: 'P1M' }), '1'), '/left/window'],
  ['a sum without a field', least(sum({ field: 'currency' }), '1'), '/left/field'],
  ['an aggregate inside another', least(sum({ where: least(sum(), '1') }), '1'), '/left/where/left'],
  ['no zone', least({ field: 'local_hour' }, '1'), '/left/zone'],
  ['an empty group', { any: [] }, '/any'],
  ['an unknown operator', { left: { field: 'amount' }, op: 'like', right: { value: '1' } }, '/op'],
  ['no node', { some: [] }, ''],
  ['an unknown key', { left: { field: 'amount', unit: 'x' }, op: 'eq', right: { value: '1' } }, '/left/unit'],
  ['half a range', { left: { field: 'amount' }, op: 'between', right: [{ value: '1' }] }, '/right'],
  ['two constants', { left: { value: '1' }, op: 'eq', right: { value: '1' } }, ''],
])('%s is refused with the place of the node', async (_name, condition, pointer) => {
  const answer = await trial({ condition, events: [paid('01T10:00', '1.00')] });
  expect(answer.body).toMatchObject({
    status: 400,
    errors: [{ pointer: `/rule/condition${pointer}` }],
  });
});
