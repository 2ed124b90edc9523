/** A bank that reckons in another currency than the euro: totals and cross rates are over it. */
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { z } from 'zod';
import { openBranch, type Branch } from '../../support/stack/branch.ts';
import { quote } from '../../support/bank/transfers.ts';

let branch: Branch;
beforeAll(async () => {
  branch = await openBranch({ settings: { BANK_BASE_CURRENCY: 'CHF' } });
  await branch.startApi();
});
afterAll(() => branch.close());

test('the base currency of the settings is that of totals, and of rates between two others', async () => {
  const { bank } = branch;
  const customer = await bank.customer();
  const [euros, dollars] = [await bank.account(customer), await bank.account(customer, 'current_usd')];
  await bank.asOwner(
    `insert into fx_rates (id, base, quote, rate, spread_bps, valid_from, source)
     select uuidv7(), base, quote, rate, 0, now(), 'test' from (values ('EUR', 'CHF', 0.9), ('USD', 'CHF', 0.8)) r(base, quote, rate)`,
  );
  const Summary = z.looseObject({ currency: z.string(), without: z.array(z.string()) });
  const summary = await customer.client.call('GET', '/v1/accounts/summary', { token: customer.token });
  expect(summary.as(Summary)).toMatchObject({ currency: 'CHF', without: [] });
  const crossed = await quote(customer, { from: euros.id, to: { account_id: dollars.id }, amount: '8.00' });
  expect(crossed).toMatchObject({
    status: 200,
    body: { target_amount: { amount: '9.00', currency: 'USD' } },
  });
});
