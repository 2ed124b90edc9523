/**
 * The lines of a statement of account. Entries are numbered without gaps, never change, and are booked in the order of their
 * numbers: once the first and the last number of a period are known, its entries can be read piece by piece, at any speed, without
 * a transaction that holds them still.
 */
import type { EntityManager } from '@mikro-orm/postgresql';
import type { AccountId, TransferId } from '../../../domain/ids.ts';
import { bigCount, boolean, day, id, text, type RowOf } from '../../rows/columns.ts';
import { statement } from '../../rows/statement.ts';
import { columnsOf, selectList } from '../../rows/table-columns.ts';
import { LedgerEntry, LedgerTransaction } from '../../schema/ledger.ts';
import { Beneficiary, Transfer, TransferType } from '../../schema/transfers.ts';
import type { StatementHead } from './statements.ts';

const entry = {
  ...columnsOf(LedgerEntry, 'seq', 'amount', 'balanceAfter', 'bookedAt', 'valueDate', 'part'),
  ...columnsOf(LedgerEntry, 'transactionId'),
};
const transaction = columnsOf(LedgerTransaction, 'kind', 'description');
const other = columnsOf(Transfer, 'amount', 'asset');
const line = {
  ...entry,
  ...transaction,
  bookingDate: day(),
  transferId: id<TransferId>().nullable(),
  reach: columnsOf(TransferType, 'reach').reach.nullable(),
  counterpartyName: text().nullable(),
  counterpartyNumber: text().nullable(),
  counterpartyIban: text().nullable(),
  counterpartyBic: columnsOf(Beneficiary, 'bic').bic,
  otherAmount: other.amount.nullable(),
  otherAsset: other.asset.nullable(),
  rate: text().nullable(),
};
/**
 * One entry with its transaction and, for the payment itself, who is on the other side. `bookingDate` is in the bank's time zone;
 * `otherAmount` is what the other side paid or got, where that is another currency. What is no transfer says in its metadata whom it was
 * with and what was paid there: `counterparty`, `original` (amount and currency) and `rate`.
 */
export type StatementRow = RowOf<typeof line>;

/** `wholeNames`: names are shown whole, for the back office; else another customer's as on their list of movements. */
export const linesAfter = statement({
  name: 'linesAfter',
  takes: {
    accountId: id<AccountId>(),
    after: entry.seq,
    seqLast: entry.seq,
    wholeNames: boolean(),
    timeZone: text(),
    most: bigCount(),
  },
  gives: line,
  sql: `
  with page as materialized (
    select * from ledger_entries where account_id = $accountId and seq > $after and seq <= $seqLast order by seq limit $most)
  select ${selectList(entry, 'e')}, (e.booked_at at time zone $timeZone)::date as booking_date,
         ${selectList(transaction, 'x')}, t.id as transfer_id, y.reach,
         coalesce(b.name, case when other.owner_id = mine.owner_id then coalesce(other.nickname, u.first_name || ' ' || u.last_name)
                               when $wholeNames::boolean then u.first_name || ' ' || u.last_name else shown_name(u.first_name, u.last_name) end,
                  case when e.part = 'principal' then x.metadata->>'counterparty' end) as counterparty_name,
         coalesce(other.number, b.account) as counterparty_number, coalesce(other.iban, b.iban) as counterparty_iban, b.bic as counterparty_bic,
         f.amount as other_amount, f.asset as other_asset, coalesce(t.price->'exchange'->>'rate', x.metadata->>'rate') as rate
    from page e
    join accounts mine on mine.id = e.account_id
    join ledger_transactions x on x.id = e.transaction_id
    left join lateral (select a.number, a.iban, a.owner_id, a.nickname from ledger_entries o join accounts a on a.id = o.account_id
                        where o.transaction_id = e.transaction_id and o.account_id <> e.account_id and a.kind = 'customer' limit 1) other on e.part = 'principal'
    left join users u on u.id = other.owner_id
    left join transfers t on x.source_type = 'transfer' and t.id = x.source_id
    left join transfer_types y on y.code = t.type_code
    left join beneficiaries b on e.part = 'principal' and b.id = t.beneficiary_id and t.source_account_id = e.account_id
    left join lateral (select case when t.source_account_id = e.account_id then t.target_amount else t.amount end as amount,
                              case when t.source_account_id = e.account_id then t.target_asset else t.asset end as asset
                        where e.part = 'principal' and t.asset <> t.target_asset
                       union all select trunc((x.metadata->'original'->>'amount')::numeric * ('1e' || s.scale)::numeric), s.code from assets s
                        where e.part = 'principal' and x.source_type <> 'transfer' and s.code = x.metadata->'original'->>'currency') f on true
   order by e.seq`,
});

/** Which lines are read, and how. */
export interface LinesWish {
  readonly head: StatementHead;
  readonly timeZone: string;
  readonly wholeNames: boolean;
  /** How many are read at a time. */
  readonly readAtOnce: number;
}

/** Less than a millisecond of writing: others shall not wait for a long statement. */
const LINES_GIVEN = 100;

/**
 * The entries of the period in their order. Their numbers have no gaps, so the next piece is requested before this one has arrived:
 * PostgreSQL reads it while this process converts and writes. Uses at most two connections, and none while the reader pauses.
 */
export async function* statementLines(
  db: EntityManager,
  wish: LinesWish,
): AsyncGenerator<readonly StatementRow[], void, undefined> {
  const { head, timeZone, wholeNames, readAtOnce: most } = wish;
  const { accountId, seqBefore, seqLast } = head;
  const readAfter = (after: bigint): Promise<StatementRow[]> => {
    const piece = linesAfter.all(db, { accountId, after, seqLast, wholeNames, timeZone, most });
    // the reader may be gone by the time it fails
    piece.catch(() => undefined);
    return piece;
  };
  const step = BigInt(most);
  let next: Promise<StatementRow[]> | undefined;
  for (let after = seqBefore; after < seqLast; after += step) {
    const piece = next ?? readAfter(after);
    next = after + step < seqLast ? readAfter(after + step) : undefined;
    const lines = await piece;
    for (let given = 0; given < lines.length; given += LINES_GIVEN)
      yield lines.slice(given, given + LINES_GIVEN);
  }
}
