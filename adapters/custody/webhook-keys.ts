/**
 * Signatures of the custodian's webhooks: a detached JWS (RFC 7515 appendix F) over the raw body, by one of the keys of its JWKS. The
 * keys are kept for an hour, and for longer while they cannot be read again.
 */
import { errors, flattenedVerify, importJWK } from 'jose';
import type { Logger } from 'pino';
import { z } from 'zod';
import type { Config } from '../../config.ts';
import { textWithin } from '../bounded-text.ts';
import { partFailures } from '../metrics.ts';

/** `unknown`: the keys cannot be read now, so that nobody can say. */
export type Verdict = 'signed' | 'forged' | 'unknown';

export interface WebhookKeys {
  /** Whether the custodian has signed these bytes, by the header `Fireblocks-Webhook-Signature`. */
  judge(body: Buffer, header: string | undefined): Promise<Verdict>;
}

/** How long keys are used before they are read again, and how long nobody can make us read them again. */
export interface KeyTimes {
  readonly keptMilliseconds: number;
  readonly pauseMilliseconds: number;
  readonly pauseAfterFailureMilliseconds: number;
}

const TIMES: KeyTimes = {
  keptMilliseconds: 3_600_000,
  pauseMilliseconds: 30_000,
  pauseAfterFailureMilliseconds: 5_000,
};
/** Shorter than the custodian waits for our answer. */
const ANSWER_MILLISECONDS = 3_000;
const MOST_BYTES = 100_000;
const ALGORITHM = 'RS512';

/** Knows nobody's signature while `CUSTODIAN_JWKS_URL` is not set. */
export function createWebhookKeys(
  { CUSTODIAN_JWKS_URL: url }: Pick<Config, 'CUSTODIAN_JWKS_URL'>,
  log: Pick<Logger, 'warn'>,
  times: Partial<KeyTimes> = {},
): WebhookKeys {
  if (url === undefined) return { judge: () => Promise.resolve('unknown') };
  const find = createKeyring(url, log, { ...TIMES, ...times });
  return {
    async judge(body, header) {
      const jws = signatureIn(header);
      if (jws === undefined) return 'forged';
      const key = await find(jws.kid);
      if (key === 'unread') return 'unknown';
      return key !== 'missing' && (await isSigned(body, jws, key)) ? 'signed' : 'forged';
    },
  };
}

type Key = Awaited<ReturnType<typeof importJWK>>;

/** What to do about a kid: its key; `missing` if the keys of this moment lack it; `unread` if those are not known. */
type Find = (kid: string) => Promise<Key | 'missing' | 'unread'>;

function createKeyring(url: string, log: Pick<Logger, 'warn'>, times: KeyTimes): Find {
  let keys: ReadonlyMap<string, Key> = new Map();
  let [readAt, pausedUntil] = [-Infinity, -Infinity];
  let reading: Promise<boolean> | undefined;

  /** Returns whether these are the keys of this moment. Those that are known stay if they cannot be read. */
  async function readAgain(): Promise<boolean> {
    try {
      const read = await readKeys(url);
      keys = read.keys;
      readAt = performance.now();
      pausedUntil = readAt + times.pauseMilliseconds;
      return read.isCurrent;
    } catch (err) {
      pausedUntil = performance.now() + times.pauseAfterFailureMilliseconds;
      partFailures.inc({ part: 'custodian' });
      log.warn({ err }, 'the keys of the custodian’s webhooks cannot be read');
      return false;
    }
  }

  return async (kid) => {
    const known = keys.get(kid);
    const now = performance.now();
    if (known !== undefined && now - readAt < times.keptMilliseconds) return known;
    // what was asked for earlier may lack a key that is newer
    if (reading !== undefined) {
      await reading;
      return keys.get(kid) ?? 'unread';
    }
    if (now < pausedUntil) return known ?? 'unread';
    reading = readAgain().finally(() => (reading = undefined));
    const isCurrent = await reading;
    return keys.get(kid) ?? (isCurrent ? 'missing' : 'unread');
  };
}

interface Signature {
  readonly kid: string;
  readonly protected: string;
  readonly signature: string;
}

const FORM = /^([\w-]{1,1000})\.\.([\w-]{1,2000})$/;
/** No other algorithm, and no extension: `b64` (RFC 7797) would change what is signed. */
const Header = z.looseObject({
  alg: z.literal(ALGORITHM),
  kid: z.string().min(1).max(200),
  crit: z.never().optional(),
  b64: z.never().optional(),
});

/** Undefined unless it has the one form that the custodian writes. */
function signatureIn(header: string | undefined): Signature | undefined {
  const [, head = '', signature = ''] = FORM.exec(header ?? '') ?? [];
  const { data } = Header.safeParse(jsonIn(Buffer.from(head, 'base64url').toString()));
  return data === undefined ? undefined : { kid: data.kid, protected: head, signature };
}

function jsonIn(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

async function isSigned(body: Buffer, jws: Signature, key: Key): Promise<boolean> {
  const payload = body.toString('base64url');
  try {
    const { protected: head, signature } = jws;
    await flattenedVerify({ protected: head, payload, signature }, key, { algorithms: [ALGORITHM] });
    return true;
  } catch (error) {
    if (error instanceof errors.JOSEError) return false;
    throw error;
  }
}

const KeySet = z.looseObject({ keys: z.array(z.unknown()) });
/** One that can have signed a webhook: RSA of at least 2,048 bits. */
const SigningKey = z.looseObject({
  kty: z.literal('RSA'),
  kid: z.string().min(1).max(200),
  use: z.literal('sig').optional(),
  alg: z.literal(ALGORITHM).optional(),
  n: z.base64url().min(342),
  e: z.base64url(),
});

/** Reads the JWKS. Throws if it does not answer, or with something else than keys. */
async function readKeys(url: string): Promise<{ keys: ReadonlyMap<string, Key>; isCurrent: boolean }> {
  const answer = await fetch(url, {
    redirect: 'error',
    headers: { Accept: 'application/json', 'Cache-Control': 'no-cache' },
    signal: AbortSignal.timeout(ANSWER_MILLISECONDS),
  });
  if (answer.status !== 200) throw new Error(`the JWKS answered ${String(answer.status)}`);
  const { keys: listed } = KeySet.parse(jsonIn(await textWithin(MOST_BYTES, answer)));
  const usable = listed.flatMap((key) => SigningKey.safeParse(key).data ?? []);
  const keys = await Promise.all(
    usable.map(async ({ kid, kty, n, e }) => [kid, await importJWK({ kty, n, e }, ALGORITHM)] as const),
  );
  if (keys.length === 0) throw new Error('the JWKS has no key that signs webhooks');
  // a cache on the way may not have a new key yet
  return { keys: new Map(keys), isCurrent: !(Number(answer.headers.get('Age')) > 0) };
}
