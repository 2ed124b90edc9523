/**
 * The secrets of cards: numbers are sealed, found by a keyed hash, and give verification values. All of it with a ring of keys that
 * protects nothing else; a hardware security module can take the place of this.
 */
import { createHmac, hkdfSync } from 'node:crypto';
import { verificationValue } from '../domain/cards/verification-value.ts';
import { createCardPins, type CardPins } from './card-pins.ts';
import { createCardProofs, type CardProofs } from './card-proofs.ts';
import { createCipher } from './cipher.ts';

/** The service code of the value that is printed on a card. */
const PRINTED = '000';
const KEY_BYTES = 16;

/** What must never be written in clear. */
export interface CardVault {
  /** Id of the key that seals now. */
  readonly keyId: string;
  /** Ids of all keys. */
  readonly keyIds: readonly string[];
  seal(pan: string, cardId: string): Buffer;
  /** Throws if the number was sealed for another card, or with a key that is gone. */
  open(sealed: Uint8Array, cardId: string): string;
  /** Keyed hashes of a number in hex, one for each key, that of `keyId` first. */
  indexes(pan: string): string[];
  /** The value on the back of the card. Throws if the key is gone. */
  cvv(keyId: string, pan: string, expiry: string): string;
  readonly pins: CardPins;
  readonly proofs: CardProofs;
}

/** Entries are `id:base64` of 32 bytes; the first seals, all open. */
export function createCardVault(ring: readonly string[]): CardVault {
  const cipher = createCipher(ring);
  const masters = new Map(ring.map((entry) => readEntry(entry)));
  const derived = (master: Buffer, purpose: string, bytes: number): Buffer =>
    Buffer.from(hkdfSync('sha256', master, '', `teller/card/${purpose}`, bytes));
  const indexKeys = [...masters.values()].map((master) => derived(master, 'index', 32));
  const cvvKeys = new Map([...masters].map(([id, master]) => [id, derived(master, 'cvv', KEY_BYTES)]));
  const contextOf = (cardId: string): string => `card:${cardId}`;
  return {
    keyId: cipher.keyId,
    keyIds: [...masters.keys()],
    pins: createCardPins(masters),
    proofs: createCardProofs([...masters.values()].map((master) => derived(master, 'proof', 32))),
    seal: (pan, cardId) => cipher.seal(Buffer.from(pan), contextOf(cardId)),
    open: (sealed, cardId) => cipher.open(sealed, contextOf(cardId)).toString(),
    indexes: (pan) => indexKeys.map((key) => createHmac('sha256', key).update(pan).digest('hex')),
    cvv(keyId, pan, expiry) {
      const key = cvvKeys.get(keyId);
      if (key === undefined) throw new Error('the key of a card is not in the ring');
      return verificationValue({ key: key.toString('hex'), pan, expiry, serviceCode: PRINTED });
    },
  };
}

function readEntry(entry: string): readonly [string, Buffer] {
  const split = entry.indexOf(':');
  return [entry.slice(0, split), Buffer.from(entry.slice(split + 1), 'base64')];
}
