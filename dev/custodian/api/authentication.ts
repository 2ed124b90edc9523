/** Authentication of requests: a JWT of the API user that names the address and the hash of the body, valid once and for a minute. */
import { createHash, type KeyObject } from 'node:crypto';
import { compactVerify, decodeJwt, errors } from 'jose';
import { z } from 'zod';
import { Refused } from './refused.ts';

export interface ApiUser {
  readonly apiKey: string;
  readonly publicKey: KeyObject;
}

export interface Signed {
  /** Path and query of the request, unchanged. */
  readonly url: string;
  readonly apiKey: string | undefined;
  readonly authorization: string | undefined;
  readonly body: Buffer;
}

/** Fireblocks documents 30 seconds; its SDK signs for 55. */
const LONGEST_SECONDS = 60;

const Claims = z.looseObject({
  uri: z.string(),
  nonce: z.union([z.string().min(1), z.number()]).transform(String),
  iat: z.number(),
  exp: z.number(),
  bodyHash: z.string(),
});

/** Checks that a request comes from the API user; otherwise throws the refusal that Fireblocks answers. */
export function createAuthentication({ apiKey, publicKey }: ApiUser, now: () => number = Date.now) {
  /** Nonces with the expiry of their token: after that the token is refused anyway. */
  const used = new Map<string, number>();

  return async ({ url, authorization, body, ...request }: Signed): Promise<void> => {
    const token = /^Bearer (.+)$/i.exec(authorization ?? '')?.[1];
    if (token === undefined) throw refused(-3, 'JWT is missing');
    const subject = subjectOf(token);
    if (subject === undefined) throw refused(-2, 'API key is missing in the JWT');
    if (subject !== request.apiKey || subject !== apiKey)
      throw refused(-6, 'The API key is not that of the user');
    const claims = Claims.safeParse(await payloadOf(token, publicKey));
    if (!claims.success) throw refused(-5, 'The token is not of the right format');
    const { uri, nonce, iat, exp, bodyHash } = claims.data;
    const seconds = now() / 1_000;
    if (uri !== url) throw refused(-4, 'The URL in the JWT is not that of the request');
    // one second of tolerance for the clock of the caller
    if (iat > seconds + 1) throw refused(-12, 'The token was issued in the future');
    if (exp <= seconds) throw refused(-10, 'The token has expired');
    if (exp - iat > LONGEST_SECONDS) throw refused(-7, 'The token lives for too long');
    if (bodyHash !== createHash('sha256').update(body).digest('hex'))
      throw refused(-7, 'The hash of the body is another one');
    for (const [old, until] of used) if (until <= seconds) used.delete(old);
    if (used.has(nonce)) throw refused(-7, 'The nonce was used before');
    used.set(nonce, exp);
  };
}

function refused(code: number, message: string): Refused {
  return new Refused(401, code, message);
}

function subjectOf(token: string): string | undefined {
  try {
    return decodeJwt(token).sub;
  } catch {
    throw refused(-5, 'The token is not of the right format');
  }
}

async function payloadOf(token: string, key: KeyObject): Promise<unknown> {
  try {
    const { payload } = await compactVerify(token, key, { algorithms: ['RS256'] });
    return JSON.parse(Buffer.from(payload).toString());
  } catch (error) {
    if (error instanceof errors.JOSEError) throw refused(-1, 'The signature of the token is wrong');
    throw error;
  }
}
