/** PINs of cards, encrypted as a client does it. */
import { CompactEncrypt, importJWK } from 'jose';
import { z } from 'zod';
import type { Person } from './bank.ts';
import { newKey, type Answered } from '../client.ts';
import { call } from './accounts.ts';

const KeySet = z.object({
  keys: z
    .array(
      z.object({
        kty: z.literal('EC'),
        crv: z.literal('P-256'),
        x: z.string(),
        y: z.string(),
        kid: z.string(),
        alg: z.literal('ECDH-ES'),
        use: z.literal('enc'),
      }),
    )
    .min(1),
});

/** What a client encrypts for the bank. */
export interface PinWords {
  readonly pin: string;
  readonly card_id: string;
  readonly nonce?: string;
}

/** A PIN in a compact JWE for the first key that the bank shows; `header` changes what stands above it. */
export async function encryptedPin(holder: Person, words: PinWords, header: object = {}): Promise<string> {
  const answer = await call(holder, 'GET', '/v1/cards/keys');
  const [key] = answer.as(KeySet).keys;
  if (key === undefined) throw new Error('the bank shows no key');
  const plain = Buffer.from(JSON.stringify({ nonce: newKey(), ...words }));
  return new CompactEncrypt(plain)
    .setProtectedHeader({ alg: key.alg, enc: 'A256GCM', kid: key.kid, ...header })
    .encrypt(await importJWK(key, key.alg));
}

/** Sets the PIN of a card by this message. */
export async function putPin(holder: Person, card: { readonly id: string }, pin: string): Promise<Answered> {
  const stepUp = await holder.stepUp('setCardPin');
  return call(holder, 'PUT', `/v1/cards/${card.id}/pin`, { pin }, { stepUp });
}

/** Sets the PIN of a card to these digits. */
export async function setPin(holder: Person, card: { readonly id: string }, pin: string): Promise<Answered> {
  return putPin(holder, card, await encryptedPin(holder, { pin, card_id: card.id }));
}
