/** Amounts beyond what an account can hold: refused with a reason, and nothing that waits for them waits for ever. */
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { openBank, TransferAnswer, type Bank, type Person } from '../../support/bank/bank.ts';
import { newKey, type Answered } from '../../support/client.ts';

/** The largest amount that the wire takes for a currency with two decimal places. */
const MOST = `${'9'.repeat(36)}.99`;

let bank: Bank;
let maker: Person;
let checker: Person;
beforeAll(async () => {
  bank = openBank();
  [maker, checker] = [await bank.admin('adjustments:write'), await bank.admin('transfers:review')];
});
afterAll(async () => {
  await bank.expectBooksBalanced();
  await bank.close();
});

/** A credit of that much, which waits for the second administrator. */
async function credit(account: string, amount = MOST): Promise<string> {
  const answer = await maker.client.call('POST', '/v1/admin/adjustments', {
    token: maker.token,
    key: newKey(),
    body: {
      account_id: account,
      direction: 'credit',
      amount: { amount, currency: 'EUR' },
      reason: 'a slip of the keyboard',
    },
  });
  expect(answer).toMatchObject({ status: 201, body: { status: 'pending_approval' } });
  return answer.as(TransferAnswer).id;
}

function decide(id: string, decision: 'execute' | 'reject' | 'cancel'): Promise<Answered> {
  const body = decision === 'execute' ? {} : { reason: 'it was a slip' };
  const call = { token: checker.token, key: newKey(), body };
  return checker.client.call('POST', `/v1/admin/transfers/${id}/${decision}`, call);
}

test.each([
  ['reject', 'rejected'],
  ['cancel', 'cancelled'],
] as const)(
  'an adjustment beyond what can be booked is not executed but refused, twice, and after that %s ends it',
  async (decision, status) => {
    const customer = await bank.customer();
    const account = await bank.fundedAccount(customer, '1.00');
    const id = await credit(account.id);
    for (let attempt = 0; attempt < 2; attempt++)
      expect(await decide(id, 'execute')).toMatchObject({ status: 409, body: { code: 'balance_limit' } });
    expect(await decide(id, decision)).toMatchObject({ status: 200, body: { status } });
    expect(await bank.look(customer, account)).toMatchObject({
      balance: { amount: '1.00' },
      held: { amount: '0.00' },
    });
  },
);

test('a transfer over the payee’s maximum keeps its hold when it is approved, and gives it back when it is rejected', async () => {
  const customer = await bank.customer();
  const [from, to] = [await bank.fundedAccount(customer, '20000.00'), await bank.account(customer)];
  await bank.asOwner('update accounts set max_balance = 100 where id = $1', [to.id]);
  const asked = await bank.transfer(customer, { from: from.id, to: to.id, amount: '15000.00' });
  const { id, status } = asked.as(TransferAnswer);
  expect(status).toBe('pending_approval');
  expect(await decide(id, 'execute')).toMatchObject({ status: 409, body: { code: 'balance_limit' } });
  expect((await bank.look(customer, from)).held.amount).toBe('15000.00');
  expect(await decide(id, 'reject')).toMatchObject({ status: 200, body: { status: 'rejected' } });
  expect((await bank.look(customer, from)).held.amount).toBe('0.00');
});
