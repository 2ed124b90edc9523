/** Fees of accounts and of their cards. They are booked by functions of the books' owner, a batch a transaction. */
import type { EntityManager } from '@mikro-orm/postgresql';
import type { AccountFeePurpose, AccountFeeStatus } from '../../../domain/pricing/fees.ts';
import type { AccountFeeId, AccountId, CardId } from '../../../domain/ids.ts';
import { id, integer, moment, text, type RowOf } from '../../rows/columns.ts';
import { composedStatement, narrowedTo } from '../../rows/composed.ts';
import { statement } from '../../rows/statement.ts';
import { columnsOf, selectList } from '../../rows/table-columns.ts';
import { AccountFee, AccountFeeMonth } from '../../schema/pricing.ts';

const FIRST = '00000000-0000-0000-0000-000000000000';

const beginFeeMonth = statement({
  name: 'beginFeeMonth',
  gives: {},
  sql: `
    insert into account_fee_months (month) values (date_trunc('month', bank_day(bank_now())::timestamp)::date) on conflict (month) do nothing`,
});

const unfinishedFeeMonth = statement({
  name: 'unfinishedFeeMonth',
  takes: { days: integer() },
  gives: columnsOf(AccountFeeMonth, 'month'),
  sql: `
    select month from account_fee_months
     where finished_at is null and month <= bank_day(bank_now()) and month > bank_day(bank_now()) - $days::int
     order by month desc limit 1`,
});

/** After so many days a month is not charged any more; `charge_account_fees` refuses it too. */
const MOST_DAYS = 62;

/** The newest month that is still to be charged, by its first day: that of the bank's day or one that was cut off; null if none is. */
export async function openFeeMonth(db: EntityManager): Promise<string | null> {
  await beginFeeMonth.run(db);
  return (await unfinishedFeeMonth.first(db, { days: MOST_DAYS }))?.month ?? null;
}

/** Ends the month: all of its fees have been made. */
export const closeFeeMonth = statement({
  name: 'closeFeeMonth',
  takes: columnsOf(AccountFeeMonth, 'month'),
  gives: {},
  sql: 'update account_fee_months set finished_at = bank_now() where month = $month and finished_at is null',
});

// `last` is the last one looked at, null if there are no more
const batch = { last: id().nullable(), charged: integer(), refused: integer() };

/** Charges the fee of a month to the next accounts by id. Repeated, it charges nobody twice. */
export const chargeFeeMonth = statement({
  name: 'chargeFeeMonth',
  takes: { ...columnsOf(AccountFeeMonth, 'month'), after: id().nullable(), most: integer(), clock: moment() },
  gives: batch,
  sql: `
    select last, charged, refused
      from clock_check($clock), charge_account_fees($month, coalesce($after::uuid, '${FIRST}'), $most)`,
});

/** Tries the next fees by id that the books have refused. */
export const chargeRefusedFees = statement({
  name: 'chargeRefusedFees',
  takes: { after: id().nullable(), most: integer(), clock: moment() },
  gives: batch,
  sql: `
    select last, charged, refused
      from clock_check($clock), charge_refused_account_fees(coalesce($after::uuid, '${FIRST}'), $most)`,
});

/** Charges the fees of a card that are due. What the books refuse is tried again by the daily round. */
export const chargeCardFees = statement({
  name: 'chargeCardFees',
  takes: { card: id<CardId>(), clock: moment() },
  gives: { charged: integer(), refused: integer() },
  sql: 'select charged, refused from clock_check($clock), charge_card_fees($card)',
});

const stored = columnsOf(
  AccountFee,
  'id',
  'accountId',
  'purpose',
  'cardId',
  'ruleId',
  'ruleVersion',
  'asset',
  'amount',
  'status',
  'refusal',
  'attempts',
  'transactionId',
  'createdAt',
  'triedAt',
);
// `month` is `YYYY-MM`
const accountFee = { ...stored, month: text() };
/** A fee of one account for one month, or for a card that was issued in it. `refusal` is why the books refused it last. */
export type AccountFeeRow = RowOf<typeof accountFee>;

/** Which fees, and from below which month, account and fee. */
export interface AccountFeePage {
  readonly status?: AccountFeeStatus | undefined;
  readonly account?: AccountId | undefined;
  readonly card?: CardId | undefined;
  readonly purpose?: AccountFeePurpose | undefined;
  readonly before: readonly [month: string, account: AccountId, id: AccountFeeId] | null;
  readonly most: number;
}

/** A page of fees, the newest month first and in it by account, from below `before`. */
export const accountFees = composedStatement({
  name: 'accountFees',
  gives: accountFee,
  compose({ status, account, card, purpose, before, most }: AccountFeePage, bind) {
    const [month, below, last] = before ?? ['9999-12', FIRST, FIRST];
    const narrowing = { 'f.status =': status, 'f.account_id =': account, 'f.card_id =': card };
    const narrowed = narrowedTo({ ...narrowing, 'f.purpose =': purpose }, bind);
    return `
      select ${selectList(stored, 'f')}, to_char(f.month, 'YYYY-MM') as month
        from account_fees f
       where (f.month, f.account_id, f.id) < (${bind(`${month}-01`)}::date, ${bind(below)}::uuid, ${bind(last)}::uuid)
         and ${narrowed}
       order by f.month desc, f.account_id desc, f.id desc limit ${bind(most)}`;
  },
  examples: [
    { before: null, most: 1 },
    {
      ...{ status: 'due', account: FIRST as AccountId, card: FIRST as CardId, purpose: 'card_issue' },
      ...{ before: null, most: 1 },
    },
  ],
});
