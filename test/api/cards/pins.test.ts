/** PINs: they arrive encrypted, nobody reads them, wrong ones are counted, and secrets are shown to a client's key if it has one. */
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { compactDecrypt, exportJWK, generateKeyPair } from 'jose';
import pg from 'pg';
import { z } from 'zod';
import { createCardVault } from '../../../adapters/card-vault.ts';
import { loadConfig } from '../../../config.ts';
import { openBank, type Bank, type Person } from '../../support/bank/bank.ts';
import { call } from '../../support/bank/accounts.ts';
import { cardPlan, newCard, numberOf, type CardAnswer } from '../../support/bank/cards.ts';
import { encryptedPin, putPin, setPin } from '../../support/bank/pins.ts';
import { codeOf } from '../../support/client.ts';
import { stack } from '../../support/stack/stack.ts';

let bank: Bank;
let holder: Person;
let card: CardAnswer;
let productId: string;
const vault = createCardVault(loadConfig(stack.serviceEnv).CARD_KEYS);
beforeAll(async () => {
  bank = openBank();
  holder = await bank.customer();
  ({ productId } = await cardPlan(bank));
  card = await newCard(bank, holder, productId);
});
afterAll(() => bank.close());

/** As the network door tries what was typed at a terminal. */
async function tried({ id }: { id: string }, pin: string): Promise<unknown> {
  const values = vault.pins.values(id, pin).map(({ keyId, value }) => [keyId, value.toString('hex')]);
  const [row] = await bank.asOwner(`select card_pin_try($1, $2)->>'reason' as verdict`, [
    id,
    JSON.stringify(Object.fromEntries(values)),
  ]);
  return row?.['verdict'];
}
const stateOf = async ({ id }: { id: string }) => (await call(holder, 'GET', `/v1/cards/${id}`)).body;
const unlock = async ({ id }: { id: string }) =>
  call(holder, 'POST', `/v1/cards/${id}/pin/unlock`, undefined, {
    stepUp: await holder.stepUp('unlockCardPin'),
  });

test('a PIN is set and changed, and only the newest one is right', async () => {
  expect(card).toMatchObject({ pin_status: 'unset' });
  expect(await tried(card, '1234')).toBe('wrong_pin');
  expect(await setPin(holder, card, '4711')).toMatchObject({ status: 200, body: { pin_status: 'set' } });
  expect(await tried(card, '4711')).toBeNull();
  await setPin(holder, card, '081509');
  expect(await tried(card, '4711')).toBe('wrong_pin');
  expect(await tried(card, '081509')).toBeNull();
  const entries = await bank.asOwner(
    `select action, before, after from audit_log where subject_id = $1 and action like 'card.pin%'`,
    [card.id],
  );
  expect(entries).toEqual(
    Array.from({ length: 2 }, () => ({ action: 'card.pin_set', before: null, after: null })),
  );
});

test('three wrong PINs lock it, a right one between them starts the count again, and its holder unlocks it', async () => {
  const locked = await newCard(bank, holder, productId);
  expect(codeOf(await unlock(locked))).toBe('pin_unset');
  await setPin(holder, locked, '4711');
  for (const pin of ['1111', '2222', '4711', '1111', '2222', '3333']) await tried(locked, pin);
  expect(await stateOf(locked)).toMatchObject({ pin_status: 'locked', status: 'active' });
  expect(await tried(locked, '4711')).toBe('pin_locked');
  expect((await unlock(locked)).body).toMatchObject({ pin_status: 'set' });
  expect((await unlock(locked)).body).toMatchObject({ pin_status: 'set' });
  expect(await tried(locked, '4711')).toBeNull();
  for (const pin of ['1111', '2222', '3333']) await tried(locked, pin);
  await setPin(holder, locked, '5508');
  expect(await stateOf(locked)).toMatchObject({ pin_status: 'set' });
  expect(await tried(locked, '5508')).toBeNull();
});

test('ten wrong PINs at once are three tries', async () => {
  const attacked = await newCard(bank, holder, productId);
  await setPin(holder, attacked, '4711');
  const answers = await Promise.all(Array.from({ length: 10 }, (_, n) => tried(attacked, `000${n}`)));
  expect(answers.filter((answer) => answer === 'wrong_pin')).toHaveLength(3);
  expect(await tried(attacked, '4711')).toBe('pin_locked');
});

test('a message is taken once, for its own card, and only if it is a PIN for a key of the bank', async () => {
  const message = await encryptedPin(holder, { pin: '4711', card_id: card.id });
  expect((await putPin(holder, card, message)).status).toBe(200);
  const other = await newCard(bank, holder, productId);
  const wrong: readonly (readonly [string, string])[] = [
    ['used', message],
    ['other_card', await encryptedPin(holder, { pin: '4711', card_id: other.id })],
    ['unreadable', await encryptedPin(holder, { pin: '471', card_id: card.id })],
    ['unreadable', await encryptedPin(holder, { pin: '47a1', card_id: card.id })],
    ['unreadable', await encryptedPin(holder, { pin: '4711', card_id: card.id, nonce: 'short' })],
    ['unreadable', await encryptedPin(holder, { pin: '4711', card_id: card.id }, { kid: 'unknown' })],
    ['unreadable', await encryptedPin(holder, { pin: '4711', card_id: card.id }, { enc: 'A128GCM' })],
    ['unreadable', `${message.slice(0, -4)}AAAA`],
    ['unreadable', '4711'],
  ];
  for (const [code, pin] of wrong) {
    const answer = await putPin(holder, card, pin);
    expect(answer.body).toMatchObject({ status: 400, errors: [{ pointer: '/pin', code }] });
    expect(JSON.stringify(answer.body)).not.toContain('4711');
  }
});

test('a PIN that thieves try first is refused', async () => {
  await bank.asOwner(`update users set date_of_birth = '1987-05-04' where id = $1`, [holder.id]);
  for (const pin of ['7777', '1212', '123123', '3456', '987654', '8901', '1987']) {
    const answer = await setPin(holder, card, pin);
    expect(answer.body).toMatchObject({ status: 400, code: 'weak_pin', errors: [{ pointer: '/pin' }] });
    expect(JSON.stringify(answer.body)).not.toContain(pin);
  }
  expect((await setPin(holder, card, '8719')).status).toBe(200);
});

test('a PIN needs a step-up and the own card, and a closed card has none', async () => {
  const closed = await newCard(bank, holder, productId);
  const pin = await encryptedPin(holder, { pin: '4711', card_id: closed.id });
  const bare = await call(holder, 'PUT', `/v1/cards/${closed.id}/pin`, { pin });
  expect(codeOf(bare)).toBe('step_up_required');
  const stranger = await bank.customer();
  expect(codeOf(await putPin(stranger, closed, pin))).toBe('not_found');
  await call(holder, 'POST', `/v1/cards/${closed.id}/close`);
  expect(codeOf(await putPin(holder, closed, pin))).toBe('card_closed');
  expect(codeOf(await unlock(closed))).toBe('card_closed');
  const [{ refusal } = {}] = await bank.asOwner('select card_pin_unlock($1, $2) as refusal', [
    ...[closed.id, stranger.id],
  ]);
  expect(refusal).toBe('not_found');
});

test('the application reads no verification value and cannot try a PIN', async () => {
  const app = new pg.Pool({ connectionString: stack.databaseUrl, max: 1 });
  try {
    for (const statement of [
      'select * from card_pins',
      'update card_pins set wrong_tries = 0',
      'select * from card_pin_changes',
      `select card_pin_try('${card.id}', '{}')`,
    ])
      await expect(app.query(statement)).rejects.toMatchObject({ code: '42501' });
  } finally {
    await app.end();
  }
  await expect(bank.asOwner('delete from card_pin_changes')).rejects.toThrow(/append-only/);
});

const Sealed = z.strictObject({ jwe: z.string() });

test.each(['ECDH-ES', 'RSA-OAEP-256'])('a number is shown to a key of the client by %s', async (alg) => {
  const { publicKey, privateKey } = await generateKeyPair(alg, { extractable: true });
  const text = Buffer.from(JSON.stringify(await exportJWK(publicKey))).toString('base64url');
  const answer = await call(holder, 'GET', `/v1/cards/${card.id}/number`, undefined, {
    query: { public_key: text },
  });
  const { jwe } = answer.as(Sealed);
  const { plaintext } = await compactDecrypt(jwe, privateKey);
  const shown: unknown = JSON.parse(Buffer.from(plaintext).toString());
  expect(shown).toEqual({ number: await numberOf(holder, card), expiry: card.expiry });
});

test.each([
  ['no key', 'bm9uZQ'],
  ['a symmetric key', Buffer.from('{"kty":"oct","k":"AAAA"}').toString('base64url')],
  ['a short RSA key', Buffer.from('{"kty":"RSA","n":"AAAA","e":"AQAB"}').toString('base64url')],
  [
    'a point that is not on the curve',
    Buffer.from(
      JSON.stringify({ kty: 'EC', crv: 'P-256', x: 'A'.repeat(43), y: 'A'.repeat(42).concat('E') }),
    ).toString('base64url'),
  ],
])('%s is refused', async (_what, text) => {
  const answer = await call(holder, 'GET', `/v1/cards/${card.id}/number`, undefined, {
    query: { public_key: text },
  });
  expect(answer.body).toMatchObject({ status: 400, errors: [{ pointer: '/public_key', code: 'unusable' }] });
});
