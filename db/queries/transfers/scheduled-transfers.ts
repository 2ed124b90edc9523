/** Transfers for later, and the days of theirs that have come. */
import type { EntityManager } from '@mikro-orm/postgresql';
import type {
  AccountId,
  AccountTypeId,
  BeneficiaryId,
  ScheduledTransferId,
  UserId,
} from '../../../domain/ids.ts';
import type {
  RepeatUnit,
  ScheduledRun,
  ScheduledTransferStatus,
} from '../../../domain/scheduled-transfers.ts';
import type { AuditEntry } from '../platform/audit.ts';
import { row, rows } from '../../sql.ts';

/** A scheduled transfer with its sides; the amount in minor units of the fixed side's currency. */
export interface ScheduledTransferRow {
  readonly id: ScheduledTransferId;
  readonly user_id: UserId;
  readonly type_code: string | null;
  readonly reach: string;
  readonly source_account_id: AccountId;
  readonly source_type_id: AccountTypeId;
  readonly destination_account_id: AccountId | null;
  readonly destination_number: string | null;
  readonly destination_owner_id: UserId | null;
  readonly beneficiary_id: BeneficiaryId | null;
  readonly beneficiary_name: string | null;
  readonly beneficiary_iban: string | null;
  readonly fixed_side: 'source' | 'target';
  readonly amount: string;
  readonly asset: string;
  readonly target_asset: string;
  readonly description: string;
  readonly starts_on: string;
  readonly repeat_unit: RepeatUnit | null;
  readonly repeat_every: number;
  readonly ends_on: string | null;
  readonly next_on: string | null;
  readonly status: ScheduledTransferStatus;
  readonly created_at: Date;
}

const SELECT = `
  select s.id, s.user_id, s.type_code,
         coalesce(s.type_code, case when s.beneficiary_id is null then case when d.owner_id = s.user_id then 'own' else 'internal' end
           when b.iban is not null and s.target_asset = 'EUR' then 'sepa' else 'international' end) as reach,
         s.source_account_id, a.account_type_id as source_type_id, s.destination_account_id, d.number as destination_number,
         d.owner_id as destination_owner_id, s.beneficiary_id, b.name as beneficiary_name, coalesce(b.iban, b.account) as beneficiary_iban,
         s.fixed_side, s.amount, s.asset, s.target_asset, s.description, s.starts_on, s.repeat_unit, s.repeat_every, s.ends_on, s.next_on,
         s.status, s.created_at
    from scheduled_transfers s join accounts a on a.id = s.source_account_id
    left join accounts d on d.id = s.destination_account_id left join beneficiaries b on b.id = s.beneficiary_id`;

export interface NewScheduledTransfer {
  readonly id: ScheduledTransferId;
  readonly user: UserId;
  readonly type: string;
  readonly source: AccountId;
  readonly destination: AccountId | null;
  readonly beneficiary: BeneficiaryId | null;
  readonly fixed: { readonly side: 'source' | 'target'; readonly minor: bigint };
  readonly asset: string;
  readonly targetAsset: string;
  readonly description: string;
  readonly startsOn: string;
  readonly repeat: {
    readonly unit: RepeatUnit;
    readonly every: number;
    readonly endsOn: string | null;
  } | null;
}

/** Once per id; answers whether this call did. */
export async function insertScheduledTransfer(
  em: EntityManager,
  wanted: NewScheduledTransfer,
): Promise<boolean> {
  const inserted = await rows(
    em,
    `insert into scheduled_transfers (id, user_id, type_code, source_account_id, destination_account_id, beneficiary_id, fixed_side, amount,
                                      asset, target_asset, description, starts_on, repeat_unit, repeat_every, ends_on, next_on)
     values ($1, $2, $3, $4, $5, $6, $7, $8::minor, $9, $10, $11, $12, $13, $14, $15, $12) on conflict (id) do nothing
     returning 1 as inserted`,
    [
      wanted.id,
      wanted.user,
      wanted.type,
      wanted.source,
      wanted.destination,
      wanted.beneficiary,
      wanted.fixed.side,
      wanted.fixed.minor.toString(),
      wanted.asset,
      wanted.targetAsset,
      wanted.description,
      wanted.startsOn,
      wanted.repeat?.unit ?? null,
      wanted.repeat?.every ?? 1,
      wanted.repeat?.endsOn ?? null,
    ],
  );
  return inserted.length === 1;
}

/** One of this user. */
export function scheduledTransferOf(
  em: EntityManager,
  user: UserId,
  id: ScheduledTransferId,
): Promise<ScheduledTransferRow | undefined> {
  return row(em, `${SELECT} where s.id = $1 and s.user_id = $2`, [id, user]);
}

/** A page of a user's, newest first, from below `before`. */
export function scheduledTransfersOf(
  em: EntityManager,
  user: UserId,
  before: ScheduledTransferId | null,
  most: number,
): Promise<ScheduledTransferRow[]> {
  return rows(em, `${SELECT} where s.user_id = $1 and s.id < $2::uuid order by s.id desc limit $3`, [
    user,
    before ?? 'ffffffff-ffff-ffff-ffff-ffffffffffff',
    most,
  ]);
}

/** What came of the days that have come, newest first. */
export interface ScheduledRunRow {
  readonly due_on: string;
  readonly transfer_id: string;
  /** Null where the books refused it, or have not answered yet. */
  readonly status: string | null;
  readonly refusal: string | null;
}

export function runsOf(em: EntityManager, id: ScheduledTransferId, most: number): Promise<ScheduledRunRow[]> {
  return rows(
    em,
    `select r.due_on, r.transfer_id, t.status, r.refusal
       from scheduled_transfer_runs r left join transfers t on t.id = r.transfer_id
      where r.scheduled_transfer_id = $1 order by r.due_on desc limit $2`,
    [id, most],
  );
}

/** Ends it; false where it has ended already. What has come before goes its own way. */
export async function cancelScheduledTransfer(
  em: EntityManager,
  user: UserId,
  id: ScheduledTransferId,
): Promise<boolean> {
  const ended = await rows(
    em,
    `update scheduled_transfers set status = 'cancelled', next_on = null, ended_at = now()
      where id = $1 and user_id = $2 and status = 'active' returning 1 as ended`,
    [id, user],
  );
  return ended.length === 1;
}

/**
 * Ends what the account's owner has planned from it or into it, each with its line in the audit log, in the transaction that closes it.
 * What others have planned into it is theirs: refused on its day, they are told.
 */
export async function cancelScheduledTransfersOf(
  em: EntityManager,
  account: AccountId,
  by: Pick<AuditEntry, 'actorId' | 'actorRole' | 'reason' | 'requestId' | 'address'>,
): Promise<void> {
  await rows(
    em,
    `with active as materialized (
       select id, next_on from scheduled_transfers
        where user_id = (select owner_id from accounts where id = $1) and status = 'active' and $1 in (source_account_id, destination_account_id)
        order by id for update
     ), ended as (
       update scheduled_transfers s set status = 'cancelled', next_on = null, ended_at = now() from active a where a.id = s.id
       returning s.id, a.next_on
     )
     insert into audit_log (actor_id, actor_role, action, subject_type, subject_id, before, after, reason, request_id, address)
     select $2, $3, 'scheduled_transfer.cancelled', 'scheduled_transfer', id, jsonb_build_object('status', 'active', 'next_on', next_on),
            jsonb_build_object('status', 'cancelled', 'closed_account_id', $1::uuid), $4, $5, $6 from ended`,
    [account, by.actorId, by.actorRole, by.reason ?? null, by.requestId ?? null, by.address ?? null],
  );
}

/** Whether one of the accounts is closed. None of them closes before the transaction ends. */
export async function isAnyClosed(em: EntityManager, accounts: readonly AccountId[]): Promise<boolean> {
  const found = await rows<{ closed: boolean }>(
    em,
    `select status = 'closed' as closed from accounts where id = any($1::uuid[]) order by id for share`,
    [accounts],
  );
  return found.some(({ closed }) => closed);
}

/** Writes down the days that have come in the time zone, at most one for each and so many in all, and moves each to its next day. */
export function takeDueRuns(em: EntityManager, zone: string, most: number): Promise<ScheduledRun[]> {
  return rows(
    em,
    `with due as materialized (
       select id, user_id, next_on, next_occurrence(starts_on, repeat_unit, repeat_every, runs + 1) as following, ends_on
         from scheduled_transfers where status = 'active' and next_on <= (now() at time zone $1)::date order by next_on, id limit $2 for update skip locked
     ), run as (
       insert into scheduled_transfer_runs (transfer_id, scheduled_transfer_id, due_on) select uuidv7(), id, next_on from due
       returning transfer_id, scheduled_transfer_id, due_on
     ), moved as (
       update scheduled_transfers s set runs = s.runs + 1,
              next_on = case when d.following <= coalesce(d.ends_on, 'infinity') then d.following end,
              status = case when d.following <= coalesce(d.ends_on, 'infinity') then 'active' else 'completed' end,
              ended_at = case when d.following <= coalesce(d.ends_on, 'infinity') then null else now() end
         from due d where d.id = s.id
     )
     select r.scheduled_transfer_id as "scheduledTransferId", r.transfer_id as "transferId", d.user_id as "userId", r.due_on as "dueOn"
       from run r join due d on d.id = r.scheduled_transfer_id`,
    [zone, most],
  );
}

/** The scheduled transfer of a run, whoever's. */
export function scheduledTransferById(
  em: EntityManager,
  id: ScheduledTransferId,
): Promise<ScheduledTransferRow | undefined> {
  return row(em, `${SELECT} where s.id = $1`, [id]);
}

/** Writes why a run moved nothing; false where that was written before. */
export async function noteRefusal(em: EntityManager, run: ScheduledRun, code: string): Promise<boolean> {
  const noted = await rows(
    em,
    `update scheduled_transfer_runs set refusal = $2 where transfer_id = $1 and refusal is null returning 1 as noted`,
    [run.transferId, code],
  );
  return noted.length === 1;
}
