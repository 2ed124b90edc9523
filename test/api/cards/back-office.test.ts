/** Card payments at the back office, and what the application cannot write. */
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import pg from 'pg';
import { openBank, type Bank } from '../../support/bank/bank.ts';
import { approved, call, euro } from '../../support/bank/accounts.ts';
import { newWallet } from '../../support/bank/card-network.ts';
import { codeOf, newKey } from '../../support/client.ts';
import { stack } from '../../support/stack/stack.ts';

let bank: Bank;
beforeAll(() => {
  bank = openBank();
});
afterAll(() => bank.close());

test('a payment shows all its messages, and two let go of what it holds', async () => {
  const wallet = await newWallet(bank);
  const office = await bank.admin('cards:read', 'cards:write');
  const payment_id = newKey();
  await wallet.pay({ payment_id });
  await wallet.pay({ payment_id, purpose: 'increment', billing: euro('500.00') });
  const { id } = await wallet.payment(payment_id);
  const path = `/v1/admin/card-payments/${id}`;
  const [ten, nothing] = [euro('10.00'), euro('0.00')];
  const after = { status: 'authorised', authorised: ten, reversed: nothing, held: ten };
  expect((await call(office, 'GET', path)).body).toMatchObject({
    ...{ status: 'authorised', held: euro('10.00'), user_id: wallet.holder.id },
    messages: [
      { purpose: 'purchase', reason: 'approved', approved: euro('10.00'), after },
      { purpose: 'increment', reason: 'insufficient_funds', approved: null, after },
    ],
  });
  const release = () => approved(bank, office, 'POST', `${path}/release`, { reason: 'Not collected' });
  expect((await release()).body).toMatchObject({ status: 'expired', held: euro('0.00') });
  expect((await wallet.account()).available).toBe('100.00');
  expect(codeOf(await release())).toBe('nothing_held');
  expect(codeOf(await call(wallet.holder, 'GET', path))).toBe('forbidden');
});

test('the application writes no payment, message or count, and releases none in the name of a customer', async () => {
  const wallet = await newWallet(bank);
  await wallet.pay();
  const [payment] = await wallet.payments();
  const app = new pg.Pool({ connectionString: stack.databaseUrl, max: 1 });
  try {
    for (const statement of [
      'update card_payments set authorised = 0',
      'delete from card_messages',
      'update card_guards set remote_uses = 0',
      `update card_terms set limits = '[]'`,
    ])
      await expect(app.query(statement)).rejects.toMatchObject({ code: '42501' });
    const release = 'select card_payment_release($1, $2)';
    await expect(app.query(release, [payment?.id, wallet.holder.id])).rejects.toMatchObject({
      code: '28T01',
    });
  } finally {
    await app.end();
  }
  for (const statement of [
    `update card_payments set asset = 'USD' where id = $1`,
    'delete from card_payments where id = $1',
    `update card_messages set reason = 'approved' where payment_id = $1`,
  ])
    await expect(bank.asOwner(statement, [payment?.id])).rejects.toThrow(/stands|append-only/);
  const [unknown] = await bank.asOwner('select card_payment_release($1, $2) as refusal', [
    wallet.card.id,
    (await bank.admin('cards:write')).id,
  ]);
  expect(unknown).toEqual({ refusal: 'not_found' });
});
