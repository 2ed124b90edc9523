/** Card payments that hold something and are not booked yet: a statement lists them apart, because they may still change. */
import type { AccountId } from '../../../domain/ids.ts';
import { bigCount, day, id, minor, text, type RowOf } from '../../rows/columns.ts';
import { statement } from '../../rows/statement.ts';

const pending = {
  amount: minor(),
  madeOn: day(),
  heldUntil: day(),
  merchant: text(),
  place: text(),
  lastFour: text(),
  otherAmount: minor().nullable(),
  otherAsset: text().nullable(),
};
/** One of them. Days are in the bank's time zone; `otherAmount` is what is paid there, if it is in another currency. */
export type PendingRow = RowOf<typeof pending>;

/** The newest of an account, newest first. */
export const pendingCardPayments = statement({
  name: 'pendingCardPayments',
  takes: { account: id<AccountId>(), timeZone: text(), most: bigCount() },
  gives: pending,
  sql: `
    select h.amount - h.captured as amount, (p.created_at at time zone $timeZone)::date as made_on,
           (h.expires_at at time zone $timeZone)::date as held_until, p.merchant->>'name' as merchant,
           trim(concat_ws(' ', p.merchant->>'city', p.merchant->>'country')) as place, c.last_four,
           case when p.merchant_asset <> p.asset then p.merchant_amount end as other_amount,
           case when p.merchant_asset <> p.asset then p.merchant_asset end as other_asset
      from holds h join card_payments p on p.hold_id = h.id join cards c on c.id = p.card_id
     where h.account_id = $account and h.status = 'open' and h.source_type = 'card_payment' and h.amount > h.captured
     order by p.id desc limit $most`,
});
