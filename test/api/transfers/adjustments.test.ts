/** Adjustments: money that the bank gives or takes, which a second administrator has to approve. */
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { openBank, TransferAnswer, type Bank, type Person } from '../../support/bank/bank.ts';
import { decideAs } from '../../support/bank/transfers.ts';
import { codeOf, newKey, type Answered } from '../../support/client.ts';

let bank: Bank;
beforeAll(() => {
  bank = openBank();
});
afterAll(async () => {
  await bank.expectBooksBalanced();
  await bank.close();
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
    const own = await decideAs(maker, id, 'execute');
    expect([own.status, codeOf(own)]).toEqual([403, 'same_person']);
    expect((await decideAs(checker, id, 'execute')).body).toMatchObject({ status: 'executed' });
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
    ['tomorrow', () => berlin(1)],
    ['longer than a year ago', () => berlin(-367)],
    ['in a year that is not near', () => '2999-12-31'],
    ['before the bank', () => '1950-01-01'],
    ['in a year of no calendar', () => '0000-01-01'],
  ])('cannot count from a day %s', async (_when, day) => {
    const account = await bank.account(await bank.customer());
    const maker = await bank.admin('adjustments:write');
    expect(await ask(maker, account, 'credit', '5.00', { value_date: day() })).toMatchObject({
      status: 400,
      body: { errors: [{ pointer: '/value_date', code: 'out_of_range' }] },
    });
  });

  test('that debits more than there is is refused at once', async () => {
    const customer = await bank.customer();
    const account = await bank.fundedAccount(customer, '3.00');
    expect(codeOf(await ask(await bank.admin('adjustments:write'), account, 'debit', '3.01'))).toBe(
      'insufficient_funds',
    );
  });
});
