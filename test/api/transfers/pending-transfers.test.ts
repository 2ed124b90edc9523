/** Transfers that wait for an administrator: what is held, who decides, and what everybody else hears. */
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { setTimeout as wait } from 'node:timers/promises';
import { Client, Connection } from '@temporalio/client';
import { openBank, TransferAnswer, type AccountAnswer, type Bank } from '../../support/bank/bank.ts';
import { decideAs, payerWith, payPatiently, type Payer } from '../../support/bank/transfers.ts';
import { allItems, codeOf, newKey, patiently, type Answered } from '../../support/client.ts';
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

test('five pending transfers of 2,000,000 pass on a balance of 10,000,000, the sixth finds the money held', async () => {
  const { customer, from, to } = await payerWith(bank, '10000000.00');
  const answers = await Promise.all(
    Array.from({ length: 8 }, () =>
      payPatiently(customer, { from: from.id, to: { account_id: to.id }, amount: '2000000.00' }),
    ),
  );
  const statuses = answers.map((answer) => codeOf(answer)).sort();
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

describe('a pending transfer', () => {
  async function pending(payee?: AccountAnswer): Promise<Payer & { id: string }> {
    const made = await payerWith(bank, '20000.00');
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
    const listed = await allItems(reviewer.client, '/v1/admin/transfers/pending', reviewer);
    expect(listed).toContainEqual(expect.objectContaining({ id }));
    expect((await decideAs(reviewer, id, 'execute', { reason: 'called back' })).body).toMatchObject({
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
    expect((await decideAs(reviewer, id, 'reject', { reason: 'unknown payee' })).body).toMatchObject({
      status: 'rejected',
      decision_reason: 'unknown payee',
    });
    expect(await bank.look(customer, from)).toMatchObject({ available: { amount: '20000.00' } });
    expect(codeOf(await decideAs(reviewer, id, 'execute'))).toBe('transfer_not_pending');
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
    expect(codeOf(await cancel())).toBe('transfer_not_pending');
    expect(await bank.look(customer, from)).toMatchObject({ available: { amount: '20000.00' } });
  });

  test('decided by two admins and its customer at once: one decision stands, the others learn it', async () => {
    const { customer, from, to, id } = await pending();
    const [one, two] = [await bank.admin('transfers:review'), await bank.admin('transfers:review')];
    const stepUp = await customer.stepUp('cancelTransfer');
    const answers = await Promise.all([
      decideAs(one, id, 'execute'),
      decideAs(two, id, 'reject', { reason: 'no' }),
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
    const answers = await Promise.all(
      Array.from({ length: 16 }, (_, n) => wait(n * 4).then(() => patiently(execute))),
    );
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
    expect(new Set(answers.map(({ text }) => text)).size).toBe(1);
    // as where the API dies between the decision and its answer
    await bank.asOwner('update idempotency_keys set status = null, answer = null where key = $1', [key]);
    const again = await execute();
    expect([again.status, again.text]).toEqual([200, answers[0]?.text]);
    expect(codeOf(await decideAs(reviewer, id, 'execute'))).toBe('transfer_not_pending');
  });

  test('is not approved by an admin whom it pays', async () => {
    const payee = await bank.admin('transfers:review');
    const { customer, from, id } = await pending(await bank.account(payee));
    expect(codeOf(await decideAs(payee, id, 'execute'))).toBe('same_person');
    expect(await bank.look(customer, from)).toMatchObject({ held: { amount: '15000.00' } });
    // nor in SQL
    const [decided] = await bank.asOwner(
      `select refusal from transfer_decision_accept($1, gen_random_uuid(), 'execute', $2, null, null)`,
      [id, payee.id],
    );
    expect(decided).toEqual({ refusal: 'same_person' });
    expect((await decideAs(await bank.admin('transfers:review'), id, 'execute')).status).toBe(200);
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
      expect((await decideAs(reviewer, id, 'reject', { reason: 'no' })).body).toMatchObject({
        status: 'rejected',
      });
      expect(await bank.look(customer, from)).toMatchObject({ available: { amount: '20000.00' } });
      await connection.close();
    },
  );
});
