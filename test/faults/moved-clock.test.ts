/** The clock of a bank in development is moved forward: what waits for time happens in seconds, each thing at its own time. */
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { z } from 'zod';
import { runProcess } from '../../dev/service/process.ts';
import { TransferAnswer, type AccountAnswer, type Bank, type Person } from '../support/bank/bank.ts';
import { cardPlan, newCard } from '../support/bank/cards.ts';
import { apiClient, newKey, patiently } from '../support/client.ts';
import { openBranch, type Branch } from '../support/stack/branch.ts';
import { freePort, startService, until } from '../support/stack/processes.ts';
import { stack } from '../support/stack/stack.ts';

const Clock = z.object({ now: z.iso.datetime(), ahead_seconds: z.int() });

let branch: Branch;
let bank: Bank;
let railPort: number;
beforeAll(async () => {
  railPort = await freePort();
  branch = await openBranch({ settings: { NODE_ENV: 'development', RAIL_PORT: String(railPort) } });
  await Promise.all([branch.startApi(), branch.startWorker()]);
  ({ bank } = branch);
});
afterAll(async () => {
  await bank.expectBooksBalanced();
  await branch.close();
});

const api = () => apiClient(branch.api);
const time = async () => (await api().call('GET', '/v1/sandbox/clock')).as(Clock);

async function advance(by: string): Promise<void> {
  const answer = await api().call('POST', '/v1/sandbox/clock', { body: { advance: by } });
  expect(answer).toMatchObject({ status: 200 });
}

async function pair(amount: string): Promise<{ customer: Person; from: AccountAnswer; to: AccountAnswer }> {
  const customer = await bank.customer();
  return {
    customer,
    from: await bank.fundedAccount(customer, amount),
    to: await bank.account(await bank.customer()),
  };
}

const seen = (who: Person, path: string) => who.client.call('GET', path, { token: who.token });

test('a transfer that waits for its approval expires when its time is over, and its money is free', async () => {
  const { customer, from, to } = await pair('20000.00');
  const waiting = await bank.transfer(customer, { from: from.id, to: to.id, amount: '15000.00' });
  expect(waiting.body).toMatchObject({ status: 'pending_approval' });
  const { id } = waiting.as(TransferAnswer);
  await advance('PT1H');
  expect(await seen(customer, `/v1/transfers/${id}`)).toMatchObject({ body: { status: 'pending_approval' } });
  await advance('P8D');
  expect(await seen(customer, `/v1/transfers/${id}`)).toMatchObject({ body: { status: 'expired' } });
  expect(await bank.look(customer, from)).toMatchObject({ available: { amount: '20000.00' } });
});

/** The day on which a moment falls in the bank's zone. */
const bankDay = (moment: string) =>
  new Date(moment).toLocaleDateString('sv-SE', { timeZone: 'Europe/Berlin' });

const Planned = z.looseObject({ id: z.uuid(), next_on: z.string() });
const Runs = z.looseObject({
  runs: z.array(z.looseObject({ due_on: z.string(), status: z.string().nullable(), transfer_id: z.uuid() })),
});
const Made = z.looseObject({ created_at: z.iso.datetime() });

test('a standing order runs for a year, each month on its day', async () => {
  const { customer, from, to } = await pair('1000.00');
  const today = bankDay((await time()).now);
  const body = {
    ...{ source_account_id: from.id, destination: { account_id: to.id }, description: 'Pocket money' },
    ...{ amount: { amount: '10.00', currency: 'EUR' }, starts_on: today },
    repeat: { unit: 'month', every: 1 },
  };
  const planned = await customer.client.call('POST', '/v1/scheduled-transfers', {
    ...{ token: customer.token, key: newKey(), body },
    stepUp: await customer.stepUp('createScheduledTransfer', body),
  });
  expect(planned).toMatchObject({ status: 201 });
  const { id } = planned.as(Planned);
  // a move goes on in one leap when it has taken too long, so a slow machine gets time for every two weeks
  for (let weeks = 0; weeks < 52; weeks += 2) await advance('P14D');
  const { runs } = (await seen(customer, `/v1/scheduled-transfers/${id}`)).as(Runs);
  expect(runs.map(({ status }) => status)).toEqual(Array.from({ length: 12 }, () => 'executed'));
  for (const run of runs) {
    const { created_at: at } = (await seen(customer, `/v1/transfers/${run.transfer_id}`)).as(Made);
    expect(bankDay(at)).toBe(run.due_on);
  }
  expect(await bank.look(customer, from)).toMatchObject({ balance: { amount: '880.00' } });
}, 300_000);

const Id = z.looseObject({ id: z.uuid() });
const post = (who: Person, path: string, body: object) =>
  patiently(() => who.client.call('POST', path, { token: who.token, key: newKey(), body }));

test('a request for an account and a ticket without an answer end when their time is over', async () => {
  const customer = await bank.customer();
  const [type] = await bank.asOwner(`select id from account_types where code = 'business_eur'`);
  const request = await post(customer, '/v1/account-requests', { account_type_id: type?.['id'] });
  const ticket = await post(customer, '/v1/tickets', { subject: 'Card', body: 'Where is it?' });
  const support = await bank.admin('tickets:write', 'tickets:read');
  const answer = { body: 'Which one?' };
  const answered = await post(support, `/v1/admin/tickets/${ticket.as(Id).id}/messages`, answer);
  expect([request.status, ticket.status, answered.status]).toEqual([201, 201, 201]);
  await advance('P31D');
  const paths = [`/v1/account-requests/${request.as(Id).id}`, `/v1/tickets/${ticket.as(Id).id}`];
  const ends = await Promise.all(paths.map((path) => seen(customer, path)));
  expect(ends.map(({ body }) => body)).toMatchObject([{ status: 'expired' }, { status: 'closed' }]);
});

const Cards = z.object({ items: z.array(z.looseObject({ id: z.uuid(), replaces: z.uuid().nullable() })) });

test('a card is renewed before it expires, and its holder is without a card on no day', async () => {
  const holder = await bank.customer();
  const { productId } = await cardPlan(bank, { validity_months: 2 });
  const first = await newCard(bank, holder, productId);
  const active = async () => (await seen(holder, '/v1/cards?status=active')).as(Cards).items;
  for (let week = 0; week < 14; week += 1) {
    await advance('P7D');
    expect(await active()).not.toEqual([]);
  }
  expect(await seen(holder, `/v1/cards/${first.id}`)).toMatchObject({
    body: { status: 'closed', closed_reason: 'expired' },
  });
  const next = (await seen(holder, '/v1/cards'))
    .as(Cards)
    .items.find(({ replaces }) => replaces === first.id);
  expect(next).toBeDefined();
  // every day between two looks: the next one came before the last day of the first, which went on to its end
  const [days] = await bank.asOwner(
    `select bank_day(n.activated_at) < o.expires_on as "inTime", bank_day(o.closed_at) > o.expires_on as "toItsEnd"
       from cards o join cards n on n.replaces = o.id where o.id = $1`,
    [first.id],
  );
  expect(days).toEqual({ inTime: true, toItsEnd: true });
}, 300_000);

test('logins keep the time of the machine, and the clock stays moved when the service is started again', async () => {
  const customer = await bank.customer();
  const before = await time();
  await advance('P1D');
  expect(await seen(customer, '/v1/accounts')).toMatchObject({ status: 200 });
  await branch.killApi();
  await branch.startApi();
  const after = await time();
  expect(after.ahead_seconds).toBe(before.ahead_seconds + 86_400);
  expect(Date.parse(after.now) - Date.now()).toBeGreaterThan(after.ahead_seconds * 1_000 - 60_000);
});

test('a hold is released at the end of its time', async () => {
  const { customer, from } = await pair('100.00');
  const [made] = await bank.asOwner(
    `select hold_id as id from hold_open('test', uuidv7(), $1, 'EUR', 3000, bank_now() + interval '7 days', false)`,
    [from.id],
  );
  expect(await bank.look(customer, from)).toMatchObject({ available: { amount: '70.00' } });
  await advance('P30D');
  expect(await bank.look(customer, from)).toMatchObject({ available: { amount: '100.00' } });
  const [hold] = await bank.asOwner(
    `select status, resolved_at < expires_at + interval '1 hour' as "inTime" from holds where id = $1`,
    [made?.['id']],
  );
  expect(hold).toEqual({ status: 'expired', inTime: true });
});

test('the clock is moved forward only, by a duration that has a fixed length', async () => {
  for (const advance of ['PT0S', '-P1D', 'P1M', 'P1Y', '1 day', 'P99999D', 86_400]) {
    const answer = await api().call('POST', '/v1/sandbox/clock', { body: { advance } });
    expect(answer).toMatchObject({ status: 400, body: { code: 'invalid_request' } });
  }
});

test.each([
  ['day', '2026-03-29T10:00:00Z', '2026-03-28T23:00:00.000Z', '2026-03-29T22:00:00.000Z'],
  ['week', '2026-03-29T10:00:00Z', '2026-03-22T23:00:00.000Z', '2026-03-29T22:00:00.000Z'],
  ['month', '2026-10-31T23:30:00Z', '2026-10-31T23:00:00.000Z', '2026-11-30T23:00:00.000Z'],
  ['PT24H', '2026-03-29T10:00:00Z', '2026-03-28T10:00:00.000Z', '2026-03-29T10:00:00.000Z'],
  ['ever', '2026-03-29T10:00:00Z', null, null],
])('the period %s of a limit at %s is told by the rule that counts', async (period, at, from, until) => {
  const body = { rule: 'limit_period', at, period };
  expect(await api().call('POST', '/v1/sandbox/when', { body })).toMatchObject({
    status: 200,
    body: { from, until },
  });
});

test.each([
  ['02/28', '2028-02-29T23:00:00.000Z'],
  ['06/30', '2030-06-30T22:00:00.000Z'],
  ['12/27', '2027-12-31T23:00:00.000Z'],
])(
  'a card with the expiry %s is valid to the end of its month in the time of the bank',
  async (expiry, last) => {
    const body = { rule: 'card_expiry', expiry };
    expect(await api().call('POST', '/v1/sandbox/when', { body })).toMatchObject({
      status: 200,
      body: { until: last },
    });
  },
);

test('the sandbox rail is controlled through the API, and refuses a payment that it is told to refuse', async () => {
  const rail = await startService('clock-rail', 'dev/rail/sandbox.ts', branch.env);
  try {
    await until(async () => (await api().call('GET', '/v1/sandbox/rail/log')).status === 200);
    const fault = { call: 'payment', fault: 'refuse', times: 2 };
    expect(await api().call('POST', '/v1/sandbox/rail/faults', { body: fault })).toMatchObject({
      status: 200,
      body: { faults: [fault] },
    });
    expect(await api().call('DELETE', '/v1/sandbox/rail/faults')).toMatchObject({ body: { faults: [] } });
    expect(await api().call('GET', '/v1/sandbox/rail/log')).toMatchObject({
      status: 200,
      body: { items: [] },
    });
  } finally {
    await rail.stop();
  }
  expect(await api().call('GET', '/v1/sandbox/rail/log')).toMatchObject({ status: 503 });
});

test('outside development there is no sandbox, and a database whose clock was moved is refused', async () => {
  for (const path of ['/v1/sandbox/clock', '/v1/sandbox/rail/log', '/v1/sandbox/when'])
    expect(await apiClient(stack.api).call('GET', path)).toMatchObject({ status: 404 });
  const said: string[] = [];
  const output = {
    name: 'migrate',
    runFolder: stack.runFolder,
    output: { line: (text: string) => void said.push(text) },
  };
  const env = { ...branch.env, NODE_ENV: 'production', RAIL_PORT: '' };
  await expect(runProcess('db/migrate.ts', env, output)).rejects.toThrow();
  expect(said.join('\n')).toContain('The clock of this database was moved forward');
});
