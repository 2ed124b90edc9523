/**
 * Step: a repeat with the same Idempotency-Key gets the first answer again. The row of a key is written in the transaction of
 * the effect where the frame has one; a twin waits for its commit at the unique key and then finds the answer.
 */
import type { EntityManager } from '@mikro-orm/postgresql';
import { z } from 'zod';
import type { Cipher } from '../../adapters/cipher.ts';
import {
  findKey,
  keepFirstRefusal,
  keepAnswer,
  keepRefusal,
  takeKey,
  type KeyOwner,
  type KeyRow,
} from '../../db/queries/platform/idempotency-keys.ts';
import { canonicalJson } from '../../domain/canonical-json.ts';
import { faultIn, Refusal, refusals, type RefusalCode } from '../../domain/refusals.ts';
import type { Operation } from '../declaration/operation.ts';
import type { Caller } from './authenticate.ts';
import { isLockTimeout } from './http/faults.ts';

const KEY = /^[\x20-\x7e]{1,255}$/;
const IN_PROGRESS_RETRY_SECONDS = 1;

/** A status and the body's text, byte for byte. */
export interface Rendered {
  readonly status: number;
  readonly body: string | null;
  /** It is not kept: a repeat goes through the handler again. */
  readonly isProvisional?: true;
}

/** What makes two requests the same. */
export interface Scope extends KeyOwner {
  readonly hmacMatches: (stored: Uint8Array) => boolean;
}

export interface Reservation {
  /** Id of what the request makes: the same for every repeat. */
  readonly resourceId: string;
  /** The first answer, or null where it is still to be made. */
  readonly known: Rendered | Refusal | null;
  /** False where the key was seen before. */
  readonly fresh: boolean;
  /** The step-up token was spent with it. */
  readonly stepUpSpent: boolean;
}

/** Reads the key. Answers null where there is none; refuses idempotency_key_required where money moves. */
export function scopeOf(
  operation: Operation,
  request: { key: string | undefined; caller: Caller; path: string; body: unknown },
  cipher: Cipher,
): Scope | null {
  if (operation.idempotency === 'none') return null;
  if (request.key === undefined) {
    if (operation.idempotency === 'required') throw new Refusal('idempotency_key_required');
    return null;
  }
  if (!KEY.test(request.key)) {
    throw faultIn('header/Idempotency-Key', 'invalid_key', 'must be 1 to 255 printable ASCII characters');
  }
  const parts = [request.path, canonicalJson(request.body ?? null)];
  return {
    caller: request.caller?.id ?? 'public',
    operation: operation.id,
    key: request.key,
    // keyed, because a body may hold a secret
    hmac: cipher.mac('idempotency', ...parts),
    hmacMatches: (stored) => cipher.macMatches(stored, 'idempotency', ...parts),
    forever: operation.idempotency === 'required',
  };
}

/**
 * Takes the key and spends the step-up token with it, where there is one; or finds what is known of the key, and spends nothing.
 * Refuses idempotency_key_reused for another body.
 */
export async function reserve(
  em: EntityManager,
  scope: Scope,
  candidateId: string,
  stepUpId: string | null,
): Promise<Reservation> {
  try {
    const taken = await takeKey.first(em, { ...scope, resourceId: candidateId, stepUpId });
    if (taken !== undefined)
      return { resourceId: candidateId, known: null, fresh: true, stepUpSpent: taken.spent };
  } catch (error) {
    if (!isLockTimeout(error)) throw error;
    throw new Refusal('idempotency_in_progress', { retryAfter: IN_PROGRESS_RETRY_SECONDS });
  }
  return recall(em, scope);
}

/** Keeps the answer where there is none yet; answers what stands now, so that all twins say the same. */
export async function remember(
  em: EntityManager,
  scope: Scope,
  answer: Rendered,
): Promise<Rendered | Refusal> {
  const { status, body } = answer;
  if ((await keepAnswer.run(em, { ...scope, status, answer: body })) > 0) return answer;
  return (await recall(em, scope)).known ?? answer;
}

/** Keeps a refusal where nothing is kept yet; answers what stands now. Refuses idempotency_in_progress where a twin has got through. */
export async function rememberRefusal(
  em: EntityManager,
  scope: Scope,
  resourceId: string,
  refusal: Refusal,
): Promise<Rendered | Refusal> {
  const kept = await keepRefusal.run(em, { ...scope, resourceId, refusal: storedForm(refusal) });
  if (kept > 0) return refusal;
  const { known } = await recall(em, scope);
  if (known === null) throw new Refusal('idempotency_in_progress', { retryAfter: IN_PROGRESS_RETRY_SECONDS });
  return known;
}

/** A business "no" stays one for its key; what may be otherwise in a moment, or is the frame's own, does not. */
export function isRemembered({ code }: Refusal): boolean {
  const ofTheFrame: readonly RefusalCode[] = [
    'idempotency_key_reused',
    'idempotency_in_progress',
    'etag_mismatch',
  ];
  return refusals[code].status === 409 && !ofTheFrame.includes(code);
}

/** What the key of a booking stands for: an answer, or what was booked. */
export type Standing =
  // `isFirst`: it was kept by this very call
  { readonly answer: Rendered | Refusal; readonly isFirst: boolean } | { readonly booked: string };

/**
 * What the key of a booking stands for; a refusal that nobody has kept yet is kept, if it is one to remember. Null where the key is
 * free. Refuses idempotency_key_reused for another body.
 */
export async function knownOrKept(
  em: EntityManager,
  scope: Scope,
  resourceId: string,
  refused: Refusal | null,
): Promise<Standing | null> {
  if (refused !== null && isRemembered(refused)) {
    const kept = await keepFirstRefusal.run(em, { ...scope, resourceId, refusal: storedForm(refused) });
    if (kept > 0) return { answer: refused, isFirst: true };
  }
  const stored = await storedFor(em, scope);
  if (stored === undefined) return null;
  const answer = knownOf(stored);
  if (answer === null) return { booked: stored.resourceId };
  // the books keep a refusal of theirs under the id that this call brought
  return { answer, isFirst: stored.resourceId === resourceId };
}

async function recall(em: EntityManager, scope: Scope): Promise<Reservation> {
  const stored = await storedFor(em, scope);
  // swept, or undone by its owner, between two statements
  if (stored === undefined) {
    throw new Refusal('idempotency_in_progress', { retryAfter: IN_PROGRESS_RETRY_SECONDS });
  }
  return { resourceId: stored.resourceId, known: knownOf(stored), fresh: false, stepUpSpent: false };
}

/** What is kept of the key. Refuses idempotency_key_reused if it was for another request. */
async function storedFor(em: EntityManager, scope: Scope): Promise<KeyRow | undefined> {
  const stored = await findKey.first(em, scope);
  if (stored !== undefined && !scope.hmacMatches(stored.requestHmac))
    throw new Refusal('idempotency_key_reused');
  return stored;
}

const StoredRefusal = z.object({
  code: z.custom<RefusalCode>((code) => typeof code === 'string' && Object.hasOwn(refusals, code)),
  members: z.record(z.string(), z.unknown()).nullish(),
  detail: z.string().nullish(),
});

/** As `StoredRefusal` reads it. */
function storedForm({ code, options: { members, detail } }: Refusal) {
  return { code, members, detail };
}

function knownOf({ status, answer, refusal }: KeyRow): Rendered | Refusal | null {
  if (status !== null) return { status, body: answer };
  if (refusal === null) return null;
  const { code, members, detail } = StoredRefusal.parse(refusal);
  return new Refusal(code, { members: members ?? {}, ...(detail == null ? {} : { detail }) });
}
