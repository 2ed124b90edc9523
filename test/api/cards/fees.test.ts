/** Fees of card payments: held with the payment, and the same in the database as in the code that prices transfers. */
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { feeOf } from '../../../domain/pricing/fees.ts';
import { openBank, type Bank } from '../../support/bank/bank.ts';
import { approved, euro, newType, openAccount } from '../../support/bank/accounts.ts';
import { walletOf, withPin } from '../../support/bank/card-network.ts';
import { askForCard, CardAnswer, cardPlan } from '../../support/bank/cards.ts';
import { newKey } from '../../support/client.ts';
import { z } from 'zod';
import { fc } from '../../support/property.ts';

let bank: Bank;
beforeAll(() => {
  bank = openBank();
});
afterAll(() => bank.close());

test('cash, and a payment in another currency, is held with its fee', async () => {
  const office = await bank.admin('accounts:write', 'account_types:write', 'fees:write');
  const type = await newType(bank, office);
  for (const [purpose, price] of [
    ['card_cash', { flat: euro('2.00') }],
    ['card_fx', { rate_bps: '150' }],
  ] as const) {
    const rule = { code: `f${newKey().replaceAll('-', '')}`, purpose, currency: 'EUR', description: 'A fee' };
    const body = { flat: euro('0.00'), ...rule, ...price, account_type_id: type.id };
    const made = await approved(bank, office, 'POST', '/v1/admin/fee-rules', body);
    expect(made).toMatchObject({ status: 201 });
  }
  const holder = await bank.customer();
  const account = (await openAccount(holder, type.id)).as(z.looseObject({ id: z.uuid() }));
  await bank.fund({ id: account.id, currency: 'EUR' }, '100.00');
  const { productId } = await cardPlan(bank, { limits: [], sca: { mode: 'off' } });
  const card = (await askForCard(holder, account.id, productId)).as(CardAnswer);
  const wallet = await walletOf(holder, card);

  const pin = await withPin(wallet);
  const held = async (more: object): Promise<unknown> => {
    const payment_id = newKey();
    await wallet.pay({ payment_id, ...pin, ...more });
    return (await wallet.payment(payment_id)).held.amount;
  };
  expect(await held({})).toBe('10.00');
  expect(await held({ purpose: 'cash' })).toBe('12.00');
  const dollars = { merchant_amount: { amount: '11.00', currency: 'USD' } };
  expect(await held(dollars)).toBe('10.15');
  expect(await held({ purpose: 'cash', ...dollars })).toBe('12.15');
  // 55.70 is left: a part of it, with its fee
  const part = await wallet.pay({ ...pin, purpose: 'cash', billing: euro('80.00'), partial_ok: true });
  expect(part).toMatchObject({ reason: 'partially_approved', approved: euro('53.70') });
});

const rate = fc.integer({ min: 0, max: 100_000 }).map((tenths) => (tenths / 10).toFixed(1));
const amount = fc.bigInt({ min: 0n, max: 10n ** 12n });

test('the database calculates a fee as the code does, to the minor unit', async () => {
  const rules = fc.record({
    flat: fc.bigInt({ min: 0n, max: 1_000n }),
    rateBps: rate,
    minimum: fc.option(fc.bigInt({ min: 0n, max: 500n }), { nil: null }),
    maximum: fc.option(fc.bigInt({ min: 500n, max: 10n ** 9n }), { nil: null }),
    tierMode: fc.constantFrom('graduated' as const, 'slab' as const),
    tiers: fc
      .uniqueArray(fc.bigInt({ min: 1n, max: 10n ** 11n }), { maxLength: 3 })
      .map((bounds) => bounds.toSorted((one, other) => (one < other ? -1 : 1)))
      .chain((bounds) =>
        fc.tuple(
          ...bounds.map((above) =>
            fc
              .record({ flat: fc.bigInt({ min: 0n, max: 100n }), rateBps: rate })
              .map((tier) => ({ above, ...tier })),
          ),
        ),
      ),
  });
  await fc.assert(
    fc.asyncProperty(rules, amount, async (rule, minor) => {
      const stored = {
        ...{ flat: String(rule.flat), rate_bps: rule.rateBps, tier_mode: rule.tierMode },
        ...{ minimum: rule.minimum?.toString() ?? null, maximum: rule.maximum?.toString() ?? null },
        tiers: rule.tiers.map(({ above, flat, rateBps }) => ({
          above: String(above),
          flat: String(flat),
          rate_bps: rateBps,
        })),
      };
      const [found] = await bank.asOwner(
        'select fee_of_version(jsonb_populate_record(null::fee_rule_versions, $1), $2)::text as fee',
        [JSON.stringify(stored), String(minor)],
      );
      expect(found).toEqual({ fee: String(feeOf(rule, minor)) });
    }),
    { numRuns: 200 },
  );
});
