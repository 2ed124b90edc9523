/** Card payments as their holders see them, and the one call that decides a message of the network. */
import type { AccountId, CardId, CardPaymentId, UserId } from '../../../domain/ids.ts';
import { ANSWER_REASONS, type CardPaymentStatus } from '../../../domain/cards/payments.ts';
import {
  bigCount,
  boolean,
  id,
  integer,
  minor,
  moment,
  oneOf,
  ownJson,
  text,
  type RowOf,
} from '../../rows/columns.ts';
import { LAST_ID, composedStatement, narrowedTo } from '../../rows/composed.ts';
import { statement } from '../../rows/statement.ts';
import { columnsOf, selectList } from '../../rows/table-columns.ts';
import { Card } from '../../schema/cards.ts';
import { CardMessage, CardPayment } from '../../schema/card-payments.ts';

const own = columnsOf(
  CardPayment,
  'id',
  'networkId',
  'cardId',
  'ownerId',
  'accountId',
  'asset',
  'purpose',
  'status',
  'authorised',
  'reversed',
  'cleared',
  'refunded',
  'merchant',
  'merchantAmount',
  'merchantAsset',
  'entryMode',
  'decline',
  'declinedAt',
  'irregularities',
  'createdAt',
  'updatedAt',
);
const payment = {
  ...own,
  ...columnsOf(Card, 'lastFour'),
  held: minor(),
  heldUntil: moment().nullable(),
};
/** A card payment with what its hold holds now. Amounts are minor units of `asset`. */
export type CardPaymentRow = RowOf<typeof payment>;

const SELECT = `
  select ${selectList(own, 'p')}, c.last_four, 
         case when h.status = 'open' then h.amount - h.captured else 0 end as held,
         case when h.status = 'open' then h.expires_at end as held_until
    from card_payments p join cards c on c.id = p.card_id left join holds h on h.id = p.hold_id`;

/** One payment, of this owner if one is given. */
export const cardPaymentOf = statement({
  name: 'cardPaymentOf',
  takes: { id: own.id, owner: id<UserId>().nullable() },
  gives: payment,
  sql: `${SELECT} where p.id = $id and p.owner_id = coalesce($owner, p.owner_id)`,
});

/** Which payments: what is left out is not narrowed to. From below `before`. */
export interface CardPaymentPage {
  readonly owner?: UserId | undefined;
  readonly card?: CardId | undefined;
  readonly account?: AccountId | undefined;
  readonly status?: CardPaymentStatus | undefined;
  readonly before: CardPaymentId | null;
  readonly most: number;
}

/** A page of payments, newest first. */
export const cardPaymentsPage = composedStatement({
  name: 'cardPaymentsPage',
  gives: payment,
  compose({ owner, card, account, status, before, most }: CardPaymentPage, bind) {
    const narrowing = {
      'p.owner_id =': owner,
      'p.card_id =': card,
      'p.account_id =': account,
      'p.status =': status,
      'p.id <': before ?? undefined,
    };
    return `${SELECT} where ${narrowedTo(narrowing, bind)} order by p.id desc limit ${bind(most)}`;
  },
  examples: [
    { before: null, most: 1 },
    {
      ...{ owner: LAST_ID as UserId, card: LAST_ID as CardId, account: LAST_ID as AccountId },
      ...{ status: 'declined', before: LAST_ID as CardPaymentId, most: 1 },
    },
  ],
});

const message = columnsOf(
  CardMessage,
  'type',
  'stan',
  'rrn',
  'reversesStan',
  'reversesRrn',
  'purpose',
  'amount',
  'stoodIn',
  'reason',
  'approvalCode',
  'approved',
  'asset',
  'at',
);
/** A message of a payment and its answer. */
export type CardMessageRow = RowOf<typeof message>;

/** The messages of a payment, oldest first. */
export const messagesOfCardPayment = statement({
  name: 'messagesOfCardPayment',
  takes: { id: own.id },
  gives: message,
  sql: `select ${selectList(message, 'm')} from card_messages m where m.payment_id = $id order by m.place`,
});

const after = {
  ...columnsOf(CardPayment, 'status', 'authorised', 'reversed'),
  ...{ held: minor(), place: integer() },
};
/** What a payment was once a message was taken, in minor units of its currency, held with the fees of today. */
export type CardPaymentAfterRow = RowOf<typeof after>;

/** What a payment was after each of its first hundred messages, oldest first. */
export const historyOfCardPayment = statement({
  name: 'historyOfCardPayment',
  takes: { id: own.id },
  gives: after,
  sql: 'select status, authorised, reversed, held, place from card_payment_history($id) order by place',
});

const told = {
  ...columnsOf(CardPayment, 'networkId', 'merchant', 'asset'),
  ...columnsOf(Card, 'lastFour'),
  ...columnsOf(
    CardMessage,
    'type',
    'stan',
    'purpose',
    'amount',
    'stoodIn',
    'reversesStan',
    'reason',
    'approved',
    'at',
  ),
  messageAsset: columnsOf(CardMessage, 'asset').asset,
  ...after,
};
/** A message of a payment as the page of the network simulator shows it. */
export type ToldMessageRow = RowOf<typeof told>;

/** The messages of the newest payments of the bank: newest payment first, and of each the oldest message first. */
export const messagesOfNewestPayments = statement({
  name: 'messagesOfNewestPayments',
  takes: { most: bigCount() },
  gives: told,
  sql: `
    select p.network_id, p.merchant, p.asset, c.last_four, m.type, m.stan, m.purpose, m.amount, m.stood_in, m.reverses_stan, m.reason,
           m.approved, m.at, m.asset as message_asset, h.status, h.authorised, h.reversed, h.held, h.place
      from (select * from card_payments order by id desc limit $most) p
      join cards c on c.id = p.card_id
      cross join lateral card_payment_history(p.id) h
      join card_messages m on m.payment_id = p.id and m.place = h.place
     order by p.id desc, h.place`,
});

/** Lets go of what a payment holds, or says why not. */
export const releaseCardPayment = statement({
  name: 'releaseCardPayment',
  takes: { id: own.id, by: id<UserId>() },
  gives: { refusal: oneOf(['not_found', 'nothing_held']).nullable() },
  sql: 'select card_payment_release($id, $by) as refusal',
});

/** A message as the database takes it: hashes in hex, amounts in minor units as text. */
export interface TakenMessage {
  readonly type: string;
  readonly stan: string;
  readonly rrn: string;
  readonly reverses_stan: string | null;
  readonly reverses_rrn: string | null;
  readonly payment_id: string;
  readonly purpose: string;
  readonly amount: string | null;
  readonly asset: string | null;
  readonly stood_in: boolean;
  readonly numbers: readonly string[];
  readonly content: readonly string[];
  readonly said: Readonly<Record<string, unknown>>;
}

/** What the bank has set for the checks of a message. */
interface MessageSettings {
  readonly cvv_tries: number;
  readonly cvv_lock_minutes: number;
  readonly hold_days: number;
}

/** The card that has a number, by its hashes in hex. */
export const cardWithNumber = statement({
  name: 'cardWithNumber',
  takes: { numbers: ownJson<readonly string[]>() },
  gives: { card: id<CardId>().nullable() },
  sql: 'select card_with_number($numbers) as card',
});

/** Decides a message of the network, or finds what it was answered before. */
export const takeCardMessage = statement({
  name: 'takeCardMessage',
  takes: { message: ownJson<TakenMessage>(), settings: ownJson<MessageSettings>() },
  gives: {
    reason: oneOf(ANSWER_REASONS),
    approvalCode: text().nullable(),
    approved: minor().nullable(),
    balance: minor().nullable(),
    asset: text().nullable(),
    otherCurrency: boolean().nullable(),
  },
  sql: `select reason, approval_code, approved, balance, asset, other_currency from card_message_take($message, $settings)`,
});
