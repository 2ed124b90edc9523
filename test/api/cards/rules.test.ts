/** What holders and products let a card pay: controls, limits, proofs, the watch; and what holders are told. */
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { openBank, type Bank } from '../../support/bank/bank.ts';
import { approved, call, euro } from '../../support/bank/accounts.ts';
import {
  newWallet,
  pinBlock,
  send,
  shop,
  walletOf,
  withPin,
  type Wallet,
} from '../../support/bank/card-network.ts';
import { CardAnswer, shipping } from '../../support/bank/cards.ts';
import { feedOf } from '../../support/bank/notifications.ts';
import { setPin } from '../../support/bank/pins.ts';
import { codeOf, newKey, type Answered } from '../../support/client.ts';

let bank: Bank;
beforeAll(() => {
  bank = openBank();
});
afterAll(() => bank.close());

async function put(
  { holder, card }: Wallet,
  what: 'controls' | 'limits',
  rules: object[],
): Promise<Answered> {
  const stepUp = await holder.stepUp(what === 'controls' ? 'setCardControls' : 'setCardLimits');
  return call(holder, 'PUT', `/v1/cards/${card.id}/${what}`, { [what]: rules }, { stepUp });
}

/** Why the newest payment was declined. */
const decline = async (wallet: Wallet) => (await wallet.payments())[0]?.decline;

/** The wallet with the card that follows a lost one. */
async function afterLoss({ holder, card }: Wallet): Promise<Wallet> {
  const stepUp = await holder.stepUp('replaceCard');
  const path = `/v1/cards/${card.id}/replace`;
  const next = await call(holder, 'POST', path, { reason: 'lost' }, { stepUp });
  return walletOf(holder, next.as(CardAnswer));
}

/** What the holder reads of why payments were declined, once there are so many. */
const declinesOf = async ({ holder }: Wallet, many: number) =>
  (await feedOf(holder, many, '?type=card_declined')).items
    .map(({ body }) => body.split(' was declined. ')[1])
    .toSorted();

describe('controls', () => {
  const fixed = { type: 'country', mode: 'block', values: ['KP'] };
  const loose = { type: 'channel', mode: 'block', values: ['ecommerce', 'cash'], customer_may_loosen: true };

  test('of the product count until the holder sets those that may be loosened', async () => {
    const wallet = await newWallet(bank, { controls: [fixed, loose] });
    expect(wallet.card).toMatchObject({
      controls: [
        { ...fixed, set_by: 'bank' },
        { ...loose, set_by: 'bank' },
      ],
    });
    expect((await wallet.pay({ entry_mode: 'ecommerce' })).reason).toBe('control');
    expect(await decline(wallet)).toMatchObject({ reason: 'control', rule: 'channel' });
    expect(await wallet.pay({ purpose: 'cash' })).toMatchObject({ response_code: '57' });
    expect((await put(wallet, 'controls', [{ type: 'channel', mode: 'block', values: [] }])).status).toBe(
      200,
    );
    expect((await wallet.pay({ entry_mode: 'ecommerce' })).reason).toBe('approved');
    await wallet.pay({ merchant: { ...shop, country: 'KP' } });
    expect(await decline(wallet)).toMatchObject({ reason: 'control', rule: 'country' });
    const looser = await put(wallet, 'controls', [{ ...fixed, values: ['CU'] }]);
    expect(looser.body).toMatchObject({
      status: 409,
      code: 'card_not_loosened',
      control: { type: 'country' },
    });
  });

  test('of the holder let pass what they name, or all but that', async () => {
    const wallet = await newWallet(bank);
    const rules = [
      { type: 'category', mode: 'block', values: ['7995'] },
      { type: 'merchant', mode: 'allow', values: ['SHOP1', 'SHOP2'] },
    ];
    const set = await put(wallet, 'controls', rules);
    expect(set.body).toMatchObject({ controls: rules.map((rule) => ({ ...rule, set_by: 'customer' })) });
    await wallet.pay({ merchant: { ...shop, mcc: '7995' } });
    expect(await decline(wallet)).toMatchObject({ rule: 'category' });
    await wallet.pay({ merchant: { ...shop, id: 'OTHER' } });
    expect(await decline(wallet)).toMatchObject({ rule: 'merchant' });
    expect((await wallet.pay()).reason).toBe('approved');
    // they go over to the card that takes its place
    const other = await afterLoss(wallet);
    expect((await other.pay({ merchant: { ...shop, id: 'OTHER' } })).reason).toBe('control');
    expect(codeOf(await put(wallet, 'controls', []))).toBe('card_closed');
    const twice = await put(other, 'controls', [rules[0] ?? {}, rules[0] ?? {}]);
    expect(twice.body).toMatchObject({ errors: [{ pointer: '/controls/1', code: 'twice' }] });
    expect((await put(other, 'controls', [{ ...rules[0], values: ['food'] }])).status).toBe(400);
  });

  test('of the kind: one merchant, and one payment up to an amount', async () => {
    const locked = await newWallet(bank, { kind: 'merchant_locked' }, { wish: { merchant_id: 'SHOP2' } });
    expect((await locked.pay()).reason).toBe('control');
    expect(await decline(locked)).toMatchObject({ rule: 'merchant' });
    expect((await locked.pay({ merchant: { ...shop, id: 'SHOP2' } })).reason).toBe('approved');
    const single = await newWallet(bank, { kind: 'single_use' }, { wish: { amount: euro('20.00') } });
    expect((await single.pay({ billing: euro('20.01') })).reason).toBe('control');
    const payment_id = newKey();
    expect((await single.pay({ payment_id })).reason).toBe('approved');
    expect((await single.pay()).reason).toBe('control');
    expect(await decline(single)).toMatchObject({ rule: 'single_use' });
    await single.pay({ type: '0420', payment_id });
    expect((await single.pay()).reason).toBe('control');
  });

  test('are not set by a stranger', async () => {
    const wallet = await newWallet(bank);
    const stranger = await bank.customer();
    expect(codeOf(await put({ ...wallet, holder: stranger }, 'limits', []))).toBe('not_found');
    const [verdict] = await bank.asOwner(`select card_set_terms($1, $2, '[]', '[]') as refusal`, [
      wallet.card.id,
      stranger.id,
    ]);
    expect(verdict).toEqual({ refusal: 'not_found' });
  });
});

describe('limits', () => {
  test('the tightest one counts and is named, with what is used and what remains', async () => {
    const limits = [
      { period: 'month', amount: euro('60.00') },
      { period: 'day', amount: euro('25.00') },
      { period: 'transaction', amount: euro('50.00') },
    ];
    const wallet = await newWallet(bank, { limits });
    await wallet.pay();
    expect((await wallet.pay({ billing: euro('51.00') })).response_code).toBe('61');
    expect(await decline(wallet)).toMatchObject({
      ...{ reason: 'limit_exceeded', rule: 'day', limit: euro('25.00') },
      ...{ used: euro('10.00'), remaining: euro('15.00') },
    });
    expect((await wallet.pay({ billing: euro('15.00') })).reason).toBe('approved');
  });

  test('of a scope count what they are for, from the moment they are set', async () => {
    const wallet = await newWallet(bank);
    const payment_id = newKey();
    await wallet.pay({ entry_mode: 'ecommerce', payment_id });
    const pin = await withPin(wallet);
    await wallet.pay({ ...pin, purpose: 'cash' });
    const set = await put(wallet, 'limits', [
      { period: 'day', scope: 'online', count: 1 },
      { period: 'P7D', scope: 'cash', amount: euro('15.00') },
    ]);
    expect(set.status).toBe(200);
    expect((await wallet.pay({ entry_mode: 'ecommerce' })).reason).toBe('limit_exceeded');
    expect(await decline(wallet)).toMatchObject({ rule: 'day/online', limit: 1, used: 1, remaining: 0 });
    // what is added to a payment is no second one
    const more = { entry_mode: 'ecommerce', payment_id, purpose: 'increment' };
    expect((await wallet.pay(more)).reason).toBe('approved');
    expect((await wallet.pay({ ...pin, purpose: 'cash' })).reason).toBe('limit_exceeded');
    expect((await wallet.pay()).reason).toBe('approved');
    await wallet.pay({ type: '0420', payment_id, billing: undefined });
    expect((await wallet.pay({ entry_mode: 'ecommerce' })).reason).toBe('approved');
  });

  test('of merchant categories count what is paid there, and nothing else', async () => {
    const scope = { mcc: ['7995', '5412'] };
    const limits = [{ period: 'month', scope, amount: euro('25.00'), customer_may_loosen: true }];
    const wallet = await newWallet(bank, { limits }, { amount: '500.00' });
    expect(wallet.card).toMatchObject({ limits: [{ scope: { mcc: ['5412', '7995'] } }] });
    const at = (mcc: string) => ({ merchant: { ...shop, mcc } });
    expect((await wallet.pay(at('7995'))).reason).toBe('approved');
    expect((await wallet.pay(at('5412'))).reason).toBe('approved');
    expect((await wallet.pay(at('7995'))).reason).toBe('limit_exceeded');
    expect(await decline(wallet)).toMatchObject({ rule: 'month/mcc/5412_7995', remaining: euro('5.00') });
    expect((await wallet.pay({ billing: euro('50.00') })).reason).toBe('approved');
    const own = [{ period: 'month', scope: { mcc: ['5412', '7995', '5412'] }, amount: euro('40.00') }];
    expect((await put(wallet, 'limits', own)).body).toMatchObject({
      limits: [{ scope: { mcc: ['5412', '7995'] }, amount: euro('40.00'), set_by: 'customer' }],
    });
    expect((await wallet.pay(at('7995'))).reason).toBe('approved');
  });

  test('go on with the card that follows', async () => {
    const limits = [{ period: 'day', amount: euro('25.00') }];
    const wallet = await newWallet(bank, { limits }, { amount: '500.00' });
    const payment_id = newKey();
    await wallet.pay({ payment_id });
    await wallet.pay();
    const other = await afterLoss(wallet);
    expect((await other.pay()).reason).toBe('limit_exceeded');
    expect(await decline(other)).toMatchObject({ rule: 'day', used: euro('20.00') });
    // its number belongs to what the card before it has begun
    expect((await other.pay({ type: '0420', payment_id, billing: undefined })).reason).toBe('approved');
    expect(await wallet.payment(payment_id)).toMatchObject({ status: 'reversed', held: euro('0.00') });
    expect((await other.pay()).reason).toBe('approved');
  });

  test('of the holder tighten, and loosen only where the product lets them', async () => {
    const limits = [
      { period: 'day', amount: euro('20.00'), customer_may_loosen: true },
      { period: 'month', amount: euro('40.00') },
    ];
    const wallet = await newWallet(bank, { limits });
    expect(codeOf(await put(wallet, 'limits', [{ period: 'month', amount: euro('50.00') }]))).toBe(
      'card_not_loosened',
    );
    expect((await put(wallet, 'limits', [{ period: 'day', amount: euro('30.00') }])).status).toBe(200);
    expect((await wallet.pay({ billing: euro('30.00') })).reason).toBe('approved');
    await put(wallet, 'limits', [{ period: 'month', amount: euro('35.00') }]);
    expect((await wallet.pay()).reason).toBe('limit_exceeded');
  });

  test('of a number count a payment once, whatever was taken back of it', async () => {
    const limits = [
      { period: 'day', count: 2 },
      { period: 'day', scope: 'cash', count: 1 },
    ];
    const wallet = await newWallet(bank, { limits }, { amount: '500.00' });
    const pin = await withPin(wallet);
    const payment_id = newKey();
    await wallet.pay({ payment_id });
    await wallet.pay({ type: '0420', payment_id });
    expect((await wallet.pay({ payment_id, purpose: 'increment' })).reason).toBe('approved');
    expect((await wallet.pay({ ...pin, payment_id, purpose: 'cash' })).reason).toBe('approved');
    expect((await wallet.pay({ ...pin, purpose: 'cash' })).reason).toBe('limit_exceeded');
    expect(await decline(wallet)).toMatchObject({ rule: 'day/cash', used: 1 });
    const named = wallet.message();
    await send(named);
    expect((await wallet.pay()).reason).toBe('limit_exceeded');
    const { stan, rrn } = named;
    await wallet.pay({
      ...{ type: '0420', payment_id: named['payment_id'], billing: undefined, reverses: { stan, rrn } },
    });
    expect((await wallet.pay()).reason).toBe('approved');
    const [proof] = await bank.asOwner(
      `select bool_and(c.uses = (select sum(u.counts) from limit_uses u where u.counter_id = c.id)) as agrees
         from limit_counters c where c.subject_id = $1`,
      [wallet.card.id],
    );
    expect(proof).toEqual({ agrees: true });
  });

  test('count what is added on the day on which it is added', async () => {
    const limits = [{ period: 'day', amount: euro('25.00') }];
    const wallet = await newWallet(bank, { limits }, { amount: '500.00' });
    const payment_id = newKey();
    await wallet.pay({ payment_id });
    // as if it had been yesterday
    await bank.asOwner(
      `update limit_uses set at = at - interval '1 day' where source_id = (select id from card_payments where network_id = $1)`,
      [payment_id],
    );
    const more = { payment_id, purpose: 'increment', billing: euro('20.00') };
    expect((await wallet.pay(more)).reason).toBe('approved');
    expect((await wallet.pay()).reason).toBe('limit_exceeded');
    expect(await decline(wallet)).toMatchObject({
      rule: 'day',
      used: euro('20.00'),
      remaining: euro('5.00'),
    });
    await wallet.pay({ type: '0420', payment_id, billing: euro('5.00') });
    expect((await wallet.pay()).reason).toBe('approved');
  });

  test('twenty at the same moment never pass one', async () => {
    const limits = [{ period: 'day', amount: euro('55.00') }];
    const wallet = await newWallet(bank, { limits }, { amount: '500.00' });
    const answers = await Promise.all(Array.from({ length: 20 }, () => wallet.pay()));
    expect(answers.filter(({ reason }) => reason === 'approved')).toHaveLength(5);
    expect(answers.filter(({ reason }) => reason === 'limit_exceeded')).toHaveLength(15);
    expect((await wallet.account()).available).toBe('450.00');
  });
});

describe('a proof of the holder', () => {
  const tap = { entry_mode: 'contactless' };
  const online = { entry_mode: 'ecommerce' };

  test('is asked for as if the card before were the same', async () => {
    const wallet = await newWallet(bank, { sca: { mode: 'count', count: 2 } });
    for (const way of [tap, tap]) expect((await wallet.pay(way)).reason).toBe('approved');
    const next = await afterLoss(wallet);
    expect((await next.pay(tap)).reason).toBe('sca_required');
    expect((await next.pay(await withPin(next))).reason).toBe('approved');
    expect((await next.pay(tap)).reason).toBe('approved');
  });

  test('is asked for after so many payments, by what the terminal can ask', async () => {
    const wallet = await newWallet(bank, { sca: { mode: 'count', count: 2 } });
    for (const way of [tap, tap, ...Array.from({ length: 5 }, () => online)])
      expect((await wallet.pay({ ...way, billing: euro('1.00') })).reason).toBe('approved');
    expect(await wallet.pay(tap)).toMatchObject({ response_code: '65', reason: 'sca_required' });
    expect(await wallet.pay(online)).toMatchObject({ response_code: '1A', reason: 'sca_required' });
    expect((await wallet.pay({ entry_mode: 'recurring' })).reason).toBe('approved');
    expect((await wallet.pay()).reason).toBe('approved');
  });

  test('is asked for after so much, and for one payment above 50 with the card, 30 without', async () => {
    const wallet = await newWallet(
      bank,
      { sca: { mode: 'amount', amount: euro('80.00') } },
      { amount: '500.00' },
    );
    expect((await wallet.pay({ ...tap, billing: euro('50.01') })).reason).toBe('sca_required');
    expect((await wallet.pay({ ...online, billing: euro('30.01') })).reason).toBe('sca_required');
    expect((await wallet.pay({ ...tap, billing: euro('50.00') })).reason).toBe('approved');
    expect((await wallet.pay({ ...tap, billing: euro('30.01') })).reason).toBe('sca_required');
    expect((await wallet.pay({ ...tap, billing: euro('30.00') })).reason).toBe('approved');
    expect(await decline(wallet)).toBeNull();
    // without the card up to 100 by law, or what the product says
    for (const billing of [euro('30.00'), euro('30.00'), euro('30.00')])
      expect((await wallet.pay({ ...online, billing })).reason).toBe('approved');
    expect((await wallet.pay({ ...online, billing: euro('10.01') })).reason).toBe('sca_required');
    const stricter = await newWallet(bank, {
      sca: { mode: 'amount', amount: euro('80.00'), remote: { amount: euro('20.00') } },
    });
    expect((await stricter.pay({ ...online, billing: euro('20.01') })).reason).toBe('sca_required');
    // a magnetic stripe proves no more than a tap, and what was paid counts whoever has approved it
    const stripe = { entry_mode: 'magstripe', billing: euro('50.01') };
    expect(await wallet.pay(stripe)).toMatchObject({ response_code: '65', reason: 'sca_required' });
    expect(await decline(wallet)).toMatchObject({ rule: 'magstripe' });
    const other = await newWallet(bank, { sca: { mode: 'count', count: 2 } });
    for (const stood_in of [true, false]) await other.pay({ ...tap, type: '0120', stood_in });
    expect((await other.pay(tap)).reason).toBe('sca_required');
  });

  test('is the PIN for cash and for the balance, however the card was read', async () => {
    const wallet = await newWallet(bank);
    const pin = await withPin(wallet);
    for (const more of [{ purpose: 'cash' }, { purpose: 'balance', billing: undefined }])
      for (const entry_mode of ['chip', 'magstripe', 'ecommerce']) {
        expect(await wallet.pay({ ...more, entry_mode })).toMatchObject({
          ...{ response_code: '65', reason: 'sca_required' },
        });
        expect((await wallet.pay({ ...more, ...pin, entry_mode })).reason).toBe('approved');
      }
    const payment_id = newKey();
    await wallet.pay({ ...pin, payment_id, purpose: 'cash' });
    expect((await wallet.pay({ payment_id, purpose: 'increment' })).reason).toBe('sca_required');
  });
});

describe('a PIN at a terminal', () => {
  test('that is right proves who the holder is, and counting begins anew', async () => {
    const wallet = await newWallet(bank, { sca: { mode: 'count', count: 1 } });
    await setPin(wallet.holder, wallet.card, '4711');
    const pin_block = pinBlock(wallet.pan, '4711');
    const tap = { entry_mode: 'contactless' };
    expect((await wallet.pay(tap)).reason).toBe('approved');
    expect((await wallet.pay(tap)).reason).toBe('sca_required');
    expect((await wallet.pay({ ...tap, pin_block })).reason).toBe('approved');
    expect((await wallet.pay(tap)).reason).toBe('approved');
    expect((await wallet.pay(tap)).reason).toBe('sca_required');
  });

  test('that is wrong is told from one that is locked, and a repeat is no further try', async () => {
    const wallet = await newWallet(bank, { pin_tries: 2 });
    expect((await wallet.pay({ pin_block: pinBlock(wallet.pan, '4711') })).reason).toBe('wrong_pin');
    await setPin(wallet.holder, wallet.card, '4711');
    const wrong = wallet.message({ pin_block: pinBlock(wallet.pan, '1174') });
    for (let time = 0; time < 3; time += 1)
      expect((await send(wrong)).body).toMatchObject({ response_code: '55', reason: 'wrong_pin' });
    const right = { pin_block: pinBlock(wallet.pan, '4711') };
    expect((await wallet.pay(right)).reason).toBe('approved');
    // what the bank cannot open is no try
    for (const key_id of ['nobody', 'dev1', 'nobody'])
      expect((await wallet.pay({ pin_block: { format: 4, key_id, block: '00'.repeat(16) } })).reason).toBe(
        'wrong_pin',
      );
    expect(await decline(wallet)).toMatchObject({ rule: 'pin_block' });
    expect((await wallet.pay(right)).reason).toBe('approved');
    for (const rule of ['pin', 'pin_lock']) {
      await wallet.pay({ pin_block: pinBlock(wallet.pan, '1174') });
      expect(await decline(wallet)).toMatchObject({ reason: 'wrong_pin', rule });
    }
    const unread = 'The PIN could not be checked.';
    const wasWrong = 'The PIN was wrong.';
    expect(await declinesOf(wallet, 7)).toEqual([
      ...[unread, unread, unread, wasWrong, wasWrong, wasWrong],
      `${wasWrong} After so many wrong PINs it is locked.`,
    ]);
    expect(await wallet.pay(right)).toMatchObject({ response_code: '75', reason: 'pin_locked' });
    expect((await wallet.pay()).reason).toBe('approved');
  });
});

test('what the watch holds or blocks is declined like any account that pays nothing', async () => {
  const office = await bank.admin('aml:write', 'aml:read');
  const wallet = await newWallet(bank, {}, { amount: '500.00' });
  const rule = {
    ...{ code: `r${newKey().replaceAll('-', '')}`, name: 'A shop', status: 'live', severity: 'low' },
    ...{ action: 'hold', applies_to: ['card_authorisation'] },
    condition: {
      all: [
        { left: { field: 'counterparty' }, op: 'eq', right: { value: wallet.card.id } },
        { left: { field: 'amount' }, op: 'gte', right: { value: '10.00' } },
      ],
    },
  };
  const made = await approved(bank, office, 'POST', '/v1/admin/aml/rules', rule);
  expect(made).toMatchObject({ status: 201 });
  const merchant = { ...shop, id: wallet.card.id };
  const payment_id = newKey();
  expect((await wallet.pay({ merchant, payment_id })).reason).toBe('account_unavailable');
  expect((await wallet.payment(payment_id)).decline).toMatchObject({ rule: 'account' });
  const [flag] = await bank.asOwner('select subject_type from aml_flags where customer_id = $1', [
    wallet.holder.id,
  ]);
  expect(flag).toEqual({ subject_type: 'card_payment' });
  expect((await wallet.pay()).reason).toBe('approved');
  const path = `/v1/admin/aml/rules/${String(Reflect.get(Object(made.body), 'id'))}`;
  expect((await approved(bank, office, 'PATCH', path, { status: 'disabled' })).status).toBe(200);
});

test('the holder is told of a lock after wrong expiries', async () => {
  const wallet = await newWallet(bank);
  for (let time = 0; time < 5; time += 1) await wallet.pay({ entry_mode: 'ecommerce', expiry: '01/40' });
  const wrong = 'The card has expired, or the expiry was wrong.';
  const locked = `${wrong} After so many wrong entries, payments without the card are locked for a while.`;
  expect(await declinesOf(wallet, 5)).toEqual([wrong, wrong, wrong, wrong, locked]);
});

test('the holder is told of what was paid and of what was declined, and why', async () => {
  const wallet = await newWallet(bank, { limits: [{ period: 'day', amount: euro('15.00') }] });
  await wallet.pay();
  await wallet.pay();
  const told = async (type: string) =>
    (await feedOf(wallet.holder, 1, `?type=${type}`)).items.map(({ body }) => body);
  const digits = wallet.card.last_four;
  expect(await told('card_payment')).toEqual([`€10.00 at Corner shop with your card ending in ${digits}.`]);
  expect(await told('card_declined')).toEqual([
    `€10.00 at Corner shop with your card ending in ${digits} was declined. It passes a limit of the card (day).`,
  ]);
});

test('the holder is told of what becomes of a card, unless it is what they have done to it for now', async () => {
  const { holder, card } = await newWallet(
    bank,
    { kind: 'physical' },
    { wish: { shipping_address: shipping } },
  );
  const office = await bank.admin('cards:read', 'cards:write');
  let told = 0;
  const hears = async (news: string) => {
    told += 1;
    const { items } = await feedOf(holder, told, '?type=card_status');
    expect(items.map(({ body }) => body)[0]).toBe(`Your card ending in ${card.last_four} ${news}`);
    expect(items).toHaveLength(told);
  };
  const byHolder = (status: string) => call(holder, 'PATCH', `/v1/cards/${card.id}`, { status });
  const byBank = (status: string) =>
    call(office, 'PATCH', `/v1/admin/cards/${card.id}`, { status, reason: 'Asked for by phone' });

  await hears('is on its way. Activate it when you have it.');
  const stepUp = await holder.stepUp('activateCard');
  await call(holder, 'POST', `/v1/cards/${card.id}/activate`, {}, { stepUp });
  await hears('can be used.');
  await byHolder('blocked');
  await byBank('blocked');
  await hears('was blocked by us.');
  await byBank('active');
  await hears('is no longer blocked by us, only by you.');
  await byHolder('active');
  await call(holder, 'POST', `/v1/cards/${card.id}/close`, {});
  await hears('was closed for good.');
});
