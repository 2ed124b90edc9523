/** The door of the card network: who is let in, what is answered, and that a payment is what its messages say in any order. */
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { openBank, type Bank } from '../../support/bank/bank.ts';
import { call, closeAccount, euro } from '../../support/bank/accounts.ts';
import {
  Answer,
  newRrn,
  newStan,
  newWallet,
  send,
  shop,
  signed,
  walletOf,
  withPin,
  type Wallet,
} from '../../support/bank/card-network.ts';
import { CardAnswer } from '../../support/bank/cards.ts';
import { apiClient, codeOf, newKey } from '../../support/client.ts';

let bank: Bank;
beforeAll(() => {
  bank = openBank();
});
afterAll(() => bank.close());

const pan = '9999900000000009';

describe('signatures', () => {
  const post = (more: object) => apiClient().call('POST', '/v1/cards/network/messages', more);
  const about = { type: '0100', payment_id: 'x', stan: '1', rrn: '2', billing: euro('1.00'), pan };
  const whole = { ...about, merchant: shop, entry_mode: 'chip' };

  test('a message that is not signed, by another key, for another body or too old is refused', async () => {
    const good = signed(whole);
    const old = signed(whole, new Date(Date.now() - 301_000));
    const foreign = signed(whole, new Date(), ['dev1', Buffer.alloc(32, 'x')]);
    const unknown = signed(whole, new Date(), ['nobody', Buffer.alloc(32, 'x')]);
    for (const tried of [
      ...[{ bytes: good.bytes }, { ...good, bytes: `${good.bytes} ` }, old, foreign, unknown],
      { ...good, headers: { 'Network-Signature': 'v1=00' } },
    ]) {
      const answer = await post(tried);
      expect([answer.status, codeOf(answer)]).toEqual([401, 'invalid_signature']);
    }
  });

  test('a signed message about an unknown card is answered with 200', async () => {
    const answer = await send({ ...whole, stan: newStan(), rrn: newRrn() });
    expect(answer).toMatchObject({ status: 200, body: { response_code: '14', reason: 'unknown_card' } });
  });

  test.each([
    ['a purchase of nothing', { billing: euro('0.00') }],
    ['a purchase without an amount', { billing: undefined }],
    ['a check of an amount', { purpose: 'account_check' }],
  ])('%s is malformed', async (_, more) => {
    const answer = await send({ ...whole, ...more });
    const { payment_id, stan, rrn } = whole;
    expect(answer).toMatchObject({
      status: 200,
      body: { type: '0110', payment_id, stan, rrn, response_code: '30', reason: 'format_error' },
    });
  });

  test('what cannot be read at all is answered without its key', async () => {
    const answer = await post(signed([]));
    expect(answer).toMatchObject({
      status: 200,
      body: { type: '0110', payment_id: null, stan: null, rrn: null, response_code: '30' },
    });
  });
});

describe('a payment', () => {
  let wallet: Wallet;
  beforeAll(async () => {
    wallet = await newWallet(bank, {}, { amount: '1000.00' });
  });

  test('that is approved is held, and a repeat gets the same bytes and holds nothing more', async () => {
    const own = await newWallet(bank);
    const message = own.message({
      billing: euro('30.00'),
      merchant_amount: { amount: '33.00', currency: 'USD' },
    });
    const [first, ...others] = await Promise.all([send(message), send(message), send(message)]);
    expect(first.as(Answer)).toMatchObject({
      ...{ type: '0110', response_code: '00', reason: 'approved', approved: euro('30.00') },
      approval_code: expect.stringMatching(/^[0-9A-F]{6}$/),
    });
    for (const other of others) expect(other.text).toBe(first.text);
    expect(await own.account()).toEqual({ balance: '100.00', available: '70.00' });
    expect(await own.payments()).toMatchObject([
      { status: 'authorised', held: euro('30.00'), merchant: shop, irregularities: [], decline: null },
    ]);
  });

  test('with the keys of another message is a contradiction and changes nothing', async () => {
    const message = wallet.message();
    await send(message);
    const before = await wallet.account();
    const answer = await send({ ...message, billing: euro('20.00') });
    expect(answer.body).toMatchObject({ response_code: '94', reason: 'contradiction', approved: null });
    const other = await newWallet(bank);
    const foreign = await other.pay({ payment_id: message['payment_id'] });
    expect(foreign.reason).toBe('contradiction');
    expect((await other.pay({ billing: { amount: '1.00', currency: 'USD' } })).reason).toBe('contradiction');
    expect(await wallet.account()).toEqual(before);
  });

  test('grows by an increment, gets its total by a completion, and ends by a reversal', async () => {
    const payment_id = newKey();
    const look = () => wallet.payment(payment_id);
    await wallet.pay({ payment_id });
    await wallet.pay({ payment_id, purpose: 'increment', billing: euro('5.00') });
    expect(await look()).toMatchObject({ authorised: euro('15.00'), held: euro('15.00') });
    await wallet.pay({ payment_id, purpose: 'completion', billing: euro('12.00') });
    expect(await look()).toMatchObject({
      authorised: euro('12.00'),
      held: euro('12.00'),
      status: 'authorised',
    });
    const part = { type: '0420', payment_id, billing: euro('2.00') };
    expect(await wallet.pay(part)).toMatchObject({ type: '0430', response_code: '00' });
    expect(await look()).toMatchObject({ held: euro('10.00'), reversed: euro('2.00') });
    await wallet.pay({ type: '0420', payment_id, billing: undefined });
    expect(await look()).toMatchObject({ status: 'reversed', held: euro('0.00'), reversed: euro('12.00') });
  });

  test('that was taken back before it came is declined', async () => {
    const [named, whole] = [wallet.message(), wallet.message()];
    const { stan, rrn } = named;
    const irregularities = [{ code: 'reversal_without_authorisation' }, { code: 'request_after_reversal' }];
    for (const [request, back] of [
      [named, { reverses: { stan, rrn } }],
      [whole, { billing: undefined }],
    ] as const) {
      const { payment_id } = request;
      await wallet.pay({ type: '0420', payment_id, ...back });
      expect((await send(request)).body).toMatchObject({ response_code: '57', reason: 'control' });
      expect(await wallet.payment(String(payment_id))).toMatchObject({
        ...{ status: 'reversed', held: euro('0.00'), irregularities },
        decline: { reason: 'control', rule: 'reversed' },
      });
    }
    const asks = await send({ ...named, stan: newStan(), reverses: { stan, rrn } });
    expect(asks.body).toMatchObject({ reason: 'format_error' });
  });

  test('of which more is taken back than there is has no credit', async () => {
    const payment_id = newKey();
    await wallet.pay({ payment_id });
    await wallet.pay({ type: '0420', payment_id, billing: euro('12.00') });
    expect(await wallet.pay({ payment_id, purpose: 'increment' })).toMatchObject({ reason: 'approved' });
    expect(await wallet.payment(payment_id)).toMatchObject({
      ...{ status: 'authorised', held: euro('10.00'), reversed: euro('10.00') },
      irregularities: [{ code: 'reversal_without_authorisation' }],
    });
  });

  test('is held longer by what adds to it, and not by what is taken back', async () => {
    const own = await newWallet(bank, {}, { amount: '500.00' });
    const payment_id = newKey();
    await own.pay({ payment_id });
    const until = async (): Promise<unknown> => (await own.payment(payment_id))['held_until'];
    await bank.asOwner(
      `update holds set expires_at = '2099-01-01' where source_id = (select id from card_payments where network_id = $1)`,
      [payment_id],
    );
    const before = await until();
    await own.pay({ type: '0420', payment_id, billing: euro('4.00') });
    expect(await until()).toBe(before);
    await own.pay({ payment_id, purpose: 'increment' });
    expect(await until()).not.toBe(before);
  });

  test('of which the request was taken back holds what the network has approved in its place', async () => {
    const payment_id = newKey();
    const request = wallet.message({ payment_id });
    const advice = wallet.message({ payment_id, type: '0120', stood_in: true });
    const { stan, rrn } = request;
    const back = { ...request, type: '0420', reverses: { stan, rrn } };
    for (const message of [request, back, advice]) await send(message);
    expect(await wallet.payment(payment_id)).toMatchObject({ held: euro('10.00'), status: 'authorised' });
    // the request never came: its reversal takes nothing of the advice
    const other = newKey();
    const lost = { ...back, payment_id: other };
    for (const message of [lost, { ...advice, payment_id: other, stan: newStan() }]) await send(message);
    expect(await wallet.payment(other)).toMatchObject({ held: euro('10.00'), status: 'authorised' });
  });

  test('asks about the card or the balance and holds nothing', async () => {
    const before = await wallet.account();
    const pin = await withPin(wallet);
    const check = { purpose: 'account_check', billing: euro('0.00') };
    expect(await wallet.pay(check)).toMatchObject({ reason: 'approved' });
    const asked = await wallet.pay({ ...pin, purpose: 'balance', billing: undefined });
    expect(asked).toMatchObject({ reason: 'approved', balance: euro(before.available) });
    expect((await wallet.pay({ purpose: 'refund' })).reason).toBe('approved');
    expect(await wallet.account()).toEqual(before);
    expect((await wallet.payments()).slice(0, 3).map(({ status }) => status)).toEqual(
      Array(3).fill('checked'),
    );
    const payment_id = newKey();
    await wallet.pay({ ...check, payment_id });
    // what it asks for now decides, not what it asked for first
    expect(await wallet.pay({ payment_id, purpose: 'cash' })).toMatchObject({
      ...{ response_code: '65', reason: 'sca_required' },
    });
    await wallet.pay({ ...pin, payment_id, purpose: 'cash' });
    expect(await wallet.payment(payment_id)).toMatchObject({
      ...{ purpose: 'cash', irregularities: [{ code: 'other_purpose' }] },
    });
  });

  test('of more than there is is declined, or approved in part if the merchant takes a part', async () => {
    const own = await newWallet(bank, {}, { amount: '50.00' });
    const payment_id = newKey();
    const much = { billing: euro('80.00') };
    expect(await own.pay({ ...much, payment_id })).toMatchObject({ response_code: '51' });
    expect(await own.payment(payment_id)).toMatchObject({
      ...{ status: 'declined', authorised: euro('0.00') },
      decline: { reason: 'insufficient_funds', rule: 'funds', limit: null },
    });
    expect(await own.pay({ ...much, partial_ok: true })).toMatchObject({
      ...{ response_code: '10', reason: 'partially_approved', approved: euro('50.00') },
    });
    expect((await own.account()).available).toBe('0.00');
    // it has happened
    await own.pay({ type: '0120', payment_id, billing: euro('5.00'), stood_in: true });
    expect((await own.account()).available).toBe('-5.00');
    expect(await own.payment(payment_id)).toMatchObject({ status: 'authorised', decline: null });
  });

  test('of an unknown final sum holds what its category says', async () => {
    const hold_rules = [
      { mcc: ['5542'], days: 3, amount: euro('60.00') },
      { mcc: ['5812'], days: 7, percent: '20' },
    ];
    const own = await newWallet(bank, { hold_rules }, { amount: '200.00' });
    const payment_id = newKey();
    await own.pay({ payment_id, billing: euro('1.00'), merchant: { ...shop, mcc: '5542' } });
    expect(await own.payment(payment_id)).toMatchObject({ authorised: euro('1.00'), held: euro('60.00') });
    await own.pay({ payment_id, purpose: 'completion', billing: euro('41.37') });
    expect(await own.payment(payment_id)).toMatchObject({ held: euro('41.37') });
    // a part of it is a part of what is set aside
    const poor = await newWallet(bank, { hold_rules }, { amount: '20.00' });
    const fuel = { merchant: { ...shop, mcc: '5542' }, partial_ok: true };
    expect(await poor.pay({ ...fuel, billing: euro('1.00') })).toMatchObject({ response_code: '51' });
    const dear = { merchant: { ...shop, mcc: '5812' }, partial_ok: true, billing: euro('18.00') };
    expect(await poor.pay(dear)).toMatchObject({ response_code: '10', approved: euro('16.66') });
    expect((await poor.account()).available).toBe('0.00');
    const meal = newKey();
    await own.pay({ payment_id: meal, billing: euro('10.01'), merchant: { ...shop, mcc: '5812' } });
    expect(await own.payment(meal)).toMatchObject({ held: euro('12.02') });
  });

  test('ends when its hold has run out', async () => {
    const own = await newWallet(bank, { limits: [{ period: 'day', amount: euro('10.00') }] });
    const payment_id = newKey();
    await own.pay({ payment_id });
    expect((await own.pay()).reason).toBe('limit_exceeded');
    await bank.asOwner(
      `update holds set expires_at = bank_now() - interval '1 hour' where source_id = (select id from card_payments where network_id = $1)`,
      [payment_id],
    );
    await bank.asOwner('select * from holds_end_due(1000)');
    expect(await own.payment(payment_id)).toMatchObject({ status: 'expired', held: euro('0.00') });
    // what was not paid is not used
    expect((await own.pay()).reason).toBe('approved');
    await own.pay({ type: '0420', payment_id });
    expect(await own.payment(payment_id)).toMatchObject({ status: 'reversed' });
    // what happens after all is held again
    await own.pay({ type: '0120', payment_id });
    expect(await own.payment(payment_id)).toMatchObject({ status: 'authorised', held: euro('10.00') });
  });

  test('that has happened in another currency is kept and holds nothing', async () => {
    const own = await newWallet(bank);
    const payment_id = newKey();
    const advice = { type: '0120', payment_id, billing: { amount: '7.00', currency: 'USD' } };
    expect(await own.pay(advice)).toMatchObject({ reason: 'approved', approved: null });
    expect(await own.payment(payment_id)).toMatchObject({
      ...{ held: euro('0.00'), status: 'checked', irregularities: [{ code: 'other_currency' }] },
    });
    await own.pay({ payment_id });
    expect(await own.payment(payment_id)).toMatchObject({ held: euro('10.00'), status: 'authorised' });
  });

  test('to a closed account has happened all the same', async () => {
    const own = await newWallet(bank, {}, { amount: '0.00' });
    await closeAccount(own.holder, own.card.account_id);
    const payment_id = newKey();
    expect((await own.pay({ type: '0120', payment_id })).reason).toBe('approved');
    expect((await own.payment(payment_id)).irregularities).toMatchObject([{ code: 'account_closed' }]);
  });
});

describe('the first reason that applies', () => {
  test('is the state of the card: blocked, replaced, lost, stolen, expired', async () => {
    const wallet = await newWallet(bank);
    const patch = (status: string) => call(wallet.holder, 'PATCH', `/v1/cards/${wallet.card.id}`, { status });
    await patch('blocked');
    expect(await wallet.pay({ expiry: '01/20' })).toMatchObject({
      response_code: '62',
      reason: 'card_blocked',
    });
    await patch('active');
    expect(await wallet.pay({ expiry: '01/20' })).toMatchObject({ response_code: '54' });
    let current = wallet;
    for (const [reason, told] of [
      ['lost', 'card_lost'],
      ['stolen', 'card_stolen'],
      ['damaged', 'card_replaced'],
    ] as const) {
      const stepUp = await wallet.holder.stepUp('replaceCard');
      const path = `/v1/cards/${current.card.id}/replace`;
      const next = (await call(wallet.holder, 'POST', path, { reason }, { stepUp })).as(CardAnswer);
      expect((await current.pay()).reason).toBe(told);
      current = await walletOf(wallet.holder, next);
      expect((await current.pay()).reason).toBe('approved');
    }
  });

  test('is a wrong verification value, and the fifth within an hour locks payments without the card', async () => {
    const wallet = await newWallet(bank);
    const wrong = String((Number(wallet.cvv) + 1) % 1_000).padStart(3, '0');
    const online = { entry_mode: 'ecommerce' };
    expect((await wallet.pay({ ...online, cvv: wallet.cvv })).reason).toBe('approved');
    for (let time = 0; time < 5; time += 1)
      expect(await wallet.pay({ ...online, cvv: wrong })).toMatchObject({
        response_code: '82',
        reason: 'wrong_cvv',
      });
    expect((await wallet.pay({ ...online, cvv: wallet.cvv })).reason).toBe('cvv_locked');
    expect((await wallet.pay()).reason).toBe('approved');
    await bank.asOwner('update card_guards set cvv_locked_until = bank_now() where card_id = $1', [
      wallet.card.id,
    ]);
    expect((await wallet.pay({ ...online, cvv: wallet.cvv })).reason).toBe('approved');
  });

  test('is expired_card for a request without the expiry, unless the merchant has started it', async () => {
    const wallet = await newWallet(bank);
    const without = { expiry: undefined };
    expect((await wallet.pay({ ...without, entry_mode: 'ecommerce' })).reason).toBe('expired_card');
    expect((await wallet.pay({ ...without, entry_mode: 'recurring' })).reason).toBe('approved');
    expect((await wallet.pay({ expiry: '01/20', entry_mode: 'recurring' })).reason).toBe('expired_card');
  });

  test('a wrong expiry is a guess like a wrong verification value, and a lock stops no merchant', async () => {
    const wallet = await newWallet(bank);
    const online = { entry_mode: 'ecommerce' };
    for (let time = 0; time < 5; time += 1)
      expect((await wallet.pay({ ...online, expiry: '01/40' })).reason).toBe('expired_card');
    expect((await wallet.payments())[0]?.decline).toMatchObject({ rule: 'cvv_lock' });
    expect((await wallet.pay(online)).reason).toBe('cvv_locked');
    expect((await wallet.pay({ entry_mode: 'recurring' })).reason).toBe('approved');
  });

  test('nothing that is answered while the card is locked tells right values from wrong ones', async () => {
    const wallet = await newWallet(bank, {}, { amount: '500.00' });
    const other = wallet.cvv === '123' ? '321' : '123';
    for (let time = 0; time < 5; time += 1) await wallet.pay({ entry_mode: 'ecommerce', cvv: other });
    const answers = async (entry_mode: string, values: object[]) =>
      new Set(
        await Promise.all(values.map(async (more) => (await wallet.pay({ entry_mode, ...more })).reason)),
      );
    const typed = [{ cvv: wallet.cvv }, { cvv: other }];
    const expiries = [{}, { expiry: '01/40' }];
    for (const entry_mode of ['ecommerce', 'manual'])
      expect(await answers(entry_mode, [...typed, ...expiries])).toEqual(new Set(['cvv_locked']));
    expect(await answers('recurring', [...typed, ...expiries])).toEqual(new Set(['approved']));
    for (const entry_mode of ['chip', 'contactless', 'magstripe'])
      expect(await answers(entry_mode, typed)).toEqual(new Set(['approved']));
  });

  test('a verification value without the expiry that it was made of is not looked at', async () => {
    const wallet = await newWallet(bank, {}, { amount: '500.00' });
    const subscription = { entry_mode: 'recurring', expiry: undefined, cvv: wallet.cvv };
    for (let time = 0; time < 6; time += 1) expect((await wallet.pay(subscription)).reason).toBe('approved');
  });

  test('is that of its card also for a payment that has its total, or was taken back before it came', async () => {
    const wallet = await newWallet(bank, {}, { amount: '1000.00' });
    const [done, early] = [newKey(), newKey()];
    await wallet.pay({ payment_id: done });
    await wallet.pay({ payment_id: done, purpose: 'completion', billing: euro('8.00') });
    await wallet.pay({ type: '0420', payment_id: early, billing: undefined });
    const more = { purpose: 'increment', billing: euro('500.00') };
    expect(await wallet.pay({ payment_id: done, ...more })).toMatchObject({
      ...{ response_code: '57', reason: 'control', approved: null },
    });
    await bank.asOwner(`update cards set status = 'blocked', blocked_by = 'customer' where id = $1`, [
      wallet.card.id,
    ]);
    for (const payment_id of [done, early])
      expect((await wallet.pay({ payment_id, ...more })).reason).toBe('card_blocked');
    // a total that is smaller gives money back
    expect(
      (await wallet.pay({ payment_id: done, purpose: 'completion', billing: euro('7.00') })).reason,
    ).toBe('approved');
    expect(await wallet.payment(done)).toMatchObject({ held: euro('7.00') });
  });

  test('is sca_required for an increment or a total that asks for more without a proof', async () => {
    const wallet = await newWallet(
      bank,
      { sca: { mode: 'amount', amount: euro('100.00') } },
      {
        amount: '1000.00',
      },
    );
    const online = { entry_mode: 'ecommerce', cvv: wallet.cvv };
    const payment_id = newKey();
    expect((await wallet.pay({ ...online, payment_id })).reason).toBe('approved');
    for (const purpose of ['increment', 'completion'])
      for (const id of [payment_id, newKey()])
        expect(
          (await wallet.pay({ ...online, payment_id: id, purpose, billing: euro('500.00') })).reason,
        ).toBe('sca_required');
  });

  test('is account_unavailable while the holder is blocked', async () => {
    const wallet = await newWallet(bank);
    const block = (status: string) =>
      bank.asOwner('update users set status = $2 where id = $1', [wallet.holder.id, status]);
    await block('blocked');
    expect(await wallet.pay()).toMatchObject({ response_code: '05', reason: 'account_unavailable' });
    await block('active');
    expect((await wallet.pay()).reason).toBe('approved');
  });

  test('is one and the same for an account that is blocked, frozen or flagged', async () => {
    const wallet = await newWallet(bank);
    const { account_id: account } = wallet.card;
    for (const status of ['blocked', 'frozen']) {
      await bank.asOwner('update accounts set status = $2 where id = $1', [account, status]);
      expect(await wallet.pay()).toMatchObject({ response_code: '05', reason: 'account_unavailable' });
    }
    await bank.asOwner(`update accounts set status = 'open' where id = $1`, [account]);
    const reviewer = await bank.admin('aml:review');
    const flagged = await call(reviewer, 'POST', `/v1/admin/accounts/${account}/aml-flag`, {
      reason: 'Odd payments',
    });
    expect(flagged.status).toBe(201);
    const payment_id = newKey();
    expect((await wallet.pay({ payment_id })).reason).toBe('account_unavailable');
    expect((await wallet.payment(payment_id)).decline).toMatchObject({
      ...{ reason: 'account_unavailable', rule: 'account' },
    });
  });

  test('is a proof that the bank has not made', async () => {
    const wallet = await newWallet(bank);
    const tried = await wallet.pay({ entry_mode: 'ecommerce', proof: 'made up' });
    expect(tried).toMatchObject({ response_code: '05', reason: 'proof_mismatch' });
  });
});
