/** The remembered requests: a row for each (caller, operation, Idempotency-Key). */
import type { EntityManager } from '@mikro-orm/postgresql';
import { bigCount, boolean, id, ownJson, type RowOf } from '../../rows/columns.ts';
import { statement } from '../../rows/statement.ts';
import { columnsOf, selectList } from '../../rows/table-columns.ts';
import { IdempotencyKey } from '../../schema/platform.ts';

const SWEEP_BATCH = 5_000;

const key = columnsOf(IdempotencyKey, 'caller', 'operation', 'key');
const owner = { ...key, hmac: columnsOf(IdempotencyKey, 'requestHmac').requestHmac, forever: boolean() };
/**
 * What names a key, and what it is for. `hmac` is the keyed hash of path and body. It is kept for ever where money moves, 24 hours
 * elsewhere.
 */
export type KeyOwner = RowOf<typeof owner>;

const kept = columnsOf(IdempotencyKey, 'resourceId', 'requestHmac', 'refusal', 'status', 'answer');
/** What is known of a key. `refusal` is `{ code, members, detail }`; a process may write it itself, in the transaction that decided it. */
export type KeyRow = RowOf<typeof kept>;

/** A refusal as a key keeps it. */
interface StoredRefusal {
  readonly code: string;
  readonly members: unknown;
  readonly detail: string | undefined;
}

const INSERTED = `$caller, $operation, $key, $resourceId, $hmac,
      case when $forever::boolean then null else bank_now() + interval '24 hours' end`;

/**
 * Takes a key that is free or whose time is over, and spends the step-up token that pays for it, in one round trip. Gives nothing if
 * the key is somebody's; `spent` is false if there is no token, or it was used before. Waits for a twin's open transaction at the
 * unique key, so that only one of them ever holds it.
 */
export const takeKey = statement({
  name: 'takeKey',
  takes: { ...owner, ...columnsOf(IdempotencyKey, 'resourceId'), stepUpId: id().nullable() },
  gives: { spent: boolean() },
  sql: `
    with taken as (
      insert into idempotency_keys as k (caller, operation, key, resource_id, request_hmac, expires_at)
      values (${INSERTED})
      on conflict (caller, operation, key) do update
        set resource_id = excluded.resource_id, request_hmac = excluded.request_hmac, expires_at = excluded.expires_at,
            refusal = null, status = null, answer = null, created_at = bank_now()
        where k.expires_at <= bank_now()
      returning resource_id
    ), spent as (
      insert into step_up_uses (step_up_id, resource_id)
      select $stepUpId, resource_id from taken where $stepUpId::uuid is not null
      on conflict (step_up_id) do nothing returning 1
    )
    select exists (select from spent) as spent from taken`,
});

/** What is known of a key. */
export const findKey = statement({
  name: 'findKey',
  takes: key,
  gives: kept,
  sql: `
    select ${selectList(kept, 'k')}
      from idempotency_keys k where caller = $caller and operation = $operation and key = $key`,
});

/** Keeps the first answer of a taken key. Writes no row if something is kept already. */
export const keepAnswer = statement({
  name: 'keepAnswer',
  takes: { ...key, ...columnsOf(IdempotencyKey, 'status', 'answer') },
  gives: {},
  sql: `
    update idempotency_keys set status = $status, answer = $answer
     where caller = $caller and operation = $operation and key = $key and status is null and refusal is null`,
});

/**
 * Keeps a refusal, also where the key's row was undone with its transaction. Writes no row if something is kept already: a twin was
 * quicker. What moves money keeps its refusals by `keepFirstRefusal`.
 */
export const keepRefusal = statement({
  name: 'keepRefusal',
  takes: {
    ...owner,
    ...columnsOf(IdempotencyKey, 'resourceId'),
    refusal: ownJson<StoredRefusal>(),
  },
  gives: {},
  sql: `
    insert into idempotency_keys as k (caller, operation, key, resource_id, request_hmac, expires_at, refusal)
    values (${INSERTED}, $refusal::jsonb)
    on conflict (caller, operation, key) do update
      set refusal = excluded.refusal, resource_id = excluded.resource_id, request_hmac = excluded.request_hmac,
          expires_at = excluded.expires_at, status = null, answer = null
      where (k.status is null and k.refusal is null and k.request_hmac = excluded.request_hmac) or k.expires_at <= bank_now()`,
});

/** Keeps a refusal of an order to move money, unless the key stands for something already: a twin was booked, or refused. */
export const keepFirstRefusal = statement({
  name: 'keepFirstRefusal',
  takes: {
    ...key,
    hmac: owner.hmac,
    ...columnsOf(IdempotencyKey, 'resourceId'),
    refusal: ownJson<StoredRefusal>(),
  },
  gives: {},
  sql: `
    insert into idempotency_keys (caller, operation, key, resource_id, request_hmac, refusal)
    values ($caller, $operation, $key, $resourceId, $hmac, $refusal)
    on conflict (caller, operation, key) do nothing`,
});

const sweepKeys = statement({
  name: 'sweepKeys',
  takes: { most: bigCount() },
  gives: {},
  sql: `
    delete from idempotency_keys where (caller, operation, key) in
      (select caller, operation, key from idempotency_keys where expires_at <= (select bank_now()) limit $most)
      -- not what was taken anew while this waited for its lock
      and expires_at <= (select bank_now())`,
});

/** Removes keys whose time is over, a batch at a time, and returns how many. For the worker's rounds. */
export function sweepIdempotencyKeys(db: EntityManager): Promise<number> {
  return sweepKeys.run(db, { most: SWEEP_BATCH });
}
