/** Payments given to the rail, and its reports between their arrival and the transfer they are about. */
import type { EntityManager } from '@mikro-orm/postgresql';
import { TransferId } from '../../../domain/ids.ts';
import type { Money } from '../../../domain/money.ts';
import type { Party, RailPayment, RailReport, RailReportKind, RailType } from '../../../domain/rail.ts';
import { iso, row, rows } from '../../sql.ts';

interface PaymentRow {
  readonly type: RailType;
  readonly asset: string;
  readonly amount: string;
  readonly description: string;
  readonly execution_date: string;
  readonly debtor_name: string;
  readonly debtor_iban: string | null;
  readonly debtor_number: string;
  readonly name: string;
  readonly iban: string | null;
  readonly account: string | null;
  readonly bic: string | null;
  readonly country: string;
}

/** All that the rail must know of a transfer that has left the books; undefined where it is none of the rail's. */
export async function paymentOf(em: EntityManager, id: TransferId): Promise<RailPayment | undefined> {
  const found = await row<PaymentRow>(
    em,
    `select k.reach as type, t.target_asset as asset, t.target_amount as amount, t.description,
            to_char(coalesce(t.value_date, (t.submitted_at at time zone k.cut_off_zone)::date), 'YYYY-MM-DD') as execution_date,
            u.first_name || ' ' || u.last_name as debtor_name, a.iban as debtor_iban, a.number as debtor_number,
            b.name, b.iban, b.account, b.bic, b.country
       from transfers t
       join transfer_types k on k.code = t.type_code and k.reach in ('sepa', 'international')
       join beneficiaries b on b.id = t.beneficiary_id
       join accounts a on a.id = t.source_account_id
       join users u on u.id = a.owner_id
      where t.id = $1 and t.submitted_at is not null`,
    [id],
  );
  if (found === undefined) return undefined;
  return {
    transferId: id,
    type: found.type,
    amount: { minor: BigInt(found.amount), asset: found.asset },
    debtor: {
      name: found.debtor_name,
      ...(found.debtor_iban === null ? { account: found.debtor_number } : { iban: found.debtor_iban }),
    },
    creditor: creditorOf(found),
    remittance: found.description,
    executionDate: found.execution_date,
  };
}

function creditorOf({ name, iban, account, bic, country }: PaymentRow): Party {
  return {
    name,
    ...(iban === null ? {} : { iban }),
    ...(account === null ? {} : { account }),
    ...(bic === null ? {} : { bic }),
    country,
  };
}

/** A payment's file: made once, so that a repeat has the same name and time. */
export interface RailFile {
  readonly message_id: string;
  readonly created_at: Date;
  readonly delivered_at: Date | null;
}

/** The file of this payment, written down where it is not yet. */
export async function railFileOf(
  em: EntityManager,
  { transferId, amount }: Pick<RailPayment, 'transferId' | 'amount'>,
  messageId: string,
): Promise<RailFile> {
  await rows(
    em,
    `insert into rail_payments (transfer_id, message_id, asset, amount) values ($1, $2, $3, $4) on conflict do nothing`,
    [transferId, messageId, amount.asset, amount.minor.toString()],
  );
  const file = await row<RailFile>(
    em,
    'select message_id, created_at, delivered_at from rail_payments where transfer_id = $1',
    [transferId],
  );
  if (file === undefined) throw new Error(`the file of payment ${transferId} is not written down`);
  return file;
}

export async function railFileDelivered(em: EntityManager, id: TransferId): Promise<void> {
  await rows(
    em,
    'update rail_payments set delivered_at = now() where transfer_id = $1 and delivered_at is null',
    [id],
  );
}

/** Payments of these ids that were given to the rail, with what was paid. */
export async function railPayments(
  em: EntityManager,
  ids: readonly string[],
): Promise<ReadonlyMap<string, Money>> {
  const found = await rows<{ transfer_id: string; asset: string; amount: string }>(
    em,
    'select transfer_id, asset, amount from rail_payments where transfer_id = any ($1::uuid[])',
    [ids],
  );
  return new Map(found.map((one) => [one.transfer_id, { minor: BigInt(one.amount), asset: one.asset }]));
}

interface MessageRow {
  readonly message_id: string;
  readonly transfer_id: string;
  readonly kind: RailReportKind;
  readonly code: string | null;
  readonly reported_at: Date;
}

/**
 * Writes reports down, those that were there before aside. False where one of them stood for something else before: then
 * nothing is written.
 */
export async function recordReports(
  em: EntityManager,
  reports: readonly RailReport[],
  { folder, file }: { readonly folder: string; readonly file: string },
): Promise<boolean> {
  const news = JSON.stringify(
    reports.map((report) => ({
      message_id: report.messageId,
      transfer_id: report.transferId,
      kind: report.kind,
      code: 'code' in report ? report.code : null,
      reported_at: report.at,
    })),
  );
  const verdict = await row<{ contradicted: boolean }>(
    em,
    `with news as (
       select * from jsonb_to_recordset($1::jsonb) n(message_id text, transfer_id uuid, kind text, code text, reported_at timestamptz)),
     contradicted as (
       select from news n join rail_messages m on m.message_id = n.message_id
        where (m.transfer_id, m.kind, m.code) is distinct from (n.transfer_id, n.kind, n.code)),
     written as (
       insert into rail_messages (message_id, transfer_id, kind, code, reported_at, folder, file)
         select n.message_id, n.transfer_id, n.kind, n.code, n.reported_at, $2, $3 from news n where not exists (select from contradicted)
         on conflict (message_id) do nothing)
     select exists (select from contradicted) as contradicted`,
    [news, folder, file],
  );
  return verdict?.contradicted === false;
}

/**
 * Takes reports of a rail that are due, oldest first, and puts them off, so that nobody else takes them meanwhile; after so many seconds
 * they are due again.
 */
export async function claimReports(
  em: EntityManager,
  folder: string,
  limit: number,
  seconds: number,
): Promise<RailReport[]> {
  const found = await rows<MessageRow & { seq: string }>(
    em,
    `with due as materialized (
       select seq from rail_messages where folder = $1 and handled_at is null and due_at <= now()
        order by due_at limit $2 for no key update skip locked)
     update rail_messages m set due_at = now() + make_interval(secs => $3), attempts = m.attempts + 1
       from due where m.seq = due.seq
     returning m.seq, m.message_id, m.transfer_id, m.kind, m.code, m.reported_at`,
    [folder, limit, seconds],
  );
  return found.sort((a, b) => Number(BigInt(a.seq) - BigInt(b.seq))).map(reportOf);
}

function reportOf({ message_id, transfer_id, kind, code, reported_at }: MessageRow): RailReport {
  const about = {
    messageId: message_id,
    transferId: TransferId.parse(transfer_id),
    at: iso(reported_at),
  };
  if (kind === 'accepted' || kind === 'settled') return { ...about, kind };
  return { ...about, kind, code: code ?? '' };
}

export async function reportHandled(em: EntityManager, messageId: string): Promise<void> {
  await rows(em, 'update rail_messages set handled_at = now() where message_id = $1 and handled_at is null', [
    messageId,
  ]);
}

/** Tried again later, at longer and longer intervals: one second, two, four, at most five minutes. */
export async function reportPutOff(em: EntityManager, messageId: string): Promise<void> {
  await rows(
    em,
    `update rail_messages set due_at = now() + make_interval(secs => least(300, power(2, least(attempts, 9) - 1)))
      where message_id = $1 and handled_at is null`,
    [messageId],
  );
}

/** Payments that left the books so many seconds ago and of which nobody knows whether the rail has them, oldest first. */
export async function undeliveredPayments(
  em: EntityManager,
  seconds: number,
  limit: number,
): Promise<TransferId[]> {
  return ids(
    em,
    `select t.id from transfers t
      where t.status = 'submitted' and t.submitted_at < now() - make_interval(secs => $1)
        and not exists (select from rail_payments p where p.transfer_id = t.id and p.delivered_at is not null)
      order by t.id limit $2`,
    [seconds, limit],
  );
}

/** Payments that the rail has had for so many seconds without a final word, oldest first. */
export async function unansweredPayments(
  em: EntityManager,
  seconds: number,
  limit: number,
): Promise<TransferId[]> {
  return ids(
    em,
    `select t.id from transfers t join rail_payments p on p.transfer_id = t.id
      where t.status = 'submitted' and p.delivered_at < now() - make_interval(secs => $1) order by t.id limit $2`,
    [seconds, limit],
  );
}

async function ids(
  em: EntityManager,
  statement: string,
  parameters: readonly unknown[],
): Promise<TransferId[]> {
  return (await rows<{ id: string }>(em, statement, parameters)).map(({ id }) => TransferId.parse(id));
}
