/** Follows a request, a resource or a process through the rows: what it is, who decided, what was written down, what still waits. */
import { boolean, integer, moment, oneOf, text, type RowOf } from '../../rows/columns.ts';
import { statement } from '../../rows/statement.ts';
import { columnsOf, selectList } from '../../rows/table-columns.ts';
import { AuditLogEntry } from '../../schema/platform.ts';
import { RailMessage, RailPayment } from '../../schema/rail.ts';
import { Transfer, TransferDecision } from '../../schema/transfers.ts';

/** What can be followed, as the audit log calls it. */
export const tracedTypes = ['transfer', 'ticket', 'account_request', 'change'] as const;
export type TracedType = (typeof tracedTypes)[number];

const subject = { type: oneOf(tracedTypes), id: text() };
export type TracedSubject = RowOf<typeof subject>;

/** What has this id. */
export const subjectById = statement({
  name: 'subjectById',
  takes: columnsOf(Transfer, 'id'),
  gives: subject,
  sql: `
    select 'transfer' as type, id::text as id from transfers where id = $id
    union all select 'ticket', id::text from tickets where id = $id
    union all select 'account_request', id::text from account_requests where id = $id
    union all select 'change', id::text from pending_changes where id = $id`,
});

/** What a request has made, decided or written about. */
export const subjectsOfRequest = statement({
  name: 'subjectsOfRequest',
  takes: { request: text() },
  gives: subject,
  sql: `
    select 'transfer' as type, id::text as id from transfers where origin_request_id = $request
    union select 'transfer', transfer_id::text from transfer_decisions where request_id = $request
    union select subject_type, subject_id from audit_log
           where request_id = $request and subject_type in ('transfer', 'ticket', 'account_request', 'change')
    order by type, id`,
});

const entry = columnsOf(AuditLogEntry, 'at', 'actorId', 'actorRole', 'action', 'requestId');
/** What the audit log says of something, without what people wrote. */
export const auditOf = statement({
  name: 'auditOf',
  takes: columnsOf(AuditLogEntry, 'subjectType', 'subjectId'),
  gives: { ...entry, status: text().nullable(), hasReason: boolean() },
  sql: `
    select ${selectList(entry, 'l')}, l.after->>'status' as status, l.reason is not null as has_reason
      from audit_log l where l.subject_type = $subjectType and l.subject_id = $subjectId order by l.id`,
});

const { originRequestId } = columnsOf(Transfer, 'originRequestId');
/** The request that gave the order. */
export const originOf = statement({
  name: 'originOf',
  takes: columnsOf(Transfer, 'id'),
  gives: { originRequestId },
  sql: 'select origin_request_id from transfers where id = $id',
});

const decision = columnsOf(
  TransferDecision,
  ...(['id', 'kind', 'decidedBy', 'requestId', 'state', 'refusal', 'createdAt', 'concludedAt'] as const),
);
export const decisionsOn = statement({
  name: 'decisionsOn',
  takes: columnsOf(TransferDecision, 'transferId'),
  gives: decision,
  sql: `select ${selectList(decision, 'd')} from transfer_decisions d where d.transfer_id = $transferId order by d.created_at`,
});

const payment = columnsOf(RailPayment, 'messageId', 'createdAt', 'deliveredAt');
export const railPaymentOf = statement({
  name: 'railPaymentOf',
  takes: columnsOf(RailPayment, 'transferId'),
  gives: payment,
  sql: `select ${selectList(payment, 'p')} from rail_payments p where p.transfer_id = $transferId`,
});

const report = columnsOf(
  RailMessage,
  ...(['messageId', 'kind', 'code', 'reportedAt', 'receivedAt', 'handledAt', 'attempts'] as const),
);
export const railReportsOf = statement({
  name: 'railReportsOf',
  takes: columnsOf(RailMessage, 'transferId'),
  gives: report,
  sql: `select ${selectList(report, 'm')} from rail_messages m where m.transfer_id = $transferId order by m.seq`,
});

/** What the outbox still holds for a process: its start, and what it has to hear. */
export const waitingInOutbox = statement({
  name: 'waitingInOutbox',
  takes: { workflowId: text() },
  gives: { what: text(), since: moment(), attempts: integer() },
  sql: `
    select 'its start' as what, created_at as since, 0 as attempts from process_outbox where workflow_id = $workflowId
    union all select name, created_at, attempts from process_updates where workflow_id = $workflowId order by since`,
});
