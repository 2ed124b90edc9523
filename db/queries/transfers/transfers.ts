/** Reads of transfers and adjustments. */
import type { EntityManager } from '@mikro-orm/postgresql';
import type { AccountId, BeneficiaryId, QuoteId, TransferId, UserId } from '../../../domain/ids.ts';
import type { Leg, StoredPrice } from '../../../domain/pricing.ts';
import type { TransferKind, TransferOrder, TransferStatus } from '../../../domain/transfers.ts';
import { row, rows } from '../../sql.ts';

/** A transfer as its customer sees it. Amounts in minor units. */
export interface OwnTransferRow {
  readonly id: TransferId;
  readonly kind: TransferKind;
  readonly type_code: string | null;
  readonly status: TransferStatus;
  readonly source_account_id: AccountId;
  /** Null where it is the bank's own. */
  readonly destination_number: string | null;
  readonly beneficiary_name: string | null;
  readonly beneficiary_iban: string | null;
  readonly beneficiary_account: string | null;
  readonly beneficiary_bic: string | null;
  readonly beneficiary_country: string | null;
  readonly asset: string;
  /** The principal. */
  readonly amount: string;
  readonly target_asset: string;
  readonly target_amount: string;
  readonly price: StoredPrice | null;
  readonly description: string;
  readonly quote_id: QuoteId | null;
  readonly failure_code: string | null;
  readonly return_code: string | null;
  readonly created_at: Date;
  readonly approve_until: Date | null;
  readonly due_at: Date | null;
  readonly submitted_at: Date | null;
  readonly finished_at: Date | null;
}

/** All there is of it, for the back office and its process. */
export interface TransferRow extends OwnTransferRow {
  readonly requested_by: UserId;
  readonly customer_id: UserId;
  readonly source_number: string | null;
  readonly destination_account_id: AccountId;
  /** Null where it is the bank's own. */
  readonly destination_owner_id: UserId | null;
  readonly beneficiary_id: BeneficiaryId | null;
  readonly fee_total: string;
  readonly legs: readonly Leg[] | null;
  readonly reason: string | null;
  readonly reverses_id: TransferId | null;
  /** The reversal that was executed. */
  readonly reversed_by_id: TransferId | null;
  readonly value_date: string | null;
  readonly requires_approval: boolean;
  readonly transaction_id: string | null;
  readonly return_transaction_id: string | null;
  readonly approved_by: UserId | null;
  readonly approved_at: Date | null;
  readonly decided_by: UserId | null;
  readonly decision_reason: string | null;
  /** The id reserved for the request that decided. */
  readonly decision_id: string | null;
}

const OWN = `
  t.id, t.kind, t.type_code, t.status, t.source_account_id, d.number as destination_number, b.name as beneficiary_name, b.iban as beneficiary_iban,
  b.account as beneficiary_account, b.bic as beneficiary_bic, b.country as beneficiary_country, t.asset, t.amount, t.target_asset, t.target_amount,
  t.price, t.description, t.quote_id, t.failure_code, t.return_code, t.created_at, t.approve_until, t.due_at, t.submitted_at, t.finished_at`;
const FROM = `
  from transfers t join accounts d on d.id = t.destination_account_id left join beneficiaries b on b.id = t.beneficiary_id`;

const SELECT_OWN = `select ${OWN} ${FROM}`;
const SELECT = `
  select ${OWN}, t.requested_by, t.customer_id, s.number as source_number, t.destination_account_id, d.owner_id as destination_owner_id,
         t.beneficiary_id, t.fee_total, t.legs, t.reason, t.reverses_id,
         (select r.id from transfers r where r.reverses_id = t.id and r.status = 'executed') as reversed_by_id,
         t.value_date, t.requires_approval, t.transaction_id, t.return_transaction_id, t.approved_by, t.approved_at, t.decided_by,
         t.decision_reason, t.decision_id
  ${FROM} join accounts s on s.id = t.source_account_id`;

const NEWEST = 'ffffffff-ffff-ffff-ffff-ffffffffffff';
const OLDEST = '00000000-0000-0000-0000-000000000000';

/** One transfer, whoever's. */
export function transferById(em: EntityManager, id: TransferId): Promise<TransferRow | undefined> {
  return row(em, `${SELECT} where t.id = $1`, [id]);
}

/** One transfer that this customer asked for. */
export function transferOf(
  em: EntityManager,
  customer: UserId,
  id: TransferId,
): Promise<OwnTransferRow | undefined> {
  return row(em, `${SELECT_OWN} where t.id = $1 and t.customer_id = $2 and t.kind = 'transfer'`, [
    id,
    customer,
  ]);
}

/** A page of a customer's transfers, newest first, from below `before`. */
export function transfersOf(
  em: EntityManager,
  customer: UserId,
  before: TransferId | null,
  most: number,
): Promise<OwnTransferRow[]> {
  return rows(
    em,
    `${SELECT_OWN} where t.customer_id = $1 and t.kind = 'transfer' and t.id < $2::uuid order by t.id desc limit $3`,
    [customer, before ?? NEWEST, most],
  );
}

/** A page of what moves money from or to an account, newest first, from below `before`. */
export function transfersOfAccount(
  em: EntityManager,
  account: AccountId,
  before: TransferId | null,
  most: number,
): Promise<TransferRow[]> {
  return rows(
    em,
    `${SELECT} where t.id in (
       (select id from transfers where source_account_id = $1 and id < $2::uuid order by id desc limit $3) union
       (select id from transfers where destination_account_id = $1 and id < $2::uuid order by id desc limit $3))
     order by t.id desc limit $3`,
    [account, before ?? NEWEST, most],
  );
}

/** What people look at: what waits for them, unless they ask for what waits for time or the rail. */
export const waitingStatuses = ['pending_approval', 'aml_review', 'queued', 'submitted'] as const;

/** A page of what waits in these statuses, longest waiting first, from after `after`. */
export function pendingTransfers(
  em: EntityManager,
  statuses: readonly (typeof waitingStatuses)[number][],
  after: TransferId | null,
  most: number,
): Promise<TransferRow[]> {
  return rows(
    em,
    `${SELECT} where t.status in ('pending_approval', 'aml_review', 'queued', 'submitted') and t.status = any ($1) and t.id > $2::uuid
      order by t.id limit $3`,
    [statuses, after ?? OLDEST, most],
  );
}

/** Who did what with a transfer, oldest first. */
export interface TransferEvent {
  readonly at: Date;
  readonly actor_id: UserId | null;
  readonly actor_role: 'customer' | 'admin' | 'system';
  readonly action: string;
  readonly after: { readonly status?: string; readonly code?: string } | null;
  readonly reason: string | null;
}

/** An entry that a transfer has booked, amounts in minor units. */
export interface TransferEntry {
  readonly transaction_id: string;
  readonly kind: string;
  readonly account_id: AccountId;
  /** A customer's account number, or the role of the bank's own account. */
  readonly account: string;
  readonly part: string;
  readonly asset: string;
  readonly amount: string;
  readonly booked_at: Date;
  readonly value_date: string;
}

/** The whole story of a transfer: who decided what, and what was booked for it. */
export async function storyOf(
  em: EntityManager,
  id: TransferId,
): Promise<{ events: TransferEvent[]; entries: TransferEntry[] }> {
  const [events, entries] = await Promise.all([
    rows<TransferEvent>(
      em,
      `select at, actor_id, actor_role, action, after, reason from audit_log
        where subject_type = 'transfer' and subject_id = $1::text order by id`,
      [id],
    ),
    rows<TransferEntry>(
      em,
      `select x.id as transaction_id, x.kind, e.account_id, coalesce(a.number, a.role) as account, e.part, e.asset, e.amount, e.booked_at, e.value_date
         from ledger_transactions x join ledger_entries e on e.transaction_id = x.id join accounts a on a.id = e.account_id
        where x.source_type = 'transfer' and x.source_id = $1 order by x.booked_at, x.id, e.amount`,
      [id],
    ),
  ]);
  return { events, entries };
}

/** The order again, out of its row: what a process needs that takes the place of one that is gone. */
export function orderOfRow(transfer: TransferRow): TransferOrder {
  return {
    id: transfer.id,
    kind: transfer.kind,
    ...(transfer.type_code === null ? {} : { type: transfer.type_code }),
    requestedBy: transfer.requested_by,
    customerId: transfer.customer_id,
    ...(transfer.destination_owner_id === null ? {} : { payeeId: transfer.destination_owner_id }),
    source: transfer.source_account_id,
    destination: transfer.destination_account_id,
    ...(transfer.beneficiary_id === null ? {} : { beneficiaryId: transfer.beneficiary_id }),
    asset: transfer.asset,
    amount: transfer.amount,
    targetAsset: transfer.target_asset,
    targetAmount: transfer.target_amount,
    feeTotal: transfer.fee_total,
    ...(transfer.legs === null ? {} : { legs: transfer.legs }),
    description: transfer.description,
    ...(transfer.reason === null ? {} : { reason: transfer.reason }),
    ...(transfer.reverses_id === null ? {} : { reversesId: transfer.reverses_id }),
  };
}

/** Transfers that time, or a cleared flag, should have moved on so many seconds ago: their process is late, or gone. */
export function overdueTransfers(
  em: EntityManager,
  lateSeconds: number,
  most: number,
): Promise<TransferRow[]> {
  return rows(
    em,
    `${SELECT} where t.status in ('pending_approval', 'aml_review', 'queued', 'submitted')
        and case t.status when 'pending_approval' then t.approve_until when 'queued' then t.due_at
              when 'aml_review' then (select max(coalesce(f.cleared_at, 'infinity')) from account_aml_flags f where f.account_id = t.source_account_id)
            end < now() - make_interval(secs => $1)
      order by t.id limit $2`,
    [lateSeconds, most],
  );
}
