/** Reads of transfers and adjustments. */
import type { EntityManager } from '@mikro-orm/postgresql';
import type { AccountId, QuoteId, TransferId, UserId } from '../../domain/ids.ts';
import type { TransferStatus } from '../../domain/transfers.ts';
import { row, rows } from '../sql.ts';

/** A transfer with the numbers of its accounts; the bank's own side of an adjustment has none. Amount in minor units. */
export interface TransferRow {
  readonly id: TransferId;
  readonly kind: 'transfer' | 'adjustment';
  readonly type_code: string | null;
  readonly status: TransferStatus;
  readonly requested_by: UserId;
  readonly customer_id: UserId;
  readonly source_account_id: AccountId;
  readonly source_number: string | null;
  readonly destination_account_id: AccountId;
  readonly destination_number: string | null;
  /** Null where it is the bank's own. */
  readonly destination_owner_id: UserId | null;
  readonly asset: string;
  readonly amount: string;
  readonly description: string;
  readonly reason: string | null;
  readonly quote_id: QuoteId | null;
  readonly requires_approval: boolean;
  readonly transaction_id: string | null;
  readonly failure_code: string | null;
  readonly decided_by: UserId | null;
  readonly decision_reason: string | null;
  /** The id reserved for the request that decided. */
  readonly decision_id: string | null;
  readonly created_at: Date;
  readonly approve_until: Date | null;
  readonly finished_at: Date | null;
}

const SELECT = `
  select t.id, t.kind, t.type_code, t.status, t.requested_by, t.customer_id, t.source_account_id, s.number as source_number,
         t.destination_account_id, d.number as destination_number, d.owner_id as destination_owner_id, t.asset, t.amount, t.description, t.reason, t.quote_id,
         t.requires_approval, t.transaction_id, t.failure_code, t.decided_by, t.decision_reason, t.decision_id, t.created_at, t.approve_until, t.finished_at
    from transfers t join accounts s on s.id = t.source_account_id join accounts d on d.id = t.destination_account_id`;

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
): Promise<TransferRow | undefined> {
  return row(em, `${SELECT} where t.id = $1 and t.customer_id = $2 and t.kind = 'transfer'`, [id, customer]);
}

/** A page of a customer's transfers, newest first, from below `before`. */
export function transfersOf(
  em: EntityManager,
  customer: UserId,
  before: TransferId | null,
  most: number,
): Promise<TransferRow[]> {
  return rows(
    em,
    `${SELECT} where t.customer_id = $1 and t.kind = 'transfer' and t.id < $2::uuid order by t.id desc limit $3`,
    [customer, before ?? NEWEST, most],
  );
}

/** A page of what waits for a decision, longest waiting first, from after `after`. */
export function pendingTransfers(
  em: EntityManager,
  after: TransferId | null,
  most: number,
): Promise<TransferRow[]> {
  return rows(
    em,
    `${SELECT} where t.status = 'pending_approval' and t.id > $1::uuid order by t.id limit $2`,
    [after ?? OLDEST, most],
  );
}
