/** 3-D Secure from end to end: the network asks who pays, the holder answers, and the payment brings the proof. */
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { createCardVault } from '../../../adapters/card-vault.ts';
import { networkKeys } from '../../../adapters/card-network.ts';
import { loadConfig } from '../../../config.ts';
import { AuthenticationWish, createAuthentications } from '../../../dev/cards/authentications.ts';
import { call, euro } from '../../support/bank/accounts.ts';
import { openBank, type Bank } from '../../support/bank/bank.ts';
import { shop } from '../../support/bank/card-network.ts';
import {
  approve,
  askDoor,
  authenticate,
  authenticationOf,
  CONFIRMATION,
  decline,
  newChallenge,
  onlineWallet,
} from '../../support/bank/challenges.ts';
import { feedOf } from '../../support/bank/notifications.ts';
import { withoutTriggers } from '../../support/bank/without-triggers.ts';
import { apiClient, codeOf, newKey } from '../../support/client.ts';
import { stack } from '../../support/stack/stack.ts';

let bank: Bank;
beforeAll(() => {
  bank = openBank();
});
afterAll(() => bank.close());

const online = { entry_mode: 'ecommerce', billing: euro('50.00') };

test('the holder is told at once, approves it, and the payment brings the proof once', async () => {
  const { wallet, id, now } = await newChallenge(bank);
  const { holder, card } = wallet;
  expect(await now()).toMatchObject({ id, status: 'pending', reason: null, proof: null });
  const [told] = (await feedOf(holder, 1, '?type=card_challenge')).items;
  expect(told?.body).toBe(
    `Somebody wants to pay €50.00 at Corner shop with your card ending in ${card.last_four}. Approve or decline it in the app within a few minutes.`,
  );
  const { items } = (await call(holder, 'GET', '/v1/card-challenges?status=pending')).body as {
    items: object[];
  };
  expect(items).toMatchObject([
    {
      ...{ id, card_id: card.id, last_four: card.last_four, merchant: shop, amount: euro('50.00') },
      ...{ status: 'pending', decided_at: null },
    },
  ]);
  expect((await wallet.pay(online)).response_code).toBe('1A');
  expect((await approve(wallet, id)).body).toMatchObject({ id, status: 'authenticated' });
  const { status, proof } = await now();
  expect(status).toBe('authenticated');
  const payment_id = newKey();
  expect(await wallet.pay({ ...online, payment_id, proof })).toMatchObject({ response_code: '00' });
  expect(await wallet.pay({ ...online, proof })).toMatchObject({
    ...{ response_code: '05', reason: 'proof_mismatch' },
  });
  expect((await wallet.payments())[0]?.decline).toMatchObject({ reason: 'proof_mismatch', rule: 'proof' });
  const audit = await bank.asOwner(
    `select actor_id, action, after from audit_log where subject_type = 'card_challenge' and subject_id = $1`,
    [id],
  );
  expect(audit).toMatchObject([
    {
      ...{ actor_id: holder.id, action: 'card_challenge.approved' },
      after: { status: 'authenticated', amount: euro('50.00'), merchant: shop.id },
    },
  ]);
});

test('a small payment is authenticated without asking, and its proof is spent too', async () => {
  const wallet = await onlineWallet(bank);
  const { status, proof } = await authenticate(wallet, { billing: euro('30.00') });
  expect(status).toBe('authenticated');
  const payment = { ...online, billing: euro('30.00'), proof };
  expect((await wallet.pay(payment)).reason).toBe('approved');
  expect((await wallet.pay(payment)).reason).toBe('proof_mismatch');
  expect((await call(wallet.holder, 'GET', '/v1/card-challenges')).body).toMatchObject({ items: [] });
});

describe('a proof', () => {
  const proven = async () => {
    const { wallet, id, now } = await newChallenge(bank);
    await approve(wallet, id);
    return { wallet, proof: (await now()).proof ?? '' };
  };

  test.each([
    ['is not good for a cent more', { billing: euro('50.01') }],
    ['is not good for another shop', { merchant: { ...shop, id: 'SHOP2' } }],
  ])('%s', async (_, wish) => {
    const { wallet, proof } = await proven();
    expect((await wallet.pay({ ...online, ...wish, proof })).reason).toBe('proof_mismatch');
    expect((await wallet.pay({ ...online, proof })).reason).toBe('approved');
  });

  test('cannot be made up, changed or made by another bank', async () => {
    const { wallet, proof } = await proven();
    const changed = `${proof.slice(0, -2)}${proof.endsWith('AA') ? 'BA' : 'AA'}`;
    const other = createCardVault([`other:${Buffer.alloc(32, 'x').toString('base64')}`]);
    for (const wrong of ['yes', changed, other.proofs.of(newKey()), proof.slice(0, 20)])
      expect((await wallet.pay({ ...online, proof: wrong })).reason).toBe('proof_mismatch');
    expect((await wallet.pay({ ...online, proof })).reason).toBe('approved');
  });
});

describe('approving', () => {
  test('takes a step-up for this amount and this merchant', async () => {
    const { wallet, id } = await newChallenge(bank);
    const other = { ...CONFIRMATION, amount: euro('5.00') };
    expect(codeOf(await call(wallet.holder, 'POST', `/v1/card-challenges/${id}/approve`, CONFIRMATION))).toBe(
      'step_up_required',
    );
    const token = await wallet.holder.stepUp('approveCardChallenge', other);
    expect((await approve(wallet, id, CONFIRMATION, token)).body).toMatchObject({ reason: 'other_request' });
    expect((await approve(wallet, id, other)).body).toMatchObject({
      ...{ status: 400, errors: [{ pointer: '/amount', code: 'other_amount' }] },
    });
    expect((await approve(wallet, id, { ...CONFIRMATION, merchant: 'Corner' })).body).toMatchObject({
      ...{ status: 400, errors: [{ pointer: '/merchant', code: 'other_merchant' }] },
    });
    expect((await approve(wallet, id)).status).toBe(200);
  });

  test('comes too late after the time, after a decline and after itself', async () => {
    const { wallet, id } = await newChallenge(bank);
    expect((await decline(wallet, id)).body).toMatchObject({ status: 'declined' });
    const refused = { status: 409, code: 'already_decided' };
    const by = wallet.holder.id;
    expect((await approve(wallet, id)).body).toMatchObject({
      ...refused,
      decision: 'declined',
      decided_by: by,
    });
    const second = await newChallenge(bank, wallet);
    expect((await approve(wallet, second.id)).status).toBe(200);
    for (const again of [await approve(wallet, second.id), await decline(wallet, second.id)])
      expect(again.body).toMatchObject({ ...refused, decision: 'authenticated', decided_by: by });
    const third = await newChallenge(bank, wallet);
    await bank.asOwner(
      withoutTriggers(
        ['card_authentications'],
        `update card_authentications set expires_at = now() - interval '1 second' where id = '${third.id}'`,
      ),
    );
    expect((await approve(wallet, third.id)).body).toMatchObject({
      ...{ ...refused, decision: 'expired', decided_by: null },
    });
    expect(await third.now()).toMatchObject({ status: 'expired', proof: null });
  });

  test('is not for somebody else, who does not see it either', async () => {
    const { id, now } = await newChallenge(bank);
    const stranger = { holder: await bank.customer() };
    for (const answer of [
      await call(stranger.holder, 'GET', `/v1/card-challenges/${id}`),
      await approve(stranger, id),
      await decline(stranger, id, { block_card: true }),
    ])
      expect(answer.body).toMatchObject({ status: 404, code: 'not_found' });
    expect(await now()).toMatchObject({ status: 'pending' });
  });
});

test('whoever has not paid there declines it and blocks the card, in one call', async () => {
  const { wallet, id, now } = await newChallenge(bank);
  expect((await decline(wallet, id, { block_card: true })).body).toMatchObject({ status: 'declined' });
  expect(await now()).toMatchObject({ status: 'declined', proof: null });
  expect((await call(wallet.holder, 'GET', `/v1/cards/${wallet.card.id}`)).body).toMatchObject({
    ...{ status: 'blocked', blocked_by: 'customer' },
  });
  expect(await authenticate(wallet)).toMatchObject({ status: 'refused', reason: 'card_blocked' });
});

describe('the door', () => {
  test('takes what the network has signed', async () => {
    const wallet = await onlineWallet(bank);
    const path = '/v1/cards/network/authentications';
    expect((await apiClient().call('POST', path, { body: authenticationOf(wallet) })).status).toBe(401);
  });

  test('refuses other content under an id that it knows', async () => {
    const wallet = await onlineWallet(bank);
    const body = authenticationOf(wallet);
    const first = await askDoor(body);
    expect((await askDoor({ ...body, billing: euro('60.00') })).body).toMatchObject({
      ...{ status: 'refused', reason: 'contradiction', proof: null },
    });
    expect((await askDoor(body)).text).toBe(first.text);
  });

  test('says of a card that cannot pay what a payment is answered', async () => {
    const wallet = await onlineWallet(bank);
    const refused = async (more: object) => (await authenticate(wallet, more)).reason;
    expect(await refused({ pan: '9999900000000009' })).toBe('unknown_card');
    expect(await refused({ billing: { amount: '50.00', currency: 'USD' } })).toBe('contradiction');
    expect(await refused({ expiry: '01/40' })).toBe('expired_card');
    await bank.asOwner(`update accounts set status = 'blocked' where id = $1`, [wallet.card.account_id]);
    expect(await refused({})).toBe('account_unavailable');
  });

  test('guesses at an expiry lock payments online, and the holder is told', async () => {
    const wallet = await onlineWallet(bank);
    for (let time = 0; time < 5; time += 1) await authenticate(wallet, { expiry: '01/40' });
    expect((await wallet.pay({ ...online, billing: euro('1.00') })).reason).toBe('cvv_locked');
    expect(await authenticate(wallet)).toMatchObject({ status: 'refused', reason: 'cvv_locked' });
    const { items } = await feedOf(wallet.holder, 2, '?type=card_declined');
    expect(items.at(-1)?.body).toContain('payments without the card are locked for a while');
  });
});

test('the simulator asks, and asks again until there is a proof', async () => {
  const wallet = await onlineWallet(bank);
  const [first] = networkKeys(loadConfig(stack.serviceEnv).CARD_NETWORK_KEYS);
  if (first === undefined) throw new Error('no key');
  const [kid, key] = first;
  const network = createAuthentications({ door: `${stack.api}/v1/cards/network/authentications`, kid, key });
  const asked = await network.ask(AuthenticationWish.parse({ pan: wallet.pan, billing: euro('50.00') }));
  expect(asked).toMatchObject({ status: 'pending', proof: null });
  await approve(wallet, asked.id);
  const { status, proof } = await network.now(asked.id);
  expect(status).toBe('authenticated');
  expect((await wallet.pay({ ...online, proof })).reason).toBe('approved');
});
