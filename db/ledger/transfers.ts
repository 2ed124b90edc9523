/** Transfers in the books: taking orders and deciding on what waits, each one transaction and one round trip. */
import type { EntityManager } from '@mikro-orm/postgresql';
import type { TransferId, UserId } from '../../domain/ids.ts';
import { refusalCodes } from '../../domain/refusals.ts';
import { now } from '../../domain/time/now.ts';
import type { TransferOrder, TransferStep } from '../../domain/transfers/transfers.ts';
import { boolean, integer, moment, oneOf, ownJson, text, type RowOf } from '../rows/columns.ts';
import { statement } from '../rows/statement.ts';
import { columnsOf, nullable, selectList } from '../rows/table-columns.ts';
import { NO_DECISION, own, ownTransfer, type OwnTransferRow } from '../queries/transfers/transfers.ts';
import { Transfer, TransferDecision } from '../schema/transfers.ts';
import { BOOKED_AHEAD, isPermanentState, sqlStateOf } from '../sql-state.ts';
import { createBatcher, type Batcher } from './batches.ts';

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
  readonly order: TransferOrder;
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

export function createOrderTaker(em: () => EntityManager, everyRun: boolean): OrderTaker {
  const batcher = createBatcher<OrderClaim, TakenOrder>({
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
    carry: (claims) => takeOrders.all(em(), { claims: claims.map(claimed), everyRun, clock: now() }),
  });
  return { ...batcher, everyRun };
}

const decision = columnsOf(TransferDecision, 'id', 'decidedBy', 'reason', 'requestId', 'state', 'refusal');
/** Accepts a decision for the transfer's process to carry out; a repeat, and the same one by the same person, is the one accepted before. */
export const acceptDecision = statement({
  name: 'acceptDecision',
  takes: {
    ...columnsOf(TransferDecision, 'transferId', 'kind', 'decidedBy', 'reason', 'requestId'),
    decision: decision.id,
  },
  gives: { accepted: decision.id.nullable(), refusal },
  sql: `
    select accepted, refusal
      from transfer_decision_accept($transferId, $decision, $kind, $decidedBy, $reason, $requestId)`,
});

/** What has become of a decision. */
export const decisionById = statement({
  name: 'decisionById',
  takes: { id: decision.id },
  gives: { state: decision.state, refusal: decision.refusal },
  sql: 'select state, refusal from transfer_decisions where id = $id',
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
  // the status before, if it changed
  was: status,
  decider: decision.decidedBy.nullable(),
  deciderRole: oneOf(['customer', 'admin', 'system']),
  reason: decision.reason,
  requestId: decision.requestId,
  // the rail's reason
  code: text().nullable(),
};
/** Where the transfer stands after the step, and who has decided it; `refusal` where the step was not taken. */
export type StepVerdict = RowOf<typeof carriedOut>;

const carryOutStep = statement({
  name: 'carryOutStep',
  takes: { ...columnsOf(Transfer, 'id'), source: text(), sourceId: text().nullable(), clock: moment() },
  gives: carriedOut,
  sql: `
    select status, refusal, changed, wait_seconds, was, decider, decider_role, reason, request_id, code
      from clock_check($clock), transfer_carry_out($id, $source, $sourceId)`,
});

/** Carries out what a row or the clock has decided; a repeat gets the same answer. */
export function carryOut(db: EntityManager, id: TransferId, step: TransferStep): Promise<StepVerdict> {
  const sourceId = step.source === 'time' ? null : step.id;
  return carryOutStep.one(db, { id, source: step.source, sourceId, clock: now() });
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

function claimed({ caller, key, stepUpId, order }: OrderClaim): object {
  return {
    caller,
    ...(key === null
      ? {}
      : { operation: key.operation, key: key.key, hmac: Buffer.from(key.hmac).toString('hex') }),
    step_up: stepUpId,
    approval_seconds: order.approvalSeconds,
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
