/** The remembered requests: a row for each (caller, operation, Idempotency-Key). */
import type { EntityManager } from '@mikro-orm/postgresql';
import { row, rows } from '../../sql.ts';

const SWEEP_BATCH = 5_000;

/** What names a key, and what it is for. */
export interface KeyOwner {
  readonly caller: string;
  readonly operation: string;
  readonly key: string;
  /** Keyed hash of path and body. */
  readonly hmac: Buffer;
  /** Kept for ever where money moves, 24 hours elsewhere. */
  readonly forever: boolean;
}

export interface KeyRow {
  readonly resource_id: string;
  readonly request_hmac: Buffer;
  /** `{ code, members, detail }`; a process may write it itself, in the transaction that decided it. */
  readonly refusal: unknown;
  readonly status: number | null;
  readonly answer: string | null;
}

/**
 * Takes a key that is free or whose time is over, and spends the step-up token that pays for it, in one round trip. Undefined where
 * the key is somebody's; `spent` is false where there is no token, or it was used before. Waits for a twin's open transaction at the
 * unique key, so that only one of them ever holds it.
 */
export function takeKey(
  em: EntityManager,
  owner: KeyOwner,
  resourceId: string,
  stepUpId: string | null,
): Promise<{ readonly spent: boolean } | undefined> {
  return row(
    em,
    `with taken as (
       insert into idempotency_keys as k (caller, operation, key, resource_id, request_hmac, expires_at)
       values ($1, $2, $3, $4, $5, case when $6::boolean then null else now() + interval '24 hours' end)
       on conflict (caller, operation, key) do update
         set resource_id = excluded.resource_id, request_hmac = excluded.request_hmac, expires_at = excluded.expires_at,
             refusal = null, status = null, answer = null, created_at = now()
         where k.expires_at <= now()
       returning resource_id
     ), spent as (
       insert into step_up_uses (step_up_id, resource_id) select $7, resource_id from taken where $7::uuid is not null
       on conflict (step_up_id) do nothing returning 1
     )
     select exists (select from spent) as spent from taken`,
    [owner.caller, owner.operation, owner.key, resourceId, owner.hmac, owner.forever, stepUpId],
  );
}

export function findKey(em: EntityManager, owner: KeyOwner): Promise<KeyRow | undefined> {
  return row<KeyRow>(
    em,
    `select resource_id, request_hmac, refusal, status, answer
     from idempotency_keys where caller = $1 and operation = $2 and key = $3`,
    [owner.caller, owner.operation, owner.key],
  );
}

/** Keeps the first answer of a taken key; false where something is kept already. */
export async function keepAnswer(
  em: EntityManager,
  owner: KeyOwner,
  answer: { readonly status: number; readonly body: string | null },
): Promise<boolean> {
  const kept = await rows(
    em,
    `update idempotency_keys set status = $4, answer = $5
     where caller = $1 and operation = $2 and key = $3 and status is null and refusal is null
     returning 1 as kept`,
    [owner.caller, owner.operation, owner.key, answer.status, answer.body],
  );
  return kept.length === 1;
}

/**
 * Keeps a refusal, also where the key's row was undone with its transaction. False where something is kept already, or the request's
 * transfer is there: a twin was quicker, and what has moved money was not refused.
 */
export async function keepRefusal(
  em: EntityManager,
  owner: KeyOwner,
  resourceId: string,
  refusal: { readonly code: string; readonly members: unknown; readonly detail: string | undefined },
): Promise<boolean> {
  const kept = await rows(
    em,
    `insert into idempotency_keys as k (caller, operation, key, resource_id, request_hmac, expires_at, refusal)
     values ($1, $2, $3, $4, $5, case when $6::boolean then null else now() + interval '24 hours' end, $7::jsonb)
     on conflict (caller, operation, key) do update
       set refusal = excluded.refusal, resource_id = excluded.resource_id, request_hmac = excluded.request_hmac,
           expires_at = excluded.expires_at, status = null, answer = null
       where (k.status is null and k.refusal is null and k.request_hmac = excluded.request_hmac
              and not exists (select from transfers t where t.id = k.resource_id)) or k.expires_at <= now()
     returning 1 as kept`,
    [
      owner.caller,
      owner.operation,
      owner.key,
      resourceId,
      owner.hmac,
      owner.forever,
      JSON.stringify(refusal),
    ],
  );
  return kept.length === 1;
}

/** Removes keys whose time is over, a batch at a time; answers how many. For the worker's rounds. */
export async function sweepIdempotencyKeys(em: EntityManager): Promise<number> {
  const swept = await rows(
    em,
    `delete from idempotency_keys where (caller, operation, key) in
       (select caller, operation, key from idempotency_keys where expires_at <= now() limit $1)
       -- not what was taken anew while this waited for its lock
       and expires_at <= now()
     returning 1 as swept`,
    [SWEEP_BATCH],
  );
  return swept.length;
}
