/**
 * PINs as they arrive and as they are compared. Holders encrypt a PIN for a public key of the bank; what is kept is a keyed hash.
 * All keys come from the ring of card keys, so that every replica has the same ones; a hardware security module can take their place.
 */
import { createECDH, createHmac, hkdfSync } from 'node:crypto';
import { compactDecrypt, errors, importJWK, type JWK } from 'jose';
import { z } from 'zod';

/** A public key for which a PIN is encrypted (RFC 7517). */
export interface PinKey {
  readonly kty: 'EC';
  readonly crv: 'P-256';
  readonly x: string;
  readonly y: string;
  readonly kid: string;
  readonly alg: typeof AGREEMENT;
  readonly use: 'enc';
}

const PinMessage = z.strictObject({
  // the lengths that ISO 9564-1 knows
  pin: z.string().regex(/^\d{4,12}$/),
  card_id: z.string(),
  nonce: z.string().min(8).max(128),
});
/** What a holder has encrypted. */
export type PinMessage = z.output<typeof PinMessage>;

/** A verification value, and the key that has made it. */
export interface PinValue {
  readonly keyId: string;
  readonly value: Buffer;
}

export interface CardPins {
  /** The public keys that take a PIN, the newest first. */
  readonly keys: readonly PinKey[];
  /** The message inside a compact JWE; undefined if it is not for a key of the ring, was changed, or says something else. */
  open(jwe: string): Promise<PinMessage | undefined>;
  /** The value of a PIN under every key of the ring, the newest first. */
  values(cardId: string, pin: string): [PinValue, ...PinValue[]];
}

interface Key {
  readonly id: string;
  readonly exchange: JWK & PinKey;
  readonly verification: Buffer;
}

const AGREEMENT = 'ECDH-ES';
/** Order of P-256 (FIPS 186-5). */
const ORDER = 0xffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551n;
const COORDINATE_BYTES = 32;

/** Of the keys of the ring, the newest first. */
export function createCardPins(masters: ReadonlyMap<string, Buffer>): CardPins {
  const [first, ...others] = [...masters].map(([id, master]) => keyOf(id, master));
  if (first === undefined) throw new Error('the ring of card keys is empty');
  const keys = [first, ...others];

  return {
    keys: keys.map(({ exchange: { d: _secret, ...shown } }) => shown),
    async open(jwe) {
      try {
        const { plaintext } = await compactDecrypt(jwe, ({ kid }) => privateKey(keys, kid), {
          keyManagementAlgorithms: [AGREEMENT],
          contentEncryptionAlgorithms: ['A256GCM'],
        });
        return PinMessage.safeParse(JSON.parse(Buffer.from(plaintext).toString())).data;
      } catch (error) {
        if (error instanceof errors.JOSEError || error instanceof SyntaxError) return undefined;
        throw error;
      }
    },
    values: (cardId, pin) => [valueOf(first, cardId, pin), ...others.map((key) => valueOf(key, cardId, pin))],
  };
}

function valueOf({ id, verification }: Key, cardId: string, pin: string): PinValue {
  return { keyId: id, value: createHmac('sha256', verification).update(`${cardId}:${pin}`).digest() };
}

async function privateKey(keys: readonly Key[], kid: string | undefined) {
  const key = keys.find(({ id }) => id === kid);
  if (key === undefined) throw new errors.JWKSNoMatchingKey();
  return importJWK(key.exchange, AGREEMENT);
}

function keyOf(id: string, master: Buffer): Key {
  const derived = (purpose: string, bytes: number): Buffer =>
    Buffer.from(hkdfSync('sha256', master, '', `teller/card/${purpose}`, bytes));
  // 16 bytes more than the order has, so that no scalar is likelier than another (FIPS 186-5, A.2.1)
  const scalar = (BigInt(`0x${derived('pin-exchange', 48).toString('hex')}`) % (ORDER - 1n)) + 1n;
  const secret = Buffer.from(scalar.toString(16).padStart(2 * COORDINATE_BYTES, '0'), 'hex');
  const curve = createECDH('prime256v1');
  curve.setPrivateKey(secret);
  const point = curve.getPublicKey().subarray(1);
  const [x, y] = [point.subarray(0, COORDINATE_BYTES), point.subarray(COORDINATE_BYTES)];
  return {
    id,
    verification: derived('pin-verification', 32),
    exchange: {
      ...{ kty: 'EC', crv: 'P-256', x: x.toString('base64url'), y: y.toString('base64url') },
      ...{ kid: id, alg: AGREEMENT, use: 'enc', d: secret.toString('base64url') },
    },
  };
}
