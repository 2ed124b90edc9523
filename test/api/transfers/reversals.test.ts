/** Reversals: what was executed is taken back by another booking, once, by two administrators. */
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { z } from 'zod';
import { openBank, TransferAnswer, type Bank, type Person } from '../../support/bank/bank.ts';
import { newKey, patiently, type Answered } from '../../support/client.ts';
import { decideAs, pay } from '../../support/bank/transfers.ts';

let bank: Bank;
let maker: Person;
let checker: Person;
beforeAll(async () => {
  bank = openBank();
  [maker, checker] = await Promise.all([
    bank.admin('transfers:reverse', 'transfers:review'),
    bank.admin('transfers:review', 'transfers:read'),
  ]);
});
afterAll(async () => {
  await bank.expectBooksBalanced();
  await bank.close();
});

async function executed(amount = '40.00') {
  const [customer, friend] = await Promise.all([bank.customer(), bank.customer()]);
  const [from, to] = [await bank.fundedAccount(customer, '100.00'), await bank.account(friend)];
  const answer = await pay(customer, { from: from.id, to: { account_id: to.id }, amount });
  expect(answer.body).toMatchObject({ status: 'executed' });
  return { customer, friend, from, to, id: answer.as(TransferAnswer).id };
}

const reverse = (id: string, who = maker, key = newKey()): Promise<Answered> =>
  who.client.call('POST', `/v1/admin/transfers/${id}/reverse`, {
    token: who.token,
    key,
    body: { reason: 'booked twice by mistake' },
  });

test('a reversal holds what was paid, and books it back when another administrator executes it', async () => {
  const { customer, friend, from, to, id } = await executed();
  const asked = await reverse(id);
  expect(asked).toMatchObject({
    status: 201,
    body: { kind: 'reversal', status: 'pending_approval', reverses_id: id, requested_by: maker.id },
  });
  expect(await bank.look(friend, to)).toMatchObject({
    held: { amount: '40.00' },
    available: { amount: '0.00' },
  });
  const reversalId = asked.as(TransferAnswer).id;
  expect((await decideAs(maker, reversalId, 'execute')).body).toMatchObject({ code: 'same_person' });
  expect((await decideAs(checker, reversalId, 'execute')).body).toMatchObject({ status: 'executed' });
  expect(await bank.look(customer, from)).toMatchObject({ balance: { amount: '100.00' } });
  expect(await bank.look(friend, to)).toMatchObject({
    balance: { amount: '0.00' },
    held: { amount: '0.00' },
  });

  const story = await checker.client.call('GET', `/v1/admin/transfers/${id}`, { token: checker.token });
  expect(story.body).toMatchObject({ status: 'executed', reversed_by_id: reversalId });
  const [reversing] = await bank.asOwner(
    `select kind, reverses = (select transaction_id from transfers where id = $2) as right_one
       from ledger_transactions where source_id = $1`,
    [reversalId, id],
  );
  expect(reversing).toEqual({ kind: 'reversal', right_one: true });
});

test('of five administrators who reverse the same transfer at once one gets it', async () => {
  const { id } = await executed();
  const keys = Array.from({ length: 5 }, newKey);
  const answers = await Promise.all(keys.map((key) => patiently(() => reverse(id, maker, key))));
  expect(answers.filter(({ status }) => status === 201)).toHaveLength(1);
  expect(answers.filter(({ status }) => status === 409)).toHaveLength(4);
  expect(answers.find(({ status }) => status === 409)?.body).toMatchObject({ code: 'not_reversible' });
});

test('a rejected reversal frees the money, and the transfer can be reversed again', async () => {
  const { friend, to, id } = await executed();
  const first = await reverse(id);
  await decideAs(checker, first.as(TransferAnswer).id, 'reject', { reason: 'it was no mistake' });
  expect(await bank.look(friend, to)).toMatchObject({ available: { amount: '40.00' } });
  expect((await reverse(id)).status).toBe(201);
});

test('what the payee has spent cannot be taken back', async () => {
  const { friend, from, to, id } = await executed();
  await pay(friend, { from: to.id, to: { account_id: from.id }, amount: '0.01' });
  expect((await reverse(id)).body).toMatchObject({ code: 'insufficient_funds' });
});

test('neither a reversal nor what has not been executed is reversible', async () => {
  const { id } = await executed();
  const reversal = (await reverse(id)).as(TransferAnswer).id;
  expect((await reverse(reversal)).body).toMatchObject({ code: 'not_reversible' });
  await decideAs(checker, reversal, 'execute');
  expect((await reverse(reversal)).body).toMatchObject({ code: 'not_reversible' });
  expect((await reverse(id)).body).toMatchObject({ code: 'not_reversible' });
});

test('an adjustment is reversed too, and the trail says who asked and who approved', async () => {
  const account = await bank.fundedAccount(await bank.customer(), '12.00');
  const [adjustment] = await bank.asOwner('select id from transfers where destination_account_id = $1', [
    account.id,
  ]);
  const asked = await reverse(z.string().parse(adjustment?.['id']));
  const id = asked.as(TransferAnswer).id;
  expect((await decideAs(checker, id, 'execute', { reason: 'looked at it' })).body).toMatchObject({
    status: 'executed',
  });
  const story = await checker.client.call('GET', `/v1/admin/transfers/${id}`, { token: checker.token });
  expect(story.body).toMatchObject({
    events: [
      { action: 'reversal.requested', actor_id: maker.id, reason: 'booked twice by mistake' },
      { action: 'transfer.executed', actor_id: checker.id, reason: 'looked at it' },
    ],
    entries: [{ account: account.number, amount: { amount: '-12.00' } }, { account: 'adjustments' }],
  });
});
