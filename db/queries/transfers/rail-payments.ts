/** Payments that leave the bank: what the rail is told of them, and which of them it has. */
import type { EntityManager } from '@mikro-orm/postgresql';
import { sql } from 'kysely';
import type { TransferId } from '../../../domain/ids.ts';
import type { Money } from '../../../domain/money.ts';
import { railTypes, type Party, type RailPayment } from '../../../domain/transfers/rail.ts';
import { bigCount, idArray, integer, oneOf, text, type RowOf } from '../../rows/columns.ts';
import { query } from '../../rows/query.ts';
import { statement } from '../../rows/statement.ts';
import { columnsOf, selectList, type TableRow } from '../../rows/table-columns.ts';
import { RailPayment as StoredPayment } from '../../schema/rail.ts';
import { wordList } from '../../rows/words.ts';
import { Beneficiary, Transfer } from '../../schema/transfers.ts';

const { id, targetAsset, targetAmount } = columnsOf(Transfer, 'id', 'targetAsset', 'targetAmount');
const creditor = columnsOf(Beneficiary, 'name', 'iban', 'account', 'bic', 'country');

const leavingTransfer = statement({
  name: 'leavingTransfer',
  takes: { id },
  gives: {
    type: oneOf(railTypes),
    asset: targetAsset,
    amount: targetAmount,
    ...columnsOf(Transfer, 'description'),
    executionDate: text(),
    debtorName: text(),
    debtorIban: text().nullable(),
    // a customer's account has a number
    debtorNumber: text(),
    ...creditor,
  },
  sql: `
    select k.reach as type, t.target_asset as asset, t.target_amount as amount, t.description,
           to_char(coalesce(t.value_date, (t.submitted_at at time zone k.cut_off_zone)::date), 'YYYY-MM-DD') as execution_date,
           u.first_name || ' ' || u.last_name as debtor_name, a.iban as debtor_iban, a.number as debtor_number,
           ${selectList(creditor, 'b')}
      from transfers t
      join transfer_types k on k.code = t.type_code and k.reach in ${wordList(railTypes)}
      join beneficiaries b on b.id = t.beneficiary_id
      join accounts a on a.id = t.source_account_id
      join users u on u.id = a.owner_id
     where t.id = $id and t.submitted_at is not null`,
});

/** All that the rail must know of a transfer that has left the books; undefined where it is none of the rail's. */
export async function paymentOf(db: EntityManager, id: TransferId): Promise<RailPayment | undefined> {
  const found = await leavingTransfer.first(db, { id });
  if (found === undefined) return undefined;
  return {
    transferId: id,
    type: found.type,
    amount: { minor: found.amount, asset: found.asset },
    debtor: {
      name: found.debtorName,
      ...(found.debtorIban === null ? { account: found.debtorNumber } : { iban: found.debtorIban }),
    },
    creditor: creditorOf(found),
    remittance: found.description,
    executionDate: found.executionDate,
  };
}

function creditorOf({ name, iban, account, bic, country }: RowOf<typeof creditor>): Party {
  return {
    name,
    ...(iban === null ? {} : { iban }),
    ...(account === null ? {} : { account }),
    ...(bic === null ? {} : { bic }),
    country,
  };
}

/** A payment's file: made once, so that a repeat has the same name and time. */
export type RailFile = Pick<TableRow<typeof StoredPayment>, 'messageId' | 'createdAt' | 'deliveredAt'>;

/** The file of this payment, written down where it is not yet. */
export async function railFileOf(
  db: EntityManager,
  { transferId, amount }: Pick<RailPayment, 'transferId' | 'amount'>,
  messageId: string,
): Promise<RailFile> {
  await query(db)
    .insertInto('rail_payments')
    .values({ transferId, messageId, asset: amount.asset, amount: amount.minor })
    .onConflict((twin) => twin.doNothing())
    .execute();
  return query(db)
    .selectFrom('rail_payments')
    .select(['messageId', 'createdAt', 'deliveredAt'])
    .where('transferId', '=', transferId)
    .executeTakeFirstOrThrow();
}

/** Writes down that the rail has the file of this payment. */
export async function railFileDelivered(db: EntityManager, id: TransferId): Promise<void> {
  await query(db)
    .updateTable('rail_payments')
    .set({ deliveredAt: sql<Date>`bank_now()` })
    .where('transferId', '=', id)
    .where('deliveredAt', 'is', null)
    .execute();
}

const givenPayments = statement({
  name: 'givenPayments',
  takes: { ids: idArray() },
  gives: columnsOf(StoredPayment, 'transferId', 'asset', 'amount'),
  sql: 'select transfer_id, asset, amount from rail_payments where transfer_id = any ($ids)',
});

/** Payments of these ids that were given to the rail, with what was paid. */
export async function railPayments(
  db: EntityManager,
  ids: readonly string[],
): Promise<ReadonlyMap<string, Money>> {
  const found = await givenPayments.all(db, { ids });
  return new Map(found.map(({ transferId, amount, asset }) => [transferId, { minor: amount, asset }]));
}

/** Payments that left the books so many seconds ago and of which nobody knows whether the rail has them, oldest first. */
export const undeliveredPayments = statement({
  name: 'undeliveredPayments',
  takes: { seconds: integer(), most: bigCount() },
  gives: { id },
  sql: `
    select t.id from transfers t
     where t.status = 'submitted' and t.submitted_at < (select bank_now()) - make_interval(secs => $seconds::integer)
       and not exists (select from rail_payments p where p.transfer_id = t.id and p.delivered_at is not null)
     order by t.id limit $most`,
});

/** Payments that the rail has had for so many seconds without a final word, oldest first. */
export const unansweredPayments = statement({
  name: 'unansweredPayments',
  takes: { seconds: integer(), most: bigCount() },
  gives: { id },
  sql: `
    select t.id from transfers t join rail_payments p on p.transfer_id = t.id
     where t.status = 'submitted' and p.delivered_at < (select bank_now()) - make_interval(secs => $seconds::integer) order by t.id limit $most`,
});
