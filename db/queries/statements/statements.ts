/** What a statement of account is about: the account, where its period begins and ends in its history, and the sums. */
import type { AccountId, UserId } from '../../../domain/ids.ts';
import { bigCount, day, id, moment, text, type RowOf } from '../../rows/columns.ts';
import { statement } from '../../rows/statement.ts';
import { columnsOf, selectList } from '../../rows/table-columns.ts';
import { Account, AccountType, Asset } from '../../schema/accounts.ts';
import { User } from '../../schema/identity.ts';
import { LedgerEntry } from '../../schema/ledger.ts';

const account = { ...columnsOf(Account, 'iban', 'asset'), number: text() };
const { kind, scale } = columnsOf(Asset, 'kind', 'scale');
const { seq, amount, bookedAt } = columnsOf(LedgerEntry, 'seq', 'amount', 'bookedAt');

const head = {
  ...account,
  accountId: id<AccountId>(),
  typeName: columnsOf(AccountType, 'name').name,
  ownerName: text(),
  ownerLocale: columnsOf(User, 'locale').locale,
  assetKind: kind,
  scale,
  begins: moment(),
  ends: moment(),
  seqBefore: seq,
  seqLast: seq,
  opening: amount,
  closing: amount,
  lastBookedAt: bookedAt.nullable(),
};
/**
 * The account and its period. `begins` is the first moment of it and `ends` the first after it. `seqBefore` and `seqLast` number the
 * last entry before it and the last in it, the same where there is none. `lastBookedAt` is the last booking until its end.
 */
export type StatementHead = RowOf<typeof head>;

/**
 * One statement, hence one moment: what is booked while it is read is not in it. None where the account is not the owner's; an owner
 * of null is whoever owns it.
 */
export const statementHead = statement({
  name: 'statementHead',
  takes: {
    account: id<AccountId>(),
    owner: id<UserId>().nullable(),
    from: day(),
    to: day(),
    timeZone: text(),
  },
  gives: head,
  sql: `
  select a.id as account_id, ${selectList(account, 'a')}, k.name as type_name, u.first_name || ' ' || u.last_name as owner_name, u.locale as owner_locale,
         s.kind as asset_kind, s.scale, p.begins, p.ends, coalesce(o.seq, 0) as seq_before, coalesce(c.seq, 0) as seq_last,
         coalesce(o.balance_after, 0) as opening, coalesce(c.balance_after, 0) as closing, c.booked_at as last_booked_at
    from accounts a
    join account_types k on k.id = a.account_type_id
    join users u on u.id = a.owner_id
    join assets s on s.code = a.asset
   cross join (select $from::date::timestamp at time zone $timeZone as begins, ($to::date + 1)::timestamp at time zone $timeZone as ends) p
    left join lateral (select seq, balance_after from ledger_entries
                        where account_id = a.id and booked_at < p.begins order by booked_at desc, seq desc limit 1) o on true
    left join lateral (select seq, balance_after, booked_at from ledger_entries
                        where account_id = a.id and booked_at < p.ends order by booked_at desc, seq desc limit 1) c on true
   where a.id = $account and a.kind = 'customer' and ($owner::uuid is null or a.owner_id = $owner)`,
});

const totals = { credits: bigCount(), creditSum: amount, debits: bigCount(), debitSum: amount };
/** What came in and went out, without sign. */
export type StatementTotals = RowOf<typeof totals>;

/** What came in and went out in the period of a head. */
export const statementTotals = statement({
  name: 'statementTotals',
  takes: { accountId: head.accountId, seqBefore: seq, seqLast: seq },
  gives: totals,
  sql: `
    select count(*) filter (where amount > 0) as credits, coalesce(sum(amount) filter (where amount > 0), 0) as credit_sum,
           count(*) filter (where amount < 0) as debits, coalesce(-sum(amount) filter (where amount < 0), 0) as debit_sum
      from ledger_entries where account_id = $accountId and seq > $seqBefore and seq <= $seqLast`,
});
