/** What reviewers do about flags. Functions of the tables' owner decide; the application writes none of it itself. */
import type { AmlFlagId, AmlReportId, UserId } from '../../../domain/ids.ts';
import { boolean, id, moment, oneOf, text, type RowOf } from '../../rows/columns.ts';
import { statement } from '../../rows/statement.ts';
import { columnsOf, selectList } from '../../rows/table-columns.ts';
import { Account } from '../../schema/accounts.ts';
import { AmlMovement, AmlReport } from '../../schema/aml.ts';
import { User } from '../../schema/identity.ts';
import { Transfer } from '../../schema/transfers.ts';

const flag = id<AmlFlagId>();
const actor = id<UserId>();

/** Assigns, escalates or comments. */
export const touchFlag = statement({
  name: 'touchFlag',
  takes: {
    ...{ flag, actor, value: text().nullable(), note: text().nullable() },
    kind: oneOf(['assigned', 'escalated', 'commented']),
  },
  gives: { refusal: oneOf(['not_found', 'already_decided', 'assignee_unfit']).nullable() },
  sql: 'select refusal from aml_flag_touch($flag, $actor, $kind, $value, $note)',
});

/** Resolves a flag; `needsSecond` if another reviewer has to agree first. */
export const resolveFlag = statement({
  name: 'resolveFlag',
  takes: {
    ...{ flag, actor, note: text(), until: moment().nullable() },
    wanted: oneOf(['cleared', 'false_positive', 'confirmed']),
  },
  gives: {
    refusal: oneOf(['not_found', 'already_decided', 'same_person', 'not_suppressible']).nullable(),
    needsSecond: boolean(),
  },
  sql: 'select refusal, needs_second from aml_flag_resolve($flag, $wanted, $actor, $note, $until)',
});

/** The transfers that wait and that a flag holds. */
export const heldByFlag = statement({
  name: 'heldByFlag',
  takes: { flag },
  gives: columnsOf(Transfer, 'id', 'kind'),
  sql: 'select h.id, h.kind from aml_held_transfers($flag) h order by h.id',
});

/** The customer's accounts that what a flag is about has touched. */
export const accountsTouched = statement({
  name: 'accountsTouched',
  takes: { flag },
  gives: columnsOf(Account, 'id'),
  sql: `
    select distinct a.id from aml_flags f
      left join aml_hits h on h.flag_id = f.id
      left join aml_movements m on m.subject_id = h.subject_id and m.customer_id = f.customer_id
      join accounts a on a.id = m.account_id or (f.subject_type = 'account' and a.id = f.subject_id)
        or ((f.subject_type = 'beneficiary' or flag_is_of_customer(f)) and a.owner_id = f.customer_id)
     where f.id = $flag and a.kind = 'customer' and a.status in ('open', 'blocked') order by a.id`,
});

const report = columnsOf(
  AmlReport,
  ...(['id', 'flagId', 'status', 'customerId', 'narrative', 'reference'] as const),
  ...(['filedAt', 'filedBy', 'createdBy', 'createdAt'] as const),
);
/** A report of suspicious activity. */
export type AmlReportRow = RowOf<typeof report>;

export const amlReportById = statement({
  name: 'amlReportById',
  takes: { id: report.id },
  gives: report,
  sql: `select ${selectList(report, 'r')} from aml_reports r where r.id = $id`,
});

const movement = columnsOf(
  AmlMovement,
  ...(['at', 'kind', 'direction', 'subjectId', 'asset', 'amount', 'amountBase'] as const),
  ...(['counterparty', 'counterpartyCountry'] as const),
);
/** A movement that a report names. */
export type ReportedMovement = RowOf<typeof movement>;

/** The movements of a flag’s customer that its hits are about, oldest first. */
export const reportedMovements = statement({
  name: 'reportedMovements',
  takes: { flag },
  gives: movement,
  sql: `
    select distinct ${selectList(movement, 'm')} from aml_hits h
      join aml_movements m on m.subject_id = h.subject_id and m.customer_id = h.customer_id
     where h.flag_id = $flag order by m.at, m.subject_id`,
});

/** Whom a report is about. */
export const reportedPerson = statement({
  name: 'reportedPerson',
  takes: { id: actor },
  gives: columnsOf(User, 'firstName', 'lastName'),
  sql: 'select u.first_name, u.last_name from users u where u.id = $id',
});

/** Opens the report on a confirmed flag. */
export const openReport = statement({
  name: 'openReport',
  takes: { flag, actor, narrative: text() },
  gives: { id: report.id.nullable() },
  sql: 'select aml_report_open($flag, $actor, $narrative) as id',
});

/** Notes that a report was filed with the authority. */
export const fileReport = statement({
  name: 'fileReport',
  takes: { report: id<AmlReportId>(), actor, narrative: text().nullable(), reference: text() },
  gives: { refusal: oneOf(['not_found', 'already_decided']).nullable() },
  sql: 'select refusal from aml_report_file($report, $actor, $narrative, $reference)',
});
