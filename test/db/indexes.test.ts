/** Every read of the API finds its rows through an index, however large its tables grow. */
import type { EntityManager } from '@mikro-orm/postgresql';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import pg from 'pg';
import { pendingStarts } from '../../db/outbox.ts';
import { adminUser, allUsers } from '../../db/queries/admin-users.ts';
import { pageOfAudit } from '../../db/queries/audit-log.ts';
import { invitedBy } from '../../db/queries/invitations.ts';
import { permissionsOf } from '../../db/queries/permissions.ts';
import * as accounts from '../../db/queries/accounts.ts';
import { pageOfEntries } from '../../db/queries/entries.ts';
import * as rail from '../../db/queries/rail.ts';
import { liveSession } from '../../db/queries/sessions.ts';
import * as tickets from '../../db/queries/tickets.ts';
import * as transfers from '../../db/queries/transfers.ts';
import {
  AccountId,
  SessionId,
  TicketId,
  TicketMessageId,
  TransferId,
  UploadId,
  UserId,
} from '../../domain/ids.ts';
import { stack } from '../support/stack.ts';

let client: pg.Client;
beforeAll(async () => {
  client = new pg.Client(stack.databaseUrl);
  await client.connect();
  // a scan of a table then is what is left where no index fits, however few rows the table has here
  await client.query('set enable_seqscan = off');
});
afterAll(() => client.end());

interface Plan {
  readonly 'Node Type': string;
  readonly 'Relation Name'?: string;
  readonly Plans?: readonly Plan[];
}

/** An entity manager that has its statements explained instead of carried out. */
function explaining(plans: Plan[]): EntityManager {
  const executeQuery = async ({ sql, parameters }: { sql: string; parameters: readonly unknown[] }) => {
    const found = await client.query<{ 'QUERY PLAN': { Plan: Plan }[] }>(`explain (format json) ${sql}`, [
      ...parameters,
    ]);
    plans.push(...(found.rows[0]?.['QUERY PLAN'] ?? []).map(({ Plan }) => Plan));
    return { rows: [] };
  };
  // the reads ask an entity manager for its transaction and for nothing else
  return { getTransactionContext: () => ({ executeQuery }) } as unknown as EntityManager;
}

function scanned(plan: Plan): string[] {
  const here = plan['Node Type'] === 'Seq Scan' ? [plan['Relation Name'] ?? '?'] : [];
  return [...here, ...(plan.Plans ?? []).flatMap(scanned)];
}

const [user, account, transfer] = [
  UserId.parse(randomUUID()),
  AccountId.parse(randomUUID()),
  TransferId.parse(randomUUID()),
];
const [ticket, message, upload] = [
  TicketId.parse(randomUUID()),
  TicketMessageId.parse(randomUUID()),
  UploadId.parse(randomUUID()),
];

test.each<[string, (em: EntityManager) => Promise<unknown>]>([
  ['accounts of a customer', (em) => accounts.accountsOf(em, user, account, 51)],
  ['an account of a customer', (em) => accounts.accountOf(em, user, account)],
  ['an account by its number', (em) => accounts.accountToPay(em, { number: '100000000190' }, account)],
  ['an account by its IBAN', (em) => accounts.accountToPay(em, { iban: 'DE02100100109307118603' }, account)],
  ['an account by an email address', (em) => accounts.accountToPay(em, { email: 'a@b.test' }, account)],
  ['an account by a phone number', (em) => accounts.accountToPay(em, { phone: '+4930123456' }, account)],
  ['the movements of an account', (em) => pageOfEntries(em, account, '1000', 51)],
  ['a transfer', (em) => transfers.transferById(em, transfer)],
  ['a transfer of a customer', (em) => transfers.transferOf(em, user, transfer)],
  ['the transfers of a customer', (em) => transfers.transfersOf(em, user, transfer, 51)],
  ['the transfers that wait', (em) => transfers.pendingTransfers(em, ['pending_approval'], null, 51)],
  ['the story of a transfer', (em) => transfers.storyOf(em, transfer)],
  ['a ticket', (em) => tickets.ticketOf(em, user, ticket)],
  ['the tickets of a customer', (em) => tickets.ticketsOf(em, user, null, 51)],
  ['all tickets', (em) => tickets.allTickets(em, null, null, 51)],
  ['all tickets of one status', (em) => tickets.allTickets(em, 'open', null, 51)],
  ['the messages of a ticket', (em) => tickets.messagesOf(em, ticket)],
  ['a message of a ticket', (em) => tickets.messageOf(em, ticket, message)],
  ['the attachments of messages', (em) => tickets.attachmentsOf(em, [message])],
  ['an attachment of a message', (em) => tickets.attachmentOf(em, message, upload)],
  ['all people', (em) => allUsers(em, { words: [] }, null, 51)],
  ['people of one status', (em) => allUsers(em, { status: 'blocked', words: [] }, null, 51)],
  ['people by words of their name', (em) => allUsers(em, { words: ['łukasz', 'nowak'] }, null, 51)],
  ['a person at the back office', (em) => adminUser(em, user)],
  ['what somebody may do', (em) => permissionsOf(em, user)],
  ['somebody who is invited', (em) => invitedBy(em, Buffer.alloc(32))],
  ['the audit log', (em) => pageOfAudit(em, {}, null, 51)],
  ['the audit log of one actor', (em) => pageOfAudit(em, { actor: user }, null, 51)],
  ['the audit log of one action', (em) => pageOfAudit(em, { action: 'user.blocked' }, null, 51)],
  ['the audit log of a day', (em) => pageOfAudit(em, { from: new Date(), to: new Date() }, null, 51)],
  ['a live session', (em) => liveSession(em, SessionId.parse(randomUUID()))],
  ['what waits in the outbox', (em) => pendingStarts(em, 50)],
  ['a payment for the rail', (em) => rail.paymentOf(em, transfer)],
  ['payments that were given to the rail', (em) => rail.railPayments(em, [transfer])],
  ['reports of the rail that are due', (em) => rail.claimReports(em, 'rail', 32, 60)],
  ['payments that the rail may not have', (em) => rail.undeliveredPayments(em, 300, 100)],
  ['payments that the rail has not answered', (em) => rail.unansweredPayments(em, 300, 100)],
])('%s', async (_name, read) => {
  const plans: Plan[] = [];
  await read(explaining(plans)).catch((error: unknown) => {
    if (plans.length === 0) throw error;
  });
  expect(plans).not.toEqual([]);
  expect(plans.flatMap(scanned).filter((table) => table !== 'account_types')).toEqual([]);
});
