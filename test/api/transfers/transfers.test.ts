/** Money over HTTP: what a customer and the back office can do, and what they cannot. */
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import { z } from 'zod';
import { Client, Connection } from '@temporalio/client';
import {
  openBank,
  transferBody,
  TransferAnswer,
  type AccountAnswer,
  type Bank,
  type Person,
} from '../../support/bank/bank.ts';
import { newKey, type Answered } from '../../support/client.ts';
import { untilStarted } from '../../support/processes/started.ts';
import { stack } from '../../support/stack/stack.ts';

let bank: Bank;
beforeAll(() => {
  bank = openBank();
});
afterAll(async () => {
  await bank.expectBooksBalanced();
  await bank.close();
});

interface Pair {
  readonly customer: Person;
  readonly from: AccountAnswer;
  readonly to: AccountAnswer;
}

async function pair(amount: string, type?: string): Promise<Pair> {
  const customer = await bank.customer();
  return {
    customer,
    from: await bank.fundedAccount(customer, amount, type),
    to: await bank.account(customer, type),
  };
}

const codes = (answer: Answered): unknown =>
  z.looseObject({ code: z.string().optional() }).parse(answer.body).code ?? answer.status;
const admin = async (path: string, who: Person, body: object = {}): Promise<Answered> =>
  who.client.call('POST', `/v1/admin/transfers/${path}`, { token: who.token, key: newKey(), body });

test('a transfer below the threshold is booked at once on both sides', async () => {
  const { customer, from, to } = await pair('100.00');
  const answer = await bank.transfer(customer, {
    from: from.id,
    to: to.id,
    amount: '30.10',
    description: 'Rent',
  });
  expect(answer).toMatchObject({
    status: 201,
    body: { status: 'executed', amount: { amount: '30.10', currency: 'EUR' } },
  });
  expect(await bank.look(customer, from)).toMatchObject({
    balance: { amount: '69.90' },
    available: { amount: '69.90' },
  });
  expect(await bank.look(customer, to)).toMatchObject({ balance: { amount: '30.10' } });
  const history = await customer.client.call('GET', `/v1/accounts/${to.id}/transactions`, {
    token: customer.token,
  });
  expect(history.body).toMatchObject({
    items: [
      {
        direction: 'credit',
        amount: { amount: '30.10' },
        balance_after: { amount: '30.10' },
        description: 'Rent',
        counterparty: { account_number: from.number },
      },
    ],
    next_cursor: null,
  });
});

test('another customer can be paid by account number, and sees the payer’s number only', async () => {
  const { customer, from } = await pair('10.00');
  const friend = await bank.customer();
  const theirs = await bank.account(friend);
  const body = {
    source_account_id: from.id,
    destination: { account_number: theirs.number },
    amount: { amount: '4.00', currency: 'EUR' },
  };
  const answer = await customer.client.call('POST', '/v1/transfers', {
    ...{ token: customer.token, stepUp: await customer.stepUp('createTransfer', body), key: newKey(), body },
  });
  expect(answer.status).toBe(201);
  expect(await bank.look(friend, theirs)).toMatchObject({ balance: { amount: '4.00' } });
});

test('somebody else’s account cannot be a source, nor be looked into', async () => {
  const { from } = await pair('10.00');
  const stranger = await bank.customer();
  const mine = await bank.account(stranger);
  expect((await bank.transfer(stranger, { from: from.id, to: mine.id, amount: '1.00' })).status).toBe(404);
  expect(
    (await stranger.client.call('GET', `/v1/accounts/${from.id}`, { token: stranger.token })).status,
  ).toBe(404);
  expect(
    (await stranger.client.call('GET', `/v1/accounts/${from.id}/transactions`, { token: stranger.token }))
      .status,
  ).toBe(404);
});

test('five pending transfers of 2,000,000 pass on a balance of 10,000,000, the sixth finds the money held', async () => {
  const { customer, from, to } = await pair('10000000.00');
  const answers = await Promise.all(
    Array.from({ length: 8 }, () =>
      bank.transfer(customer, { from: from.id, to: to.id, amount: '2000000.00' }),
    ),
  );
  const statuses = answers.map((answer) => codes(answer)).sort();
  expect(statuses).toEqual([
    201,
    201,
    201,
    201,
    201,
    'insufficient_funds',
    'insufficient_funds',
    'insufficient_funds',
  ]);
  expect(await bank.look(customer, from)).toMatchObject({
    balance: { amount: '10000000.00' },
    held: { amount: '10000000.00' },
    available: { amount: '0.00' },
  });
});

test('the threshold itself passes, one cent more waits for an administrator', async () => {
  const { customer, from, to } = await pair('30000.00');
  expect(
    (await bank.transfer(customer, { from: from.id, to: to.id, amount: '10000.00' })).body,
  ).toMatchObject({ status: 'executed' });
  expect(
    (await bank.transfer(customer, { from: from.id, to: to.id, amount: '10000.01' })).body,
  ).toMatchObject({ status: 'pending_approval' });
});

describe('a pending transfer', () => {
  async function pending(payee?: AccountAnswer): Promise<Pair & { id: string }> {
    const made = await pair('20000.00');
    const answer = await bank.transfer(made.customer, {
      from: made.from.id,
      to: payee?.id ?? made.to.id,
      amount: '15000.00',
    });
    return { ...made, id: answer.as(TransferAnswer).id };
  }

  test('is listed for admins, and executing it books it', async () => {
    const { customer, from, to, id } = await pending();
    const reviewer = await bank.admin('transfers:read', 'transfers:review');
    const seen = await reviewer.client.call('GET', `/v1/admin/transfers/${id}`, { token: reviewer.token });
    expect(seen.body).toMatchObject({
      status: 'pending_approval',
      customer_id: customer.id,
      workflow_id: `transfer/${id}`,
    });
    const listed = await reviewer.client.call('GET', '/v1/admin/transfers/pending', {
      token: reviewer.token,
      query: { limit: '200' },
    });
    expect(listed.text).toContain(id);
    expect((await admin(`${id}/execute`, reviewer, { reason: 'called back' })).body).toMatchObject({
      status: 'executed',
      decided_by: reviewer.id,
      decision_reason: 'called back',
    });
    expect(await bank.look(customer, from)).toMatchObject({
      balance: { amount: '5000.00' },
      held: { amount: '0.00' },
    });
    expect(await bank.look(customer, to)).toMatchObject({ balance: { amount: '15000.00' } });
  });

  test('that is rejected frees the money and says who and why', async () => {
    const { customer, from, id } = await pending();
    const reviewer = await bank.admin('transfers:review');
    expect((await admin(`${id}/reject`, reviewer, { reason: 'unknown payee' })).body).toMatchObject({
      status: 'rejected',
      decision_reason: 'unknown payee',
    });
    expect(await bank.look(customer, from)).toMatchObject({ available: { amount: '20000.00' } });
    expect(codes(await admin(`${id}/execute`, reviewer))).toBe('transfer_not_pending');
  });

  test('can be cancelled by its customer, with step-up, once', async () => {
    const { customer, from, id } = await pending();
    const cancel = async (): Promise<Answered> =>
      customer.client.call('POST', `/v1/transfers/${id}/cancel`, {
        token: customer.token,
        stepUp: await customer.stepUp('cancelTransfer'),
        key: newKey(),
      });
    expect((await cancel()).body).toMatchObject({ status: 'cancelled' });
    expect(codes(await cancel())).toBe('transfer_not_pending');
    expect(await bank.look(customer, from)).toMatchObject({ available: { amount: '20000.00' } });
  });

  test('decided by two admins and its customer at once: one decision stands, the others learn it', async () => {
    const { customer, from, to, id } = await pending();
    const [one, two] = [await bank.admin('transfers:review'), await bank.admin('transfers:review')];
    const stepUp = await customer.stepUp('cancelTransfer');
    const answers = await Promise.all([
      admin(`${id}/execute`, one),
      admin(`${id}/reject`, two, { reason: 'no' }),
      customer.client.call('POST', `/v1/transfers/${id}/cancel`, {
        token: customer.token,
        stepUp,
        key: newKey(),
      }),
    ]);
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 409, 409]);
    const [left, right] = [await bank.look(customer, from), await bank.look(customer, to)];
    expect(left.held.amount).toBe('0.00');
    expect([left.balance.amount, right.balance.amount]).toEqual(
      answers[0]?.status === 200 ? ['5000.00', '15000.00'] : ['20000.00', '0.00'],
    );
  });

  test('repeating a decision with its key gives the first answer again', async () => {
    const { id } = await pending();
    const reviewer = await bank.admin('transfers:review');
    const key = newKey();
    const decide = (): Promise<Answered> =>
      reviewer.client.call('POST', `/v1/admin/transfers/${id}/execute`, {
        token: reviewer.token,
        key,
        body: {},
      });
    const [first, second] = [await decide(), await decide()];
    expect([first.status, second.status]).toEqual([200, 200]);
    expect(second.text).toBe(first.text);
    expect(second.headers.get('idempotent-replayed')).toBe('true');
  });

  test('decided many times at once with one key gives the same answer to all, also after the answer was lost', async () => {
    const { id } = await pending();
    const reviewer = await bank.admin('transfers:review');
    const key = newKey();
    const execute = (): Promise<Answered> =>
      reviewer.client.call('POST', `/v1/admin/transfers/${id}/execute`, {
        token: reviewer.token,
        key,
        body: {},
      });
    const answers = await Promise.all(Array.from({ length: 16 }, (_, n) => wait(n * 4).then(execute)));
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
    expect(new Set(answers.map(({ text }) => text)).size).toBe(1);
    // as where the API dies between the decision and its answer
    await bank.asOwner('update idempotency_keys set status = null, answer = null where key = $1', [key]);
    const again = await execute();
    expect([again.status, again.text]).toEqual([200, answers[0]?.text]);
    expect(codes(await admin(`${id}/execute`, reviewer))).toBe('transfer_not_pending');
  });

  test('is not approved by an admin whom it pays', async () => {
    const payee = await bank.admin('transfers:review');
    const { customer, from, id } = await pending(await bank.account(payee));
    expect(codes(await admin(`${id}/execute`, payee))).toBe('same_person');
    expect(await bank.look(customer, from)).toMatchObject({ held: { amount: '15000.00' } });
    // nor in SQL
    const [decided] = await bank.asOwner(
      `select refusal from transfer_decide($1, 'execute', $2, null, null, null)`,
      [id, payee.id],
    );
    expect(decided).toEqual({ refusal: 'same_person' });
    expect((await admin(`${id}/execute`, await bank.admin('transfers:review'))).status).toBe(200);
  });

  test.each(['cancelled', 'terminated'] as const)(
    'whose run an operator has %s can still be decided',
    async (how) => {
      const { customer, from, id } = await pending();
      const connection = await Connection.connect({ address: stack.temporal.address });
      const { workflow } = new Client({ connection, namespace: stack.temporal.namespace });
      const run = workflow.getHandle(`transfer/${id}`);
      await untilStarted(run);
      await (how === 'cancelled' ? run.cancel() : run.terminate('by a test'));
      await wait(500);
      expect(await bank.look(customer, from)).toMatchObject({ held: { amount: '15000.00' } });
      const reviewer = await bank.admin('transfers:review');
      expect((await admin(`${id}/reject`, reviewer, { reason: 'no' })).body).toMatchObject({
        status: 'rejected',
      });
      expect(await bank.look(customer, from)).toMatchObject({ available: { amount: '20000.00' } });
      await connection.close();
    },
  );
});

describe('an idempotency key', () => {
  test('sent fifty times at once moves the money once, and all answers are equal', async () => {
    const { customer, from, to } = await pair('100.00');
    const wish = { from: from.id, to: to.id, amount: '7.00', key: newKey() };
    const stepUp = await customer.stepUp('createTransfer', transferBody(wish));
    const answers = await Promise.all(
      Array.from({ length: 50 }, () => bank.transfer(customer, { ...wish, stepUp })),
    );
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([201]));
    expect(new Set(answers.map(({ text }) => text)).size).toBe(1);
    expect(await bank.look(customer, to)).toMatchObject({ balance: { amount: '7.00' } });
  });

  test('that was refused stays refused after the account is funded; a new one passes', async () => {
    const { customer, from, to } = await pair('1.00');
    const key = newKey();
    const wish = { from: from.id, to: to.id, amount: '50.00', key };
    expect(codes(await bank.transfer(customer, wish))).toBe('insufficient_funds');
    await bank.fund(from, '100.00');
    expect(codes(await bank.transfer(customer, wish))).toBe('insufficient_funds');
    expect(await bank.look(customer, to)).toMatchObject({ balance: { amount: '0.00' } });
    expect((await bank.transfer(customer, { ...wish, key: newKey() })).status).toBe(201);
  });

  test('with another amount is refused, without one nothing moves', async () => {
    const { customer, from, to } = await pair('10.00');
    const key = newKey();
    const wish = { from: from.id, to: to.id, amount: '1.00', key };
    expect((await bank.transfer(customer, wish)).status).toBe(201);
    expect(codes(await bank.transfer(customer, { ...wish, amount: '2.00' }))).toBe('idempotency_key_reused');
    const body = transferBody(wish);
    const without = await customer.client.call('POST', '/v1/transfers', {
      ...{ token: customer.token, stepUp: await customer.stepUp('createTransfer', body), body },
    });
    expect(codes(without)).toBe('idempotency_key_required');
    expect(await bank.look(customer, to)).toMatchObject({ balance: { amount: '1.00' } });
  });
});

describe('a quote', () => {
  const quote = (who: Person, from: string, to: string, amount: string): Promise<Answered> =>
    who.client.call('POST', '/v1/transfers/quote', {
      token: who.token,
      body: { source_account_id: from, destination: { account_id: to }, amount: { amount, currency: 'EUR' } },
    });
  const use = async (
    who: Person,
    quoteId: string,
    from: string,
    to: string,
    amount: string,
  ): Promise<Answered> => {
    const body = { ...transferBody({ from, to, amount }), quote_id: quoteId };
    const stepUp = await who.stepUp('createTransfer', body);
    return who.client.call('POST', '/v1/transfers', { token: who.token, stepUp, key: newKey(), body });
  };
  const idOf = (answer: Answered): string => answer.as(z.looseObject({ id: z.uuid() })).id;

  test('binds once: the second use, other numbers and another user’s are refused', async () => {
    const { customer, from, to } = await pair('100.00');
    const quoted = await quote(customer, from.id, to.id, '10.00');
    expect(quoted.body).toMatchObject({
      total_debit: { amount: '10.00' },
      fees: [],
      requires_approval: false,
    });
    const id = idOf(quoted);
    expect(codes(await use(customer, id, from.id, to.id, '11.00'))).toBe('quote_unusable');
    expect((await use(customer, id, from.id, to.id, '10.00')).status).toBe(201);
    expect(codes(await use(customer, id, from.id, to.id, '10.00'))).toBe('quote_unusable');
    const other = await pair('100.00');
    expect(codes(await use(other.customer, id, other.from.id, other.to.id, '10.00'))).toBe('not_found');
    expect(codes(await use(customer, randomUUID(), from.id, to.id, '10.00'))).toBe('not_found');
  });

  test('that has expired is refused', async () => {
    const { customer, from, to } = await pair('100.00');
    const id = idOf(await quote(customer, from.id, to.id, '10.00'));
    await bank.asOwner('update transfer_quotes set expires_at = now() where id = $1', [id]);
    expect(codes(await use(customer, id, from.id, to.id, '10.00'))).toBe('quote_unusable');
  });
});

describe('an adjustment', () => {
  const ask = async (
    maker: Person,
    account: { id: string },
    direction: string,
    amount: string,
    more: object = {},
  ): Promise<Answered> =>
    maker.client.call('POST', '/v1/admin/adjustments', {
      token: maker.token,
      key: newKey(),
      body: {
        account_id: account.id,
        direction,
        amount: { amount, currency: 'EUR' },
        reason: 'test',
        ...more,
      },
    });

  test('is executed by another admin only', async () => {
    const customer = await bank.customer();
    const account = await bank.account(customer);
    const [maker, checker] = [
      await bank.admin('adjustments:write', 'transfers:review'),
      await bank.admin('transfers:review'),
    ];
    const asked = await ask(maker, account, 'credit', '5.00');
    expect(asked).toMatchObject({
      status: 201,
      body: { status: 'pending_approval', kind: 'adjustment', reason: 'test' },
    });
    const { id } = asked.as(TransferAnswer);
    const own = await admin(`${id}/execute`, maker);
    expect([own.status, codes(own)]).toEqual([403, 'same_person']);
    expect((await admin(`${id}/execute`, checker)).body).toMatchObject({ status: 'executed' });
    expect(await bank.look(customer, account)).toMatchObject({ balance: { amount: '5.00' } });
  });

  const berlin = (days: number): string =>
    new Date(Date.now() + days * 86_400_000).toLocaleDateString('sv-SE', { timeZone: 'Europe/Berlin' });

  test.each([
    ['today', 0],
    ['some months ago', -300],
  ])('counts from %s, where it says so', async (_when, days) => {
    const account = await bank.account(await bank.customer());
    const valueDate = { value_date: berlin(days) };
    const asked = await ask(await bank.admin('adjustments:write'), account, 'credit', '5.00', valueDate);
    expect(asked).toMatchObject({ status: 201, body: valueDate });
  });

  test.each([
    ['tomorrow', berlin(1)],
    ['longer than a year ago', berlin(-367)],
    ['in a year that is not near', '2999-12-31'],
    ['before the bank', '1950-01-01'],
    ['in a year of no calendar', '0000-01-01'],
  ])('cannot count from a day %s', async (_when, value_date) => {
    const account = await bank.account(await bank.customer());
    const maker = await bank.admin('adjustments:write');
    expect(await ask(maker, account, 'credit', '5.00', { value_date })).toMatchObject({
      status: 400,
      body: { errors: [{ pointer: '/value_date', code: 'out_of_range' }] },
    });
  });

  test('that debits more than there is is refused at once', async () => {
    const customer = await bank.customer();
    const account = await bank.fundedAccount(customer, '3.00');
    expect(codes(await ask(await bank.admin('adjustments:write'), account, 'debit', '3.01'))).toBe(
      'insufficient_funds',
    );
  });
});

test.each([
  ['current_jpy', 'JPY', '1.5', 'too_many_digits'],
  ['current_eur', 'EUR', '0.00', 'not_positive'],
  ['current_eur', 'EUR', '-1.00', 'not_positive'],
  ['current_eur', 'EUR', '1e2', undefined],
])('an amount in %s of %s %s is refused with 400 at its pointer', async (type, currency, amount, code) => {
  const customer = await bank.customer();
  const [from, to] = [await bank.account(customer, type), await bank.account(customer, type)];
  const answer = await bank.transfer(customer, { from: from.id, to: to.id, amount, currency });
  expect(answer.status).toBe(400);
  expect(answer.body).toMatchObject({
    errors: [{ pointer: '/amount/amount', ...(code === undefined ? {} : { code }) }],
  });
});

test('a number as an amount is refused with 400', async () => {
  const customer = await bank.customer();
  const answer = await customer.client.call('POST', '/v1/transfers/quote', {
    token: customer.token,
    body: {
      source_account_id: randomUUID(),
      destination: { account_id: randomUUID() },
      amount: { amount: 1.5, currency: 'EUR' },
    },
  });
  expect(answer).toMatchObject({ status: 400, body: { errors: [{ pointer: '/amount/amount' }] } });
});

test('pages of the history follow each other without gap or repeat', async () => {
  const { customer, from, to } = await pair('100.00');
  for (let cents = 1; cents <= 7; cents++)
    await bank.transfer(customer, { from: from.id, to: to.id, amount: `0.0${cents}` });
  const Page = z.object({
    items: z.array(z.looseObject({ sequence: z.string() })),
    next_cursor: z.string().nullable(),
  });
  const seen: string[] = [];
  let cursor: string | null = null;
  do {
    const answer = await customer.client.call('GET', `/v1/accounts/${to.id}/transactions`, {
      token: customer.token,
      query: { limit: '3', ...(cursor === null ? {} : { cursor }) },
    });
    const page: z.output<typeof Page> = answer.as(Page);
    seen.push(...page.items.map(({ sequence }) => sequence));
    cursor = page.next_cursor;
  } while (cursor !== null);
  expect(seen).toEqual(['7', '6', '5', '4', '3', '2', '1']);
});
