/** What live rules do to payments. Each test has a rule of its own that looks only at its own customer. */
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { z } from 'zod';
import { openBank, TransferAnswer, type Bank, type Person } from '../../support/bank/bank.ts';
import { openWatch, payIn, payingPair, type Pair, type Watch } from '../../support/bank/watch.ts';
import { newKey } from '../../support/client.ts';

let bank: Bank;
let watch: Watch;
let writer: Person;
beforeAll(async () => {
  bank = openBank();
  watch = await openWatch(bank);
  writer = watch.writer;
});
afterAll(async () => {
  await watch.close();
  await bank.close();
});

const pair = () => payingPair(bank);
const liveRule = (counterparty: string, more: object, limit: object): Promise<string> =>
  watch.liveRule(counterparty, more, limit);
const over = (value: string) => ({ left: { field: 'amount' }, op: 'gt', right: { value } });
const pay = (world: Pair, amount: string) => payIn(bank, world, amount);
const hitsOf = (rule: string) =>
  bank.asOwner(
    `select h.outcome, h.held, f.status, f.reason from aml_hits h left join aml_flags f on f.id = h.flag_id
      where h.rule_id = $1 order by h.id`,
    [rule],
  );
const statusInBooks = async (id: string) => {
  const [row] = await bank.asOwner('select status from transfers where id = $1', [id]);
  return row?.['status'];
};

test('a rule that holds leaves the payment pending, with its flag and its hold', async () => {
  const world = await pair();
  const rule = await liveRule(world.counterparty, {}, over('100'));
  expect((await pay(world, '100.00')).body).toMatchObject({ status: 'executed' });
  const held = (await pay(world, '100.01')).as(TransferAnswer);
  expect(held.status).toBe('pending_approval');
  expect(await statusInBooks(held.id)).toBe('aml_review');
  expect(await hitsOf(rule)).toEqual([{ outcome: 'hit', held: true, status: 'open', reason: 'hit' }]);
  expect(await bank.look(world.payer, world.from)).toMatchObject({ available: { amount: '49799.99' } });
});

test('a rule that flags lets the payment pass, and one that blocks refuses it without a word of why', async () => {
  const world = await pair();
  const flags = await liveRule(world.counterparty, { action: 'flag' }, over('100'));
  const blocks = await liveRule(world.counterparty, { action: 'block' }, over('200'));
  expect((await pay(world, '150.00')).body).toMatchObject({ status: 'executed' });
  const refused = await pay(world, '250.00');
  expect(refused.body).toMatchObject({ status: 409, code: 'transfer_declined' });
  expect(refused.text).not.toMatch(/aml|rule|flag|watch/i);
  expect(await hitsOf(flags)).toMatchObject([{ outcome: 'hit', held: false }, { outcome: 'hit' }]);
  expect(await hitsOf(blocks)).toMatchObject([{ outcome: 'hit', held: false, status: 'open' }]);
});

test('a rule in shadow records what it would hit, and holds nothing', async () => {
  const world = await pair();
  const known = { left: { field: 'counterparty' }, op: 'eq', right: { value: world.counterparty } };
  const body = {
    ...{ code: `h${newKey().replaceAll('-', '')}`, name: 'Of a test', severity: 'high', action: 'block' },
    ...{ applies_to: ['outgoing_transfer'], status: 'shadow', condition: known },
  };
  const call = { token: writer.token, key: newKey(), body };
  const rule = await writer.client.call('POST', '/v1/admin/aml/rules', call);
  expect(rule.status).toBe(201);
  expect((await pay(world, '5.00')).body).toMatchObject({ status: 'executed' });
  const { id } = rule.as(z.looseObject({ id: z.uuid() }));
  watch.ends(id);
  expect(await hitsOf(id)).toEqual([{ outcome: 'shadow', held: false, status: null, reason: null }]);
});

test('what could not be checked is held', async () => {
  const world = await pair();
  const none = { aggregate: 'count', over: 'incoming', window: 'PT1S', include_current: false };
  const share = { div: [{ field: 'amount' }, none] };
  const rule = await liveRule(
    world.counterparty,
    { action: 'flag' },
    { left: share, op: 'gt', right: { value: '1' } },
  );
  const { id } = (await pay(world, '5.00')).as(TransferAnswer);
  expect(await statusInBooks(id)).toBe('aml_review');
  expect(await hitsOf(rule)).toEqual([
    { outcome: 'not_checked', held: true, status: 'open', reason: 'not_checked' },
  ]);
});

test('of twenty payments of 1,000 at one moment exactly nine pass a rule that holds 10,000 within a day', async () => {
  const world = await pair();
  const sum = {
    aggregate: 'sum',
    over: 'outgoing',
    field: 'amount_base',
    window: 'PT24H',
    include_current: true,
  };
  const rule = await liveRule(world.counterparty, {}, { left: sum, op: 'gte', right: { value: '10000' } });
  const answers = await Promise.all(Array.from({ length: 20 }, () => pay(world, '1000.00')));
  const statuses = answers.map((answer) => answer.as(TransferAnswer).status);
  expect(statuses.filter((status) => status === 'executed')).toHaveLength(9);
  expect(statuses.filter((status) => status === 'pending_approval')).toHaveLength(11);
  expect(await hitsOf(rule)).toHaveLength(11);
  await bank.expectBooksBalanced();
});

test('hits within the cooldown join the open flag', async () => {
  const world = await pair();
  const rule = await liveRule(world.counterparty, { cooldown: 'PT1H' }, over('1'));
  for (const amount of ['5.00', '6.00']) await pay(world, amount);
  const [row] = await bank.asOwner(
    `select count(distinct h.flag_id)::int as flags, count(*)::int as hits from aml_hits h where h.rule_id = $1`,
    [rule],
  );
  expect(row).toEqual({ flags: 1, hits: 2 });
});

test('a rule for incoming movements judges what a customer receives', async () => {
  const world = await pair();
  const [row] = await bank.asOwner('select iban, number from accounts where id = $1', [world.from.id]);
  const payer = String(row?.['iban'] ?? row?.['number']);
  const rule = await liveRule(payer, { applies_to: ['incoming_transfer'], action: 'flag' }, over('10'));
  await pay(world, '10.00');
  await pay(world, '11.00');
  expect(await hitsOf(rule)).toHaveLength(1);
});

test('a rule that would read too many movements is refused for going live, with the estimate', async () => {
  const customer = await bank.customer();
  await bank.asOwner(
    `insert into aml_movements (customer_id, seq, at, kind, direction, subject_type, subject_id, asset, amount, amount_base,
       out_count, out_base, out_unrated, in_count, in_base, in_unrated)
     select $1, n, bank_now() - interval '1 hour', 'outgoing_transfer', 'outgoing', 'transfer', uuidv7(), 'EUR', 1, 1, n - 1, n - 1, 0, 0, 0, 0
       from generate_series(1, 1001) n`,
    [customer.id],
  );
  const where = { left: { field: 'currency' }, op: 'eq', right: { value: 'EUR' } };
  const count = { aggregate: 'count', over: 'outgoing', window: 'PT2H' };
  const rule = (left: object) => ({
    ...{ code: `h${newKey().replaceAll('-', '')}`, name: 'Of a test', severity: 'low', action: 'flag' },
    ...{ applies_to: ['crypto_deposit'], status: 'live' },
    condition: { left, op: 'gt', right: { value: '1' } },
  });
  const ask = (left: object) =>
    writer.client.call('POST', '/v1/admin/aml/rules', {
      token: writer.token,
      key: newKey(),
      body: rule(left),
    });
  const refused = await ask({ ...count, where });
  expect(refused.body).toMatchObject({ status: 409, code: 'rule_too_costly', most: 1000 });
  expect(refused.as(z.looseObject({ movements: z.int() })).movements).toBeGreaterThanOrEqual(1001);
  expect((await ask(count)).status).toBe(202);
});
