/** What operators are told of a process: what its row is about, and which request began it. No names, contacts or words of customers. */
import type { EntityManager } from '@mikro-orm/postgresql';
import { boolean, type RowOf } from '../../rows/columns.ts';
import { statement } from '../../rows/statement.ts';
import { columnsOf, selectList } from '../../rows/table-columns.ts';
import { AccountRequest, AccountType } from '../../schema/accounts.ts';
import { AuditLogEntry, PendingChange } from '../../schema/platform.ts';
import { Ticket } from '../../schema/tickets.ts';
import { Transfer } from '../../schema/transfers.ts';

const { requestId } = columnsOf(AuditLogEntry, 'requestId');

const movement = columnsOf(
  Transfer,
  'kind',
  'typeCode',
  'asset',
  'amount',
  'targetAsset',
  'targetAmount',
  'originRequestId',
);
const told = {
  ...movement,
  // the bank's own account pays: which way an adjustment goes
  isCredit: boolean(),
};
/** A transfer, adjustment or reversal. */
export type ToldMovement = RowOf<typeof told>;
export const toldMovement = statement({
  name: 'toldMovement',
  takes: columnsOf(Transfer, 'id'),
  gives: told,
  sql: `
    select ${selectList(movement, 't')}, s.owner_id is null as is_credit
      from transfers t join accounts s on s.id = t.source_account_id where t.id = $id`,
});

export const toldTicket = statement({
  name: 'toldTicket',
  takes: columnsOf(Ticket, 'id'),
  gives: columnsOf(Ticket, 'number', 'category'),
  sql: 'select number, category from tickets where id = $id',
});

export const toldAccountRequest = statement({
  name: 'toldAccountRequest',
  takes: columnsOf(AccountRequest, 'id'),
  gives: columnsOf(AccountType, 'code', 'asset'),
  sql: `
    select t.code, t.asset from account_requests r join account_types t on t.id = r.account_type_id where r.id = $id`,
});

export const toldChange = statement({
  name: 'toldChange',
  takes: columnsOf(PendingChange, 'id'),
  gives: columnsOf(PendingChange, 'operation', 'resourceType', 'resourceId'),
  sql: 'select operation, resource_type, resource_id from pending_changes where id = $id',
});

const firstRequest = statement({
  name: 'firstRequest',
  takes: columnsOf(AuditLogEntry, 'subjectType', 'subjectId'),
  gives: { requestId },
  sql: `
    select request_id from audit_log
     where subject_type = $subjectType and subject_id = $subjectId and request_id is not null order by id limit 1`,
});

/** The request that began something, as the audit log tells it. */
export async function requestThatBegan(
  db: EntityManager,
  subjectType: string,
  subjectId: string,
): Promise<string | null> {
  return (await firstRequest.first(db, { subjectType, subjectId }))?.requestId ?? null;
}
