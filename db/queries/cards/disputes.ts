/** Disputes of card payments. Functions of the database open them, move them and book for them. */
import type { CardDisputeId, CardPaymentId, UserId } from '../../../domain/ids.ts';
import { DISPUTE_DECISIONS, NETWORK_OUTCOMES, type DisputeStatus } from '../../../domain/cards/disputes.ts';
import {
  bigCount,
  boolean,
  id,
  integer,
  minor,
  moment,
  oneOf,
  text,
  type RowOf,
} from '../../rows/columns.ts';
import { LAST_ID, composedStatement, narrowedTo } from '../../rows/composed.ts';
import { statement } from '../../rows/statement.ts';
import { columnsOf, selectList } from '../../rows/table-columns.ts';
import { CardDispute } from '../../schema/card-disputes.ts';
import { CardPayment } from '../../schema/card-payments.ts';
import { Card } from '../../schema/cards.ts';

const own = columnsOf(
  CardDispute,
  ...(['id', 'paymentId', 'ownerId', 'asset', 'reason', 'explanation', 'amount', 'status'] as const),
  ...(['refunded', 'firstBy', 'firstAt', 'decidedBy', 'decidedAt', 'decisionReason'] as const),
  ...(['credited', 'creditedFee', 'takenBack', 'dueAt', 'endedAt', 'createdAt', 'updatedAt'] as const),
);
const paid = columnsOf(CardPayment, 'cardId', 'merchant', 'networkId');
const dispute = {
  ...own,
  ...paid,
  ...columnsOf(Card, 'lastFour'),
  ...{ claim: minor().nullable(), isUntold: boolean(), isOverdue: boolean() },
};
/** A dispute with what was paid. Amounts are minor units of `asset`; `claim` is what the network is to find claimed, and `isUntold` if it finds something else. */
export type DisputeRow = RowOf<typeof dispute>;

const SELECT = `
  select ${selectList(own, 'd')}, ${selectList(paid, 'p')}, c.last_four, card_dispute_claim(d) as claim, card_dispute_untold(d) as is_untold,
         d.ended_at is null and d.due_at < bank_now() as is_overdue
    from card_disputes d join card_payments p on p.id = d.payment_id join cards c on c.id = p.card_id`;

/** One dispute, of this owner if one is given. */
export const disputeOf = statement({
  name: 'disputeOf',
  takes: { id: own.id, owner: id<UserId>().nullable() },
  gives: dispute,
  sql: `${SELECT} where d.id = $id and d.owner_id = coalesce($owner, d.owner_id)`,
});

/** Which disputes: what is left out is not narrowed to. From below `before`. */
interface DisputePage {
  readonly owner?: UserId | undefined;
  readonly payment?: CardPaymentId | undefined;
  readonly status?: DisputeStatus | undefined;
  readonly before: CardDisputeId | null;
  readonly most: number;
}

/** A page of disputes, newest first. */
export const disputesPage = composedStatement({
  name: 'disputesPage',
  gives: dispute,
  compose({ owner, payment, status, before, most }: DisputePage, bind) {
    const narrowing = {
      'd.owner_id =': owner,
      'd.payment_id =': payment,
      'd.status =': status,
      'd.id <': before ?? undefined,
    };
    return `${SELECT} where ${narrowedTo(narrowing, bind)} order by d.id desc limit ${bind(most)}`;
  },
  examples: [
    { before: null, most: 1 },
    {
      ...{ owner: LAST_ID as UserId, payment: LAST_ID as CardPaymentId, status: 'in_review' as const },
      ...{ before: LAST_ID as CardDisputeId, most: 1 },
    },
  ],
});

/** Opens a dispute, or says why not; then `most` is what could be disputed. */
export const openDispute = statement({
  name: 'openDispute',
  takes: {
    ...columnsOf(CardDispute, 'id', 'reason', 'explanation'),
    ...{ payment: id<CardPaymentId>(), owner: id<UserId>(), amount: minor().nullable() },
    ...{ days: integer(), reviewDays: integer() },
  },
  gives: {
    refusal: oneOf([
      ...(['not_found', 'nothing_to_dispute', 'dispute_open'] as const),
      ...(['dispute_too_late', 'dispute_too_large'] as const),
    ]).nullable(),
    most: minor().nullable(),
  },
  sql: `
    select refusal, most
      from card_dispute_open($id, $payment, $owner, $reason, $explanation, $amount, $days, $reviewDays)`,
});

/** Decides a dispute, or says why not; `needsSecond` if another person has to agree first. */
export const decideDispute = statement({
  name: 'decideDispute',
  takes: {
    ...{ id: own.id, by: id<UserId>(), wanted: oneOf(DISPUTE_DECISIONS), reason: text() },
    ...{ aloneUpTo: minor(), networkDays: integer(), clock: moment() },
  },
  gives: {
    refusal: oneOf(['not_found', 'already_decided', 'same_person']).nullable(),
    needsSecond: boolean(),
  },
  sql: `
    select x.refusal, x.needs_second
      from clock_check($clock), card_dispute_decide($id, $by, $wanted, $reason, $aloneUpTo, $networkDays) x`,
});

/** Ends a dispute that its holder does not want any more, or says why not. */
export const withdrawDispute = statement({
  name: 'withdrawDispute',
  takes: { id: own.id, owner: id<UserId>(), clock: moment() },
  gives: { refusal: oneOf(['not_found', 'already_decided']).nullable() },
  sql: 'select x as refusal from clock_check($clock), card_dispute_withdraw($id, $owner) x',
});

/** Books what the network has decided, or says why not; `isChanged` unless it was booked before. */
export const settleDispute = statement({
  name: 'settleDispute',
  takes: { id: own.id, outcome: oneOf(NETWORK_OUTCOMES), clock: moment() },
  gives: {
    refusal: oneOf(['not_found', 'not_filed', 'already_decided']).nullable(),
    isChanged: boolean(),
  },
  sql: 'select x.refusal, x.is_changed from clock_check($clock), card_dispute_settle($id, $outcome) x',
});

/** Does what is due of a dispute. */
export const advanceDispute = statement({
  name: 'advanceDispute',
  takes: { id: own.id },
  gives: {
    state: own.status,
    ...{ isDue: boolean(), isOverdue: boolean(), isUntold: boolean(), lookAgainSeconds: bigCount() },
  },
  sql: 'select state, is_due, is_overdue, is_untold, look_again_seconds from card_dispute_advance($id)',
});

/** Notes what the network finds claimed. */
export const noteDisputeTold = statement({
  name: 'noteDisputeTold',
  takes: { id: own.id, claim: minor() },
  gives: {},
  sql: 'select from card_dispute_told($id, $claim)',
});

/** Disputes that are due and of which nobody was reminded, or of which the network should have been told. */
export const overdueDisputes = statement({
  name: 'overdueDisputes',
  takes: { lateSeconds: integer(), most: bigCount(), after: id().nullable() },
  gives: { id: id() },
  sql: `
    select d.id from card_disputes d
     where (d.ended_at is null
         or d.credited > 0 and d.claimed is distinct from 0 and d.status in ('withdrawn', 'refunded'))
       and d.id > coalesce($after::uuid, '00000000-0000-0000-0000-000000000000')
       and least(case when card_dispute_untold(d) then d.updated_at end,
             case when d.ended_at is null and d.reminded_at is null then d.due_at end)
           < bank_now() - make_interval(secs => $lateSeconds::integer)
     order by d.id limit $most`,
});
