/** Push messages to browsers: encrypted for one of them (RFC 8291), in the name of the bank (RFC 8292), by the service that the browser named. */
import { createECDH, createHash, createPublicKey } from 'node:crypto';
import { request as overHttp } from 'node:http';
import { request as overHttps } from 'node:https';
import type { LookupFunction } from 'node:net';
import webPush from 'web-push';
import type { Config } from '../../config.ts';
import { machineNow } from '../../domain/time/now.ts';
import { partFailures } from '../metrics.ts';
import { mayBePublic, NotPublic, publicAddressOf } from './public-addresses.ts';

const ANSWER_MILLISECONDS = 10_000;
/** Four weeks: no service keeps one for longer. */
const LONGEST_SECONDS = 28 * 86_400;

/** A browser that takes push messages, as it describes itself. */
export interface PushTarget {
  readonly endpoint: string;
  /** Base64url: a point of P-256, and 16 bytes. */
  readonly keys: { readonly p256dh: string; readonly auth: string };
}

export interface PushMessage {
  /** JSON, of 3,000 bytes at most. */
  readonly payload: string;
  readonly ttlSeconds: number;
  /** One that waits is replaced by a later one of the same topic. */
  readonly topic?: string | undefined;
  readonly urgency: 'normal' | 'high';
}

/** `taken`; `gone`: never again there; `refused`: not this one; or after so many seconds it may be tried again. `unknown`: it may have it. */
export type PushOutcome = 'taken' | 'gone' | 'refused' | 'unknown' | { readonly afterSeconds: number };

export interface Push {
  /** With which browsers subscribe, base64url. */
  readonly publicKey: string;
  /** Which key that is: a subscription with another one takes nothing from us. */
  readonly keyVersion: string;
  send(target: PushTarget, message: PushMessage): Promise<PushOutcome>;
}

type PushConfig = Pick<Config, 'VAPID_PRIVATE_KEY' | 'VAPID_SUBJECT' | 'NODE_ENV'>;

/**
 * Undefined if there is no key. `answerMilliseconds` bounds the whole call: without it, a service that sends a byte now and then could hold
 * the call for ever.
 */
export function createPush(config: PushConfig, answerMilliseconds = ANSWER_MILLISECONDS): Push | undefined {
  const { VAPID_PRIVATE_KEY: privateKey, VAPID_SUBJECT: subject } = config;
  if (privateKey === undefined) return undefined;
  const publicKey = publicKeyOf(privateKey);
  const allowsLoopback = config.NODE_ENV === 'development';
  return {
    publicKey,
    keyVersion: createHash('sha256').update(publicKey).digest('base64url').slice(0, 12),
    async send(target, { payload, ttlSeconds, topic, urgency }) {
      const { headers, body } = webPush.generateRequestDetails(target, payload, {
        vapidDetails: { subject, publicKey, privateKey },
        TTL: Math.max(0, Math.min(ttlSeconds, LONGEST_SECONDS)),
        urgency,
        ...(topic === undefined ? {} : { topic }),
      });
      const signal = AbortSignal.timeout(answerMilliseconds);
      const outcome = await post(new URL(target.endpoint), { headers, body, signal }, allowsLoopback);
      if (typeof outcome === 'object' || outcome === 'unknown') partFailures.inc({ part: 'push' });
      return outcome;
    },
  };
}

/** Whether a browser may have such an address: https on the public internet, or anything on this machine in development. */
export function isPushEndpoint(endpoint: string, { NODE_ENV }: Pick<Config, 'NODE_ENV'>): boolean {
  if (!URL.canParse(endpoint)) return false;
  const url = new URL(endpoint);
  if (url.username !== '' || url.password !== '') return false;
  if (NODE_ENV === 'development' && isLoopback(url)) return /^https?:$/.test(url.protocol);
  return url.protocol === 'https:' && mayBePublic(url.hostname);
}

/** Whether it is a point of P-256, uncompressed: nothing could be encrypted for any other key. */
export function isPushKey(key: string): boolean {
  const bytes = Buffer.from(key, 'base64url');
  if (bytes.length !== 65 || bytes[0] !== 4) return false;
  const [x, y] = [bytes.toString('base64url', 1, 33), bytes.toString('base64url', 33)];
  try {
    createPublicKey({ format: 'jwk', key: { kty: 'EC', crv: 'P-256', x, y } });
    return true;
  } catch {
    return false;
  }
}

function isLoopback({ hostname }: URL): boolean {
  return /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(hostname);
}

function publicKeyOf(privateKey: string): string {
  const pair = createECDH('prime256v1');
  pair.setPrivateKey(privateKey, 'base64url');
  return pair.getPublicKey('base64url');
}

interface Sent {
  readonly signal: AbortSignal;
  readonly headers: object;
  readonly body: Buffer | null;
}

/** Follows no redirect, reads nothing of the answer but its head, and connects to the very address that was looked at. */
async function post(
  url: URL,
  { headers, body, signal }: Sent,
  allowsLoopback: boolean,
): Promise<PushOutcome> {
  const isHere = allowsLoopback && isLoopback(url);
  let where: { address: string; family: number } | undefined;
  try {
    where = isHere ? undefined : await publicAddressOf(url.hostname);
  } catch (error) {
    return error instanceof NotPublic ? 'gone' : { afterSeconds: 60 };
  }
  return new Promise((resolve) => {
    let wasGiven = false;
    const call = (url.protocol === 'http:' ? overHttp : overHttps)(url, {
      method: 'POST',
      headers: { ...headers },
      signal,
      ...(where === undefined ? {} : { lookup: fixedLookup(where) }),
    });
    call
      .on('response', (answer) => {
        answer.destroy();
        resolve(outcomeOf(answer.statusCode ?? 0, answer.headers['retry-after']));
      })
      .on('finish', () => (wasGiven = true))
      .on('error', () => {
        resolve(wasGiven ? 'unknown' : { afterSeconds: 30 });
      })
      .on('close', () => {
        resolve(wasGiven ? 'unknown' : { afterSeconds: 30 });
      })
      .end(body);
  });
}

function fixedLookup(where: { readonly address: string; readonly family: number }): LookupFunction {
  return (_host, { all }, done) => {
    if (all === true) done(null, [where]);
    else done(null, where.address, where.family);
  };
}

/** RFC 8030 §5 and §7.3, and what services do beside it. */
function outcomeOf(status: number, retryAfter: string | undefined): PushOutcome {
  if (status >= 200 && status < 300) return 'taken';
  if (status === 404 || status === 410) return 'gone';
  if (status === 429 || status >= 500) return { afterSeconds: secondsOf(retryAfter) };
  return 'refused';
}

const MOST_SECONDS = 3_600;

/** RFC 9110 §10.2.3: seconds or a date. */
function secondsOf(retryAfter: string | undefined): number {
  if (retryAfter === undefined) return 30;
  const seconds = /^\d+$/.test(retryAfter)
    ? Number(retryAfter)
    : Math.ceil((Date.parse(retryAfter) - machineNow().getTime()) / 1_000);
  return Number.isFinite(seconds) ? Math.min(Math.max(seconds, 1), MOST_SECONDS) : 30;
}
