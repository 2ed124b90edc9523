/** The story of a transfer, a ticket, an account request or a change as the rows tell it: ids, states, amounts and times, no names and no words of people. */
import type { EntityManager } from '@mikro-orm/postgresql';
import { accountRequestOf } from '../../../db/queries/accounts/account-requests.ts';
import {
  auditOf,
  decisionsOn,
  originOf,
  railPaymentOf,
  railReportsOf,
  waitingInOutbox,
  type TracedSubject,
} from '../../../db/queries/platform/trace.ts';
import { changeById } from '../../../db/queries/platform/pending-changes.ts';
import { messagesOf } from '../../../db/queries/tickets/messages.ts';
import { ticketOf } from '../../../db/queries/tickets/tickets.ts';
import { storyOf } from '../../../db/queries/transfers/transfer-story.ts';
import { transferById } from '../../../db/queries/transfers/transfers.ts';
import { AccountRequestId, ChangeId, TicketId, TransferId } from '../../../domain/ids.ts';
import { formatMoney, type Money } from '../../../domain/money.ts';
import { accountRequestProcess } from '../../../workflows/account-request/process.ts';
import { changeProcess } from '../../../workflows/change/process.ts';
import { ticketProcess } from '../../../workflows/ticket/process.ts';
import { movementProcesses } from '../../../workflows/transfer/process.ts';

/** One line of a story. */
export interface TraceLine {
  readonly at: Date;
  /** Where it is from: `row`, `audit`, `decision`, `rail`, `ledger`, `outbox`, `process`. */
  readonly from: string;
  readonly what: string;
}

/** What the rows tell of one thing. */
export interface RowStory {
  readonly heading: string;
  readonly workflowId: string;
  readonly lines: readonly TraceLine[];
}

/** Undefined if there is no such row. */
export async function rowStory(
  db: EntityManager,
  { type, id }: TracedSubject,
): Promise<RowStory | undefined> {
  const told = await {
    transfer: () => transferStory(db, TransferId.parse(id)),
    ticket: () => ticketStory(db, TicketId.parse(id)),
    account_request: () => accountRequestStory(db, AccountRequestId.parse(id)),
    change: () => changeStory(db, ChangeId.parse(id)),
  }[type]();
  if (told === undefined) return undefined;
  const audit = await auditOf.all(db, { subjectType: type, subjectId: id });
  const waits = await waitingInOutbox.all(db, { workflowId: told.workflowId });
  return {
    ...told,
    lines: [
      ...told.lines,
      ...audit.map(({ at, action, status, actorId, actorRole, requestId, hasReason }) => ({
        ...{ at, from: 'audit' },
        what: `${action}${status === null ? '' : ` → ${status}`} by ${who(actorRole, actorId)}${hasReason ? ', with a reason' : ''}${by(requestId)}`,
      })),
      ...waits.map(({ what, since, attempts }) => ({
        ...{ at: since, from: 'outbox' },
        what: `${what} is still to be brought to the process, ${String(attempts)} attempts so far`,
      })),
    ],
  };
}

async function transferStory(db: EntityManager, id: TransferId): Promise<RowStory | undefined> {
  const transfer = await transferById.first(db, { id });
  if (transfer === undefined) return undefined;
  const { kind, status, typeCode, asset, amount, requestedBy, customerId } = transfer;
  const { originRequestId } = await originOf.one(db, { id });
  const [decisions, payments, reports, { entries }] = [
    await decisionsOn.all(db, { transferId: id }),
    await railPaymentOf.all(db, { transferId: id }),
    await railReportsOf.all(db, { transferId: id }),
    await storyOf(db, id),
  ];
  const line =
    (from: string) =>
    (at: Date | null, what: string): TraceLine[] =>
      at === null ? [] : [{ at, from, what }];
  const [row, decision, rail, ledger] = [line('row'), line('decision'), line('rail'), line('ledger')];
  return {
    heading: `${kind} ${id}: ${status}, ${words({ minor: amount, asset })}${typeCode === null ? '' : `, type ${typeCode}`}, customer ${customerId}`,
    workflowId: movementProcesses[kind].workflowId(id),
    lines: [
      ...row(
        transfer.createdAt,
        `ordered by ${requestedBy} from account ${transfer.sourceAccountId} to account ${transfer.destinationAccountId}${by(originRequestId)}`,
      ),
      ...row(transfer.submittedAt, 'submitted to the rail'),
      ...row(
        transfer.finishedAt,
        `finished as ${status}${transfer.failureCode === null ? '' : ` (${transfer.failureCode})`}`,
      ),
      ...decisions.flatMap(
        ({ id: decisionId, kind: decided, decidedBy, requestId, state, refusal, createdAt, concludedAt }) => [
          ...decision(createdAt, `${decided} by ${decidedBy} accepted (${decisionId})${by(requestId)}`),
          ...decision(
            concludedAt,
            `${decided} by ${decidedBy} ${state}${refusal === null ? '' : `: ${refusal}`}`,
          ),
        ],
      ),
      ...payments.flatMap(({ messageId, createdAt, deliveredAt }) => [
        ...rail(createdAt, `message ${messageId} written`),
        ...rail(deliveredAt, `message ${messageId} delivered`),
      ]),
      ...reports.flatMap(({ messageId, kind: reported, code, receivedAt, handledAt, attempts }) => [
        ...rail(receivedAt, `report ${messageId} received: ${reported}${code === null ? '' : ` ${code}`}`),
        ...(handledAt === null
          ? rail(receivedAt, `report ${messageId} is not handled yet, ${String(attempts)} attempts so far`)
          : rail(handledAt, `report ${messageId} handled`)),
      ]),
      ...entries.flatMap((entry) =>
        ledger(
          entry.bookedAt,
          `${words({ minor: entry.amount, asset: entry.asset }).padStart(20)}  ${entry.part} on ${entry.account} (transaction ${entry.transactionId}, ${entry.kind}, value ${entry.valueDate})`,
        ),
      ),
    ],
  };
}

async function ticketStory(db: EntityManager, id: TicketId): Promise<RowStory | undefined> {
  const ticket = await ticketOf(db, null, id);
  if (ticket === undefined) return undefined;
  const { number, status, category, customerId, createdAt, closedAt, closedBy } = ticket;
  const messages = await messagesOf(db, id);
  return {
    heading: `ticket ${id}: ${number}, ${status}, category ${category}, customer ${customerId}`,
    workflowId: ticketProcess.workflowId(id),
    lines: [
      { at: createdAt, from: 'row', what: `opened by ${customerId}` },
      ...messages.map(({ id: message, side, authorId, createdAt: at }) => ({
        ...{ at, from: 'row' },
        what: `message ${message} by ${side} ${authorId}`,
      })),
      ...(closedAt === null ? [] : [{ at: closedAt, from: 'row', what: `closed by ${closedBy ?? 'time'}` }]),
    ],
  };
}

async function accountRequestStory(db: EntityManager, id: AccountRequestId): Promise<RowStory | undefined> {
  const request = await accountRequestOf.first(db, { id, user: null });
  if (request === undefined) return undefined;
  const { status, typeCode, userId, createdAt, decidedAt, decidedBy, accountId, expiresAt } = request;
  return {
    heading: `account request ${id}: ${status}, type ${typeCode}, customer ${userId}`,
    workflowId: accountRequestProcess.workflowId(id),
    lines: [
      { at: createdAt, from: 'row', what: `asked for by ${userId}; expires ${expiresAt.toISOString()}` },
      ...(decidedAt === null
        ? []
        : [
            {
              ...{ at: decidedAt, from: 'row' },
              what: `${status} by ${decidedBy ?? 'time'}${accountId === null ? '' : `; account ${accountId} opened`}`,
            },
          ]),
    ],
  };
}

async function changeStory(db: EntityManager, id: ChangeId): Promise<RowStory | undefined> {
  const change = await changeById.first(db, { id });
  if (change === undefined) return undefined;
  const { operation, resourceType, resourceId, status, failure } = change;
  const { requestedBy, createdAt, expiresAt, decidedBy, decidedAt } = change;
  const end = `${status} by ${decidedBy ?? 'time'}${failure === null ? '' : ` (${failure})`}`;
  return {
    heading: `change ${id}: ${status}, ${operation} of ${resourceType} ${resourceId}`,
    workflowId: changeProcess.workflowId(id),
    lines: [
      { at: createdAt, from: 'row', what: `asked for by ${requestedBy}; expires ${expiresAt.toISOString()}` },
      ...(decidedAt === null ? [] : [{ at: decidedAt, from: 'row', what: end }]),
    ],
  };
}

function words(money: Money): string {
  const { amount, currency } = formatMoney(money);
  return `${amount} ${currency}`;
}

function who(role: string, id: string | null): string {
  return id === null ? role : `${role} ${id}`;
}

function by(requestId: string | null): string {
  return requestId === null ? '' : `, request ${requestId}`;
}
