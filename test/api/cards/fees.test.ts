/** Fees of cards: charged when one is issued or replaced, held with a payment, and the same in the database as in the code that prices transfers. */
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { feeOf } from '../../../domain/pricing/fees.ts';
import { openBank, type Bank, type Person } from '../../support/bank/bank.ts';
import { approved, call, euro, newType, openAccount } from '../../support/bank/accounts.ts';
import { walletOf, withPin } from '../../support/bank/card-network.ts';
import { askForCard, CardAnswer, cardPlan, shipping } from '../../support/bank/cards.ts';
import { newKey } from '../../support/client.ts';
import { z } from 'zod';
import { fc } from '../../support/property.ts';
import { until } from '../../support/stack/processes.ts';

let bank: Bank;
beforeAll(() => {
  bank = openBank();
});
afterAll(() => bank.close());

/** A rule in force, with a code of its own unless one is given; answers the code. */
async function newRule(
  purpose: string,
  given: { readonly code?: string; readonly [field: string]: unknown },
): Promise<string> {
  const { code = `f${newKey().replaceAll('-', '')}`, ...terms } = given;
  const rule = { code, purpose, currency: 'EUR', description: 'A fee', flat: euro('0.00'), ...terms };
  const office = await bank.admin('fees:write');
  expect(await approved(bank, office, 'POST', '/v1/admin/fee-rules', rule)).toMatchObject({ status: 201 });
  return code;
}

test('cash, and a payment in another currency, is held with its fee', async () => {
  const office = await bank.admin('accounts:write', 'account_types:write');
  const type = await newType(bank, office);
  await newRule('card_cash', { account_type_id: type.id, flat: euro('2.00') });
  await newRule('card_fx', { account_type_id: type.id, rate_bps: '150' });
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

/** The fees of a card once none of them is due any more. */
async function feesOf(card: { id: string }): Promise<object[]> {
  let fees: Record<string, unknown>[] = [];
  await until(async () => {
    fees = await bank.asOwner(
      'select purpose, amount, status, refusal from account_fees where card_id = $1 order by purpose, amount',
      [card.id],
    );
    return fees.length > 0 && fees.every((fee) => fee['status'] !== 'due');
  });
  return fees;
}

const replaced = async (holder: Person, card: { id: string }, reason: string): Promise<CardAnswer> => {
  const stepUp = await holder.stepUp('replaceCard');
  return (await call(holder, 'POST', `/v1/cards/${card.id}/replace`, { reason }, { stepUp })).as(CardAnswer);
};

const balanceOf = async (holder: Person, id: string): Promise<unknown> =>
  (await call(holder, 'GET', `/v1/accounts/${id}`)).body;

test('issuing and replacing a card costs what the rules for its product say, once', async () => {
  const [holder, { productId }] = [await bank.customer(), await cardPlan(bank, { kind: 'physical' })];
  const account = await bank.account(holder);
  await bank.fund(account, '100.00');
  const code = await newRule('card_issue', { card_product_id: productId, flat: euro('5.00') });
  await newRule('card_replacement', { card_product_id: productId, flat: euro('7.50') });
  // of one code the rule with the higher priority counts
  const dearer = { code, description: 'Dearer', priority: 1, flat: euro('6.00') };
  await newRule('card_issue', { ...dearer, card_product_id: productId });

  const card = (await askForCard(holder, account.id, productId, { shipping_address: shipping })).as(
    CardAnswer,
  );
  const charged = { status: 'charged', refusal: null };
  expect(await feesOf(card)).toEqual([{ ...charged, purpose: 'card_issue', amount: '600' }]);
  const next = await replaced(holder, card, 'lost');
  expect(await feesOf(next)).toEqual([{ ...charged, purpose: 'card_replacement', amount: '750' }]);
  const last = await replaced(holder, next, 'damaged');
  expect(await feesOf(last)).toEqual([{ ...charged, purpose: 'card_replacement', amount: '750' }]);
  expect(await feesOf(card)).toHaveLength(1);
  expect(await balanceOf(holder, account.id)).toMatchObject({ balance: { amount: '79.00' } });

  const lines = await bank.asOwner(
    `select l.description, l.metadata->>'card_id' as card, h.role
       from ledger_transactions l join account_fees f on f.transaction_id = l.id
       join ledger_entries e on e.transaction_id = l.id join accounts h on h.id = e.account_id and h.kind = 'house'
      where f.card_id = $1`,
    [card.id],
  );
  expect(lines).toEqual([{ description: 'Dearer', card: card.id, role: 'card_fees' }]);
  const listed = await call(
    await bank.admin('fees:read'),
    'GET',
    `/v1/admin/account-fees?card_id=${card.id}&purpose=card_issue`,
  );
  expect(listed.body).toMatchObject({
    items: [{ card_id: card.id, purpose: 'card_issue', amount: euro('6.00'), status: 'charged' }],
  });
  // the worker may ask again
  await bank.asOwner('select charge_card_fees($1)', [card.id]);
  expect(await balanceOf(holder, account.id)).toMatchObject({ balance: { amount: '79.00' } });
});

test('whoever has no money gets the card, and owes the fee', async () => {
  const [holder, { productId }] = [await bank.customer(), await cardPlan(bank)];
  await newRule('card_issue', { card_product_id: productId, flat: euro('5.00') });
  const account = await bank.account(holder);
  const card = (await askForCard(holder, account.id, productId)).as(CardAnswer);
  expect(card).toMatchObject({ status: 'active' });
  const owed = { purpose: 'card_issue', amount: '500', status: 'refused', refusal: 'insufficient_funds' };
  expect(await feesOf(card)).toEqual([owed]);
  await bank.fund(account, '20.00');
  // as the round of each day does
  await bank.asOwner('select charge_fees(array_agg(f)) from account_fees f where f.card_id = $1', [card.id]);
  expect(await feesOf(card)).toEqual([{ ...owed, status: 'charged', refusal: null }]);
  expect(await balanceOf(holder, account.id)).toMatchObject({ balance: { amount: '15.00' } });
});

test('customers see what a card costs, and for an account of theirs what it costs there', async () => {
  const office = await bank.admin('accounts:write', 'account_types:write');
  const type = await newType(bank, office);
  const { productId } = await cardPlan(bank, { account_type_ids: [type.id] });
  const code = await newRule('card_issue', { card_product_id: productId, flat: euro('5.00') });
  const ofType = { code, description: 'For this type', account_type_id: type.id };
  await newRule('card_issue', { ...ofType, card_product_id: productId });
  await newRule('card_fx', { card_product_id: productId, rate_bps: '150' });

  const holder = await bank.customer();
  const mine = (await openAccount(holder, type.id)).as(z.looseObject({ id: z.uuid() }));
  const other = await bank.account(holder);
  const Products = z.object({
    items: z.array(z.looseObject({ id: z.uuid(), fees: z.array(z.looseObject({ purpose: z.string() })) })),
    next_cursor: z.string().nullish(),
  });
  const feesShown = async (query: string, cursor = ''): Promise<object[] | undefined> => {
    const answer = await call(holder, 'GET', `/v1/card-products?limit=200${query}${cursor}`);
    const { items, next_cursor: next } = answer.as(Products);
    const found = items.find(({ id }) => id === productId)?.fees;
    return found ?? (next == null ? undefined : feesShown(query, `&cursor=${next}`));
  };
  const abroad = { purpose: 'card_fx', rate_bps: '150', flat: euro('0.00') };
  expect(await feesShown('')).toMatchObject([{ purpose: 'card_issue', flat: euro('5.00') }, abroad]);
  expect(await feesShown(`&account_id=${mine.id}`)).toMatchObject([
    { purpose: 'card_issue', description: 'For this type', flat: euro('0.00') },
    abroad,
  ]);
  expect(await feesShown(`&account_id=${other.id}`)).toBeUndefined();
  const stranger = await bank.account(await bank.customer());
  const foreign = await call(holder, 'GET', `/v1/card-products?account_id=${stranger.id}`);
  expect(foreign).toMatchObject({ status: 404 });
});

test('a rule for a card product has a purpose of cards and the currency of the product', async () => {
  const { productId } = await cardPlan(bank);
  const office = await bank.admin('fees:write');
  const base = { code: `f${newKey().replaceAll('-', '')}`, description: 'Fee', card_product_id: productId };
  for (const [terms, pointer, fault] of [
    [{ purpose: 'transfer', currency: 'EUR' }, '/purpose', 'not_flat'],
    [{ purpose: 'card_issue', currency: 'USD' }, '/card_product_id', 'unknown'],
    [{ purpose: 'card_issue', currency: 'EUR', rate_bps: '10' }, '/purpose', 'not_flat'],
  ] as const) {
    const answer = await call(office, 'POST', '/v1/admin/fee-rules', { ...base, ...terms });
    expect(answer).toMatchObject({ status: 400, body: { errors: [{ pointer, code: fault }] } });
  }
});

test('the list of rules shows those for one card product', async () => {
  const [{ productId }, other] = [await cardPlan(bank), await cardPlan(bank)];
  const code = await newRule('card_issue', { card_product_id: productId, flat: euro('5.00') });
  await newRule('card_issue', { card_product_id: other.productId, flat: euro('5.00') });
  const office = await bank.admin('fees:read');
  const listed = await call(office, 'GET', `/v1/admin/fee-rules?card_product_id=${productId}`);
  expect(listed.body).toMatchObject({ items: [{ code, card_product_id: productId }], next_cursor: null });
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
