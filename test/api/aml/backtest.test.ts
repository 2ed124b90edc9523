/** What a rule would have found in the bank's own past, and what it has found. */
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { z } from 'zod';
import { openBank, type Bank, type Person } from '../../support/bank/bank.ts';
import { openWatch, payIn, payingPair, type Pair, type Watch } from '../../support/bank/watch.ts';
import { newKey, patiently, type Answered } from '../../support/client.ts';

let bank: Bank;
let watch: Watch;
let analyst: Person;
beforeAll(async () => {
  bank = openBank();
  watch = await openWatch(bank);
  analyst = await bank.admin('aml:read');
});
afterAll(async () => {
  await watch.close();
  await bank.close();
});

const FROM = '2026-01-01T00:00:00.000Z';
const Result = z.looseObject({
  hits: z.int(),
  customers: z.int(),
  already_flagged: z.int(),
  days: z.array(z.looseObject({ hits: z.int() })),
  samples: z.array(
    z.looseObject({
      customer_id: z.uuid(),
      subject: z.object({ id: z.uuid() }),
      explanation: z.looseObject({ text: z.string() }),
    }),
  ),
});
/** Of payments to the payee: the sum of an hour is above this. So much that no movement of another test could be meant. */
const above = ({ counterparty }: Pair, value: string) => ({
  all: [
    { left: { field: 'counterparty' }, op: 'eq', right: { value: counterparty } },
    {
      left: { aggregate: 'sum', over: 'outgoing', field: 'amount_base', window: 'PT1H' },
      op: 'gt',
      right: { value },
    },
  ],
});
/** One at a time looks at the past; whoever would wait long for others is asked to come again. */
const backtest = (condition: object, more: object = {}): Promise<Answered> =>
  patiently(() =>
    analyst.client.call('POST', '/v1/admin/aml/rules/backtest', {
      ...{ token: analyst.token, key: newKey() },
      body: { rule: { applies_to: ['outgoing_transfer'], condition }, from: FROM, ...more },
    }),
  );

test('a backtest finds what the rule has found when the money moved, and explains it alike', async () => {
  const world = await payingPair(bank);
  const condition = above(world, '14000');
  const rule = await watch.liveRule(world.counterparty, { action: 'flag', condition });
  for (const amount of ['5000.00', '9000.00', '0.01', '5000.00']) await payIn(bank, world, amount);
  const hits = await bank.asOwner(
    'select subject_id, explanation from aml_hits where rule_id = $1 order by id desc',
    [rule],
  );
  const found = (await backtest(condition)).as(Result);
  expect(found).toMatchObject({ hits: 2, customers: 1, already_flagged: 2, days: [{ hits: 2 }] });
  expect(found.samples.map(({ subject }) => subject.id)).toEqual(hits.map((hit) => hit['subject_id']));
  expect(found.samples.map(({ explanation }) => explanation.text)).toEqual(
    hits.map((hit) => z.looseObject({ text: z.string() }).parse(hit['explanation']).text),
  );
});

test('a backtest looks at the time that is asked for, and counts what happened before it too', async () => {
  const world = await payingPair(bank);
  await payIn(bank, world, '6000.00');
  const [row] = await bank.asOwner('select max(at) as at from aml_movements where customer_id = $1', [
    world.payer.id,
  ]);
  const from = new Date(z.date().parse(row?.['at']).getTime() + 1).toISOString();
  await payIn(bank, world, '6000.00');
  expect((await backtest(above(world, '5000'))).body).toMatchObject({ hits: 2 });
  expect((await backtest(above(world, '9000'), { from })).body).toMatchObject({ hits: 1 });
  expect((await backtest(above(world, '5000'), { to: from })).body).toMatchObject({ hits: 1 });
  expect((await backtest(above(world, '5000'), { to: FROM })).status).toBe(400);
});

test('a backtest in small parts finds what one part finds', async () => {
  const world = await payingPair(bank);
  for (const amount of ['6000.00', '4000.00', '3000.00']) await payIn(bank, world, amount);
  const rule = JSON.stringify({ applies_to: ['outgoing_transfer'], condition: above(world, '5000') });
  // from the first movement of the payer until after the last: those of all other tests would take minutes
  let place: unknown[] = [world.payer.id, FROM, 0, null];
  const sum = { hits: 0, customers: 0, looked: 0 };
  for (;;) {
    const [part] = await bank.asOwner(
      `select looked, next_customer, next_at, next_seq, summary->>'last' as last, (summary->>'customers')::int as customers,
         coalesce((select sum((d->>'hits')::int) from jsonb_array_elements(summary->'days') d), 0)::int as hits
         from aml_backtest($1, '2026-01-01', bank_now(), $2, $3, $4, $5, 2) where looked is not null`,
      [rule, ...place],
    );
    if (part === undefined) continue;
    sum.hits += Number(part['hits']);
    sum.customers += Number(part['customers']);
    sum.looked += Number(part['looked']);
    if (Number(part['looked']) < 2 || part['next_customer'] !== world.payer.id) break;
    place = [part['next_customer'], part['next_at'], part['next_seq'], part['last'] ?? place[3]];
  }
  expect(sum).toMatchObject({ hits: 3, customers: 1 });
});

test('a backtest gives way to another one, and is refused for a rule that reads too much', async () => {
  const world = await payingPair(bank);
  await payIn(bank, world, '6000.00');
  const condition = above(world, '5000');
  const answers = await Promise.all([1, 2, 3].map(() => backtest(condition)));
  expect(answers.map(({ body }) => body)).toMatchObject([{ hits: 1 }, { hits: 1 }, { hits: 1 }]);
});

test('figures of a rule: hits, what became of its flags, and what it held', async () => {
  const world = await payingPair(bank);
  const rule = await watch.liveRule(world.counterparty, {});
  const reviewer = await bank.admin('aml:review');
  const other = await bank.admin('aml:review');
  for (const amount of ['10.00', '20.00', '30.00', '40.50']) await payIn(bank, world, amount);
  const flags = await bank.asOwner('select id from aml_flags where rule_id = $1 order by number', [rule]);
  const post = (person: Person, path: string, body: object) =>
    person.client.call('POST', `/v1/admin/aml/flags/${path}`, { token: person.token, key: newKey(), body });
  const note = 'Looked at by a test.';
  for (const [place, resolution] of ['cleared', 'false_positive'].entries())
    await post(reviewer, `${String(flags[place]?.['id'])}/resolve`, { resolution, note });
  for (const person of [reviewer, other]) await post(person, `${String(flags[2]?.['id'])}/confirm`, { note });
  const figures = async (query: string): Promise<unknown> =>
    (
      await analyst.client.call('GET', `/v1/admin/aml/rules/${rule}/figures${query}`, {
        token: analyst.token,
      })
    ).body;
  expect(await figures('')).toMatchObject({
    ...{ hits: 4, not_checked: 0, suppressed: 0, shadow: 0 },
    held: { movements: 4, amount: '100.50', currency: 'EUR' },
    flags: { open: 1, cleared: 1, false_positive: 1, confirmed: 1 },
    ...{ false_positive_share: '0.3333', median_seconds_to_resolve: expect.any(Number) },
  });
  expect(await figures(`?from=${FROM}&to=2026-01-02T00:00:00Z`)).toMatchObject({
    ...{ hits: 0, flags: { open: 0, cleared: 0 }, held: { amount: '0.00' } },
    ...{ false_positive_share: null, median_seconds_to_resolve: null },
  });
});
