/** Encrypts a secret for a key that a client has made for one answer, so that nothing between the two can read it. */
import { CompactEncrypt, importJWK } from 'jose';
import { z } from 'zod';

/** Larger numbers are attacks on our time, smaller ones no protection (NIST SP 800-57). */
const RSA_BITS = { least: 2_048, most: 4_096 } as const;

const coordinate = z.string().regex(/^[\w-]{43}$/);
const ClientKey = z.union([
  z.object({ kty: z.literal('EC'), crv: z.literal('P-256'), x: coordinate, y: coordinate }),
  z.object({ kty: z.literal('RSA'), n: z.string().regex(/^[\w-]+$/), e: z.literal('AQAB') }),
]);
/** A public key of a client (RFC 7517): P-256 for ECDH-ES, or RSA for RSA-OAEP-256. */
export type ClientKey = z.output<typeof ClientKey>;

/** The key inside base64url of a JSON web key; undefined if it is none that can be used. What it says of a private key is left out. */
export function readClientKey(text: string): ClientKey | undefined {
  try {
    const key = ClientKey.safeParse(JSON.parse(Buffer.from(text, 'base64url').toString())).data;
    return key?.kty === 'RSA' && !isFitting(key.n) ? undefined : key;
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

function isFitting(modulus: string): boolean {
  const bits = Buffer.from(modulus, 'base64url').length * 8;
  return bits >= RSA_BITS.least && bits <= RSA_BITS.most;
}

/** A compact JWE of the secret, as JSON. Undefined for a point that is not on the curve. */
export async function encryptFor(key: ClientKey, secret: object): Promise<string | undefined> {
  const alg = key.kty === 'EC' ? 'ECDH-ES' : 'RSA-OAEP-256';
  const imported = await importJWK(key, alg).catch(() => undefined);
  if (imported === undefined) return undefined;
  return new CompactEncrypt(Buffer.from(JSON.stringify(secret)))
    .setProtectedHeader({ alg, enc: 'A256GCM' })
    .encrypt(imported);
}
