/** Transfers for later: planned by their customer, begun when their day has come, once. */
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { z } from 'zod';
import { openBank, type AccountAnswer, type Bank, type Person } from '../../support/bank/bank.ts';
import { newKey, type Answered } from '../../support/client.ts';
import { until } from '../../support/stack/processes.ts';
import { runRound } from '../../support/stack/schedules.ts';
import { transferType } from '../../support/bank/transfers.ts';

let bank: Bank;
beforeAll(() => {
  bank = openBank();
});
afterAll(async () => {
  await bank.expectBooksBalanced();
  await bank.close();
});

const Planned = z.looseObject({
  id: z.uuid(),
  next_on: z.string().nullable(),
  status: z.string(),
  runs: z
    .array(
      z.object({
        due_on: z.string(),
        status: z.string().nullable(),
        refusal: z.string().nullable(),
        transfer_id: z.string(),
      }),
    )
    .optional(),
});

const berlin = (days: number): string =>
  new Date(Date.now() + days * 86_400_000).toLocaleDateString('sv-SE', { timeZone: 'Europe/Berlin' });

async function payer(amount = '100.00'): Promise<Ends> {
  const customer = await bank.customer();
  return {
    customer,
    from: await bank.fundedAccount(customer, amount),
    to: await bank.account(await bank.customer()),
  };
}

interface Ends {
  readonly customer: Person;
  readonly from: AccountAnswer;
  readonly to: AccountAnswer;
}

async function plan(who: Ends, more: object): Promise<Answered> {
  const body = {
    source_account_id: who.from.id,
    destination: { account_id: who.to.id },
    amount: { amount: '10.00', currency: 'EUR' },
    description: 'Pocket money',
    ...more,
  };
  return who.customer.client.call('POST', '/v1/scheduled-transfers', {
    token: who.customer.token,
    stepUp: await who.customer.stepUp('createScheduledTransfer', body),
    key: newKey(),
    body,
  });
}

const see = async (customer: Person, id: string) =>
  (await customer.client.call('GET', `/v1/scheduled-transfers/${id}`, { token: customer.token })).as(Planned);

test('what is planned for today is carried out, and completed', async () => {
  const who = await payer();
  const planned = await plan(who, { starts_on: berlin(0) });
  expect(planned).toMatchObject({ status: 201, body: { status: 'active', next_on: berlin(0) } });
  const { id } = planned.as(Planned);
  await runRound('scheduledTransfers');
  await until(async () => (await see(who.customer, id)).runs?.[0]?.status === 'executed');
  expect(await see(who.customer, id)).toMatchObject({ status: 'completed', next_on: null });
  expect(await bank.look(who.customer, who.from)).toMatchObject({ balance: { amount: '90.00' } });
});

test('a standing order goes on to its next day, and a day is begun once, also by rounds at the same moment', async () => {
  const who = await payer();
  const { id } = (await plan(who, { starts_on: berlin(0), repeat: { unit: 'day', every: 2 } })).as(Planned);
  await Promise.all([
    runRound('scheduledTransfers'),
    runRound('scheduledTransfers'),
    runRound('scheduledTransfers'),
  ]);
  await until(async () => (await see(who.customer, id)).runs?.[0]?.status === 'executed');
  expect(await see(who.customer, id)).toMatchObject({ status: 'active', next_on: berlin(2), runs: [{}] });
  expect(await bank.look(who.customer, who.from)).toMatchObject({ balance: { amount: '90.00' } });
});

test('days that were missed are made up for, one after the other', async () => {
  const who = await payer();
  const { id } = (await plan(who, { starts_on: berlin(0), repeat: { unit: 'day' } })).as(Planned);
  await bank.asOwner(
    'update scheduled_transfers set starts_on = starts_on - 2, next_on = next_on - 2 where id = $1',
    [id],
  );
  for (let day = 0; day < 3; day++) await runRound('scheduledTransfers');
  await until(
    async () =>
      ((await see(who.customer, id)).runs ?? []).filter(({ status }) => status === 'executed').length === 3,
  );
  expect(await see(who.customer, id)).toMatchObject({ next_on: berlin(1) });
});

test('the 31st comes back after a shorter month', async () => {
  const [days] = await bank.asOwner(
    `select array(select next_occurrence('2027-01-31', 'month', 1, n)::text from generate_series(0, 3) n) as days`,
  );
  expect(days).toEqual({ days: ['2027-01-31', '2027-02-28', '2027-03-31', '2027-04-30'] });
});

test('what cannot be paid moves nothing, says why, and leaves the next day as it was', async () => {
  const who = await payer('5.00');
  const { id } = (await plan(who, { starts_on: berlin(0), repeat: { unit: 'week' } })).as(Planned);
  await runRound('scheduledTransfers');
  await until(async () => (await see(who.customer, id)).runs?.[0]?.refusal != null);
  expect(await see(who.customer, id)).toMatchObject({
    status: 'active',
    next_on: berlin(7),
    runs: [{ refusal: 'insufficient_funds', status: null }],
  });
  expect(await bank.look(who.customer, who.from)).toMatchObject({
    balance: { amount: '5.00' },
    held: { amount: '0.00' },
  });
});

test('what is cancelled does not happen, and is cancelled once', async () => {
  const who = await payer();
  const { id } = (await plan(who, { starts_on: berlin(0) })).as(Planned);
  const cancel = async () =>
    who.customer.client.call('POST', `/v1/scheduled-transfers/${id}/cancel`, {
      token: who.customer.token,
      stepUp: await who.customer.stepUp('cancelScheduledTransfer'),
      key: newKey(),
    });
  expect(await cancel()).toMatchObject({ status: 200, body: { status: 'cancelled', next_on: null } });
  expect((await cancel()).body).toMatchObject({ code: 'schedule_not_active' });
  await runRound('scheduledTransfers');
  expect((await see(who.customer, id)).runs).toEqual([]);
});

test.each([
  ['yesterday', -1],
  ['in two years', 730],
])('a first day %s is refused', async (_when, days) => {
  const answer = await plan(await payer(), { starts_on: berlin(days) });
  expect(answer).toMatchObject({ status: 400, body: { errors: [{ pointer: '/starts_on' }] } });
});

describe('an account that is closed', () => {
  async function close(owner: Person, id: string): Promise<void> {
    const answer = await owner.client.call('POST', `/v1/accounts/${id}/close`, {
      token: owner.token,
      stepUp: await owner.stepUp('closeAccount'),
      key: newKey(),
    });
    expect(answer).toMatchObject({ status: 200, body: { status: 'closed' } });
  }

  test('ends what its owner has planned from it and into it, and nothing else', async () => {
    const customer = await bank.customer();
    const [closing, other, third] = [
      await bank.account(customer),
      await bank.account(customer),
      await bank.account(customer),
    ];
    const planned = async (from: AccountAnswer, to: AccountAnswer) =>
      (await plan({ customer, from, to }, { starts_on: berlin(1), repeat: { unit: 'day' } })).as(Planned).id;
    const [out, into, beside] = [
      await planned(closing, other),
      await planned(other, closing),
      await planned(other, third),
    ];
    const tenant = await bank.customer();
    const rent = { customer: tenant, from: await bank.account(tenant), to: closing };
    const { id: theirs } = (await plan(rent, { starts_on: berlin(1), repeat: { unit: 'day' } })).as(Planned);
    await close(customer, closing.id);
    expect(await see(tenant, theirs)).toMatchObject({ status: 'active', next_on: berlin(1) });
    for (const id of [out, into])
      expect(await see(customer, id)).toMatchObject({ status: 'cancelled', next_on: null });
    expect(await see(customer, beside)).toMatchObject({ status: 'active', next_on: berlin(1) });
    const lines = await bank.asOwner(
      `select actor_id, before->>'next_on' as next_on from audit_log where action = 'scheduled_transfer.cancelled' and subject_id = any($1)`,
      [[out, into, beside]],
    );
    expect(lines).toEqual([out, into].map(() => ({ actor_id: customer.id, next_on: berlin(1) })));
  });

  test('is none to plan with', async () => {
    const customer = await bank.customer();
    const [from, to] = [await bank.account(customer), await bank.account(customer)];
    await close(customer, to.id);
    for (const who of [
      { customer, from, to },
      { customer, from: to, to: from },
    ])
      expect(await plan(who, { starts_on: berlin(1) })).toMatchObject({
        status: 409,
        body: { code: 'account_closed' },
      });
  });
});

test('a first day of no calendar is refused', async () => {
  const answer = await plan(await payer(), { starts_on: '0000-01-01' });
  expect(answer).toMatchObject({ status: 400, body: { errors: [{ pointer: '/starts_on' }] } });
});

test('a type that could never carry it out is refused when it is planned', async () => {
  const who = await payer();
  const off = await transferType(bank);
  await bank.asOwner('update transfer_types set enabled = false where code = $1', [off]);
  const types = [
    'no_such_type',
    off,
    await transferType(bank, { reach: 'own' }),
    await transferType(bank, { assets: ['USD'] }),
  ];
  for (const type of types)
    expect(await plan(who, { type, starts_on: berlin(1) })).toMatchObject({
      status: 409,
      body: { code: 'transfer_type_unavailable' },
    });
  const type = await transferType(bank);
  expect(await plan(who, { type, starts_on: berlin(1) })).toMatchObject({ status: 201, body: { type } });
});

test('a currency that is none is refused', async () => {
  const answer = await plan(await payer(), {
    destination: { iban: 'FR1420041010050500013M02606', name: 'Hélène Müller' },
    target_currency: 'XXX',
    starts_on: berlin(1),
  });
  expect(answer).toMatchObject({ status: 400, body: { errors: [{ pointer: '/target_currency' }] } });
});

test('an end before the beginning is refused', async () => {
  const answer = await plan(await payer(), {
    starts_on: berlin(3),
    repeat: { unit: 'day', ends_on: berlin(2) },
  });
  expect(answer).toMatchObject({ status: 400, body: { errors: [{ pointer: '/repeat/ends_on' }] } });
});
