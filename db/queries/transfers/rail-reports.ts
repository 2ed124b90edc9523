/** The rail's reports between their arrival and the transfer they are about. */
import type { EntityManager } from '@mikro-orm/postgresql';
import { sql } from 'kysely';
import type { RailReport } from '../../../domain/transfers/rail.ts';
import { bigCount, boolean, integer, ownJson, type RowOf } from '../../rows/columns.ts';
import { query } from '../../rows/query.ts';
import { statement } from '../../rows/statement.ts';
import { columnsOf, selectList } from '../../rows/table-columns.ts';
import { RailMessage } from '../../schema/rail.ts';

const writeReports = statement({
  name: 'writeReports',
  takes: { news: ownJson<object[]>(), ...columnsOf(RailMessage, 'folder', 'file') },
  gives: { contradicted: boolean() },
  sql: `
    with news as (
      select * from jsonb_to_recordset($news::jsonb) n(message_id text, transfer_id uuid, kind text, code text, reported_at timestamptz)),
    contradicted as (
      select from news n join rail_messages m on m.message_id = n.message_id
       where (m.transfer_id, m.kind, m.code) is distinct from (n.transfer_id, n.kind, n.code)),
    written as (
      insert into rail_messages (message_id, transfer_id, kind, code, reported_at, folder, file)
        select n.message_id, n.transfer_id, n.kind, n.code, n.reported_at, $folder, $file from news n where not exists (select from contradicted)
        on conflict (message_id) do nothing)
    select exists (select from contradicted) as contradicted`,
});

/**
 * Writes reports down, those that were there before aside. False where one of them stood for something else before: then
 * nothing is written.
 */
export async function recordReports(
  db: EntityManager,
  reports: readonly RailReport[],
  place: { readonly folder: string; readonly file: string },
): Promise<boolean> {
  const news = reports.map((report) => ({
    message_id: report.messageId,
    transfer_id: report.transferId,
    kind: report.kind,
    code: 'code' in report ? report.code : null,
    reported_at: report.at,
  }));
  return !(await writeReports.one(db, { news, ...place })).contradicted;
}

const message = columnsOf(RailMessage, 'seq', 'messageId', 'transferId', 'kind', 'code', 'reportedAt');

const claimMessages = statement({
  name: 'claimMessages',
  takes: { ...columnsOf(RailMessage, 'folder'), most: bigCount(), seconds: integer() },
  gives: message,
  sql: `
    with due as materialized (
      select seq from rail_messages where folder = $folder and handled_at is null and due_at <= (select bank_now())
       order by due_at limit $most for no key update skip locked)
    update rail_messages m set due_at = bank_now() + make_interval(secs => $seconds::integer), attempts = m.attempts + 1
      from due where m.seq = due.seq
    returning ${selectList(message, 'm')}`,
});

/**
 * Takes reports of a rail that are due, oldest first, and puts them off, so that nobody else takes them meanwhile; after so many seconds
 * they are due again.
 */
export async function claimReports(
  db: EntityManager,
  folder: string,
  most: number,
  seconds: number,
): Promise<RailReport[]> {
  const claimed = await claimMessages.all(db, { folder, most, seconds });
  return claimed.sort((a, b) => Number(a.seq - b.seq)).map(reportOf);
}

function reportOf({ messageId, transferId, kind, code, reportedAt }: RowOf<typeof message>): RailReport {
  const about = { messageId, transferId, at: reportedAt.toISOString() };
  if (kind === 'accepted' || kind === 'settled') return { ...about, kind };
  return { ...about, kind, code: code ?? '' };
}

/** Writes down that a report has reached its transfer. */
export async function reportHandled(db: EntityManager, messageId: string): Promise<void> {
  await query(db)
    .updateTable('rail_messages')
    .set({ handledAt: sql<Date>`bank_now()` })
    .where('messageId', '=', messageId)
    .where('handledAt', 'is', null)
    .execute();
}

/** Tried again later, at longer and longer intervals: one second, two, four, at most five minutes. */
export const putReportOff = statement({
  name: 'putReportOff',
  takes: columnsOf(RailMessage, 'messageId'),
  gives: {},
  sql: `
    update rail_messages set due_at = bank_now() + make_interval(secs => least(300, power(2, least(attempts, 9) - 1)))
     where message_id = $messageId and handled_at is null`,
});
