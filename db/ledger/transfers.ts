/** Transfers in the books: taking orders and deciding on what waits, each one transaction and one round trip. */
import type { EntityManager } from '@mikro-orm/postgresql';
import type { TransferId, UserId } from '../../domain/ids.ts';
import { refusalCodes } from '../../domain/refusals.ts';
import { machineNow } from '../../domain/time/now.ts';
import type { Screened } from '../../domain/screening/parties.ts';
import type { TransferOrder, TransferStep } from '../../domain/transfers/transfers.ts';
import { boolean, integer, moment, oneOf, ownJson, text, type RowOf } from '../rows/columns.ts';
import { statement } from '../rows/statement.ts';
import { columnsOf, nullable, selectList } from '../rows/table-columns.ts';
import {
  NO_DECISION,
  own,
  ownTransfer,
  SELECT_TRANSFER,
  transfer,
  type OwnTransferRow,
} from '../queries/transfers/transfers.ts';
import { ProcessUpdate } from '../schema/platform.ts';
import { Transfer, TransferDecision } from '../schema/transfers.ts';
import { BOOKED_AHEAD, isPermanentState, sqlStateOf } from '../sql-state.ts';
import { createBatcher, type Batcher, type BatchWatch } from './batches.ts';

const status = columnsOf(Transfer, 'status').status.nullable();
const refusal = oneOf(refusalCodes).nullable();
// seconds that it waits for the approval or the rail
const waitSeconds = integer().nullable();

/** What a claim of an order is made with: the idempotency key and the step-up token, or neither for a day of a schedule. */
export interface OrderClaim {
  /** Null if a schedule asks. */
  readonly caller: UserId | null;
  readonly key: {
    readonly operation: string;
    readonly key: string;
    /** Keyed hash of the request. */
    readonly hmac: Uint8Array;
  } | null;
  readonly stepUpId: string | null;
  /** Of the request that gives the order; null if a schedule does. */
  readonly requestId: string | null;
  /** Its `traceparent`, for the process that it may start. */
  readonly trace?: string | null;
  readonly order: TransferOrder;
  /** What screening has found of a payee outside the bank. */
  readonly screened?: Screened;
}

const takenOrder = {
  refusal,
  members: ownJson<Readonly<Record<string, unknown>>>().nullable(),
  // the key was there before: read what it stands for
  isRepeat: boolean(),
  ...nullable(ownTransfer),
};
const takeOrders = statement({
  name: 'takeOrders',
  takes: { claims: ownJson<object[]>(), everyRun: boolean(), clock: moment() },
  gives: takenOrder,
  sql: `
    select c.refusal, c.members, c.is_repeat, ${selectList(own, '(c.transfer)')}, c.payee_number as destination_number,
           (c.payee).name as beneficiary_name, (c.payee).iban as beneficiary_iban, (c.payee).account as beneficiary_account,
           (c.payee).bic as beneficiary_bic, (c.payee).country as beneficiary_country,
           ${NO_DECISION}
      from clock_check($clock), transfers_create($claims, $everyRun) c order by c.ord`,
});
/** What became of a claim. All columns of the transfer are null where it was refused, or is a repeat. */
export type TakenOrder = RowOf<typeof takenOrder>;

/** Tells a claim that made a transfer: the columns are those of its row, so they are null together. */
export function isMade(taken: TakenOrder): taken is TakenOrder & OwnTransferRow {
  return taken.id !== null;
}

/** Takes orders for many callers of one process. */
export interface OrderTaker extends Batcher<OrderClaim, TakenOrder> {
  /** Orders that end at once get a process too, for operators who want to see all of them. */
  readonly everyRun: boolean;
}

const LOCK_NOT_AVAILABLE = '55P03';
/** Class 40: transactions that stood in each other's way. */
const isRollback = (state: string): boolean => state.startsWith('40');
const MOST_IN_A_BATCH = 32;
/** While one commits, the next is worked on; more would only divide what could be carried together. */
const BATCHES_AT_ONCE = 2;

export function createOrderTaker(em: () => EntityManager, everyRun: boolean, watch?: BatchWatch): OrderTaker {
  const batcher = createBatcher<OrderClaim, TakenOrder>({
    ...(watch === undefined ? {} : { watch }),
    most: MOST_IN_A_BATCH,
    atOnce: BATCHES_AT_ONCE,
    needs: ({ order: { source, destination } }) =>
      [source, destination].filter((account) => account !== undefined),
    retry(error) {
      const state = sqlStateOf(error);
      // the function gives up after a while (`set lock_timeout`)
      if (state === LOCK_NOT_AVAILABLE) return 'alone';
      if (state === undefined) return 'none';
      return state === BOOKED_AHEAD || isPermanentState(state) || isRollback(state) ? 'halves' : 'none';
    },
    carry: (claims) => takeOrders.all(em(), { claims: claims.map(claimed), everyRun, clock: machineNow() }),
  });
  return { ...batcher, everyRun };
}

const decision = columnsOf(TransferDecision, 'id', 'decidedBy', 'reason', 'requestId', 'refusal');
/**
 * Accepts a decision for the transfer's process to carry out, and leaves in the outbox that the process shall hear `input`; a repeat, and
 * the same one by the same person, is the one accepted before. Its entry in the outbox goes when it is concluded.
 */
export const acceptDecision = statement({
  name: 'acceptDecision',
  takes: {
    ...columnsOf(TransferDecision, 'transferId', 'kind', 'decidedBy', 'reason', 'requestId'),
    decision: decision.id,
    ...columnsOf(ProcessUpdate, 'name', 'input'),
  },
  gives: {
    accepted: decision.id.nullable(),
    refusal,
    // of the transfer
    kind: columnsOf(Transfer, 'kind').kind.nullable(),
  },
  sql: `
    with verdict as materialized (
      select accepted, refusal
        from transfer_decision_accept($transferId, $decision, $kind, $decidedBy, $reason, $requestId)
    ), told as (
      insert into process_updates (workflow_id, update_id, name, input)
      select t.kind || '/' || t.id, v.accepted::text, $name::text, $input::jsonb
        from verdict v join transfers t on t.id = $transferId
       where v.accepted = $decision
         and not exists (select from transfer_decisions d where d.id = $decision and d.state <> 'accepted')
      on conflict (workflow_id, update_id) do nothing
    )
    select v.accepted, v.refusal, (select t.kind from transfers t where t.id = $transferId) as kind from verdict v`,
});

/** A transfer, and why this decision on it was refused, if it was. */
export const decidedTransfer = statement({
  name: 'decidedTransfer',
  takes: { id: columnsOf(Transfer, 'id').id, decision: decision.id },
  gives: { ...transfer, refusal: decision.refusal },
  sql: `
    select t.*, d.refusal from (${SELECT_TRANSFER} where t.id = $id) t join transfer_decisions d on d.id = $decision`,
});

/** Refuses a decision that can never be carried out. */
export const giveUpDecision = statement({
  name: 'giveUpDecision',
  takes: { id: decision.id },
  gives: { givenUp: decision.id.nullable() },
  sql: 'select transfer_decision_give_up($id) as given_up',
});

const carriedOut = {
  status,
  refusal,
  // false if it had been carried out before, or nothing was due
  changed: boolean(),
  waitSeconds,
};
/** Where the transfer stands after the step; `refusal` if the step was not taken. */
export type StepVerdict = RowOf<typeof carriedOut>;

const carryOutStep = statement({
  name: 'carryOutStep',
  takes: { ...columnsOf(Transfer, 'id'), source: text(), sourceId: text().nullable(), clock: moment() },
  gives: carriedOut,
  sql: `
    with step as materialized (
      select c.* from clock_check($clock), transfer_carry_out($id, $source, $sourceId, true) c
    ), recorded as (
      insert into audit_log (actor_id, actor_role, action, subject_type, subject_id, before, after, reason, request_id)
      select decider, case when decider is null then 'system' else decider_role end, 'transfer.' || status, 'transfer', ($id::uuid)::text,
             jsonb_build_object('status', was), jsonb_strip_nulls(jsonb_build_object('status', status, 'code', code)), reason,
             case when decider is not null then request_id end
        from step where changed
    )
    select status, refusal, changed, wait_seconds from step`,
});

/** Carries out what a row or the clock has decided, and writes into the audit log who it was; a repeat gets the same answer. */
export function carryOut(db: EntityManager, id: TransferId, step: TransferStep): Promise<StepVerdict> {
  const sourceId = step.source === 'time' ? null : step.id;
  return carryOutStep.one(db, { id, source: step.source, sourceId, clock: machineNow() });
}

const failTransferRow = statement({
  name: 'failTransfer',
  takes: columnsOf(Transfer, 'id'),
  gives: { status, refusal, changed: boolean(), was: status },
  sql: 'select status, refusal, changed, was from transfer_fail($id)',
});
/** The status of a transfer after it was failed; `refusal` if it is booked already. */
export type FailureVerdict = RowOf<(typeof failTransferRow)['gives']>;

/** Fails a transfer that can never be carried out and is not booked yet; its hold is released. A repeat gets the same answer. */
export function failTransfer(db: EntityManager, id: TransferId): Promise<FailureVerdict> {
  return failTransferRow.one(db, { id });
}

function claimed({ caller, key, stepUpId, requestId, trace, order, screened }: OrderClaim): object {
  return {
    caller,
    ...(key === null
      ? {}
      : { operation: key.operation, key: key.key, hmac: Buffer.from(key.hmac).toString('hex') }),
    step_up: stepUpId,
    request_id: requestId,
    trace,
    approval_seconds: order.approvalSeconds,
    ...(screened === undefined ? {} : { screened }),
    order: rowOf(order),
  };
}

function rowOf(order: TransferOrder): object {
  return {
    id: order.id,
    kind: order.kind,
    type_code: order.type,
    requested_by: order.requestedBy,
    customer_id: order.customerId,
    source_account_id: order.source,
    destination_account_id: order.destination,
    beneficiary_id: order.beneficiaryId,
    asset: order.asset,
    amount: order.amount,
    target_asset: order.targetAsset,
    target_amount: order.targetAmount,
    fee_total: order.feeTotal,
    price: order.price,
    legs: order.legs,
    description: order.description,
    reason: order.reason,
    quote_id: order.quoteId,
    reverses_id: order.reversesId,
    value_date: order.valueDate,
  };
}
