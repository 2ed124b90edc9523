/** Every read of the API finds its rows through an index, however large its tables grow. */
import type { EntityManager } from '@mikro-orm/postgresql';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import {
  DummyDriver,
  Kysely,
  PostgresAdapter,
  PostgresIntrospector,
  PostgresQueryCompiler,
  type DatabaseConnection,
} from 'kysely';
import pg from 'pg';
import { openOrm } from '../../db/orm.ts';
import type { RowOf } from '../../db/rows/columns.ts';
import { pendingStarts } from '../../db/queries/platform/outbox.ts';
import * as overdue from '../../db/queries/platform/overdue.ts';
import { refusedStarts } from '../../db/queries/platform/refused-starts.ts';
import * as standing from '../../db/queries/platform/standing.ts';
import { lastLedgerCheck } from '../../db/queries/ledger/ledger-checks.ts';
import { adminUser, allUsers, type UserFilter } from '../../db/queries/identity/people/admin-users.ts';
import { pageOfAudit, type AuditFilter } from '../../db/queries/platform/audit-log.ts';
import { invitedBy } from '../../db/queries/identity/people/invitations.ts';
import { permissionsOf } from '../../db/queries/identity/people/permissions.ts';
import { SYSTEM } from '../../domain/actor.ts';
import { refuse } from '../../domain/refusals.ts';
import { priceTransfer } from '../../services/pricing/price.ts';
import { coinHoldingsOf, cryptoSnapshotsOf } from '../../db/queries/crypto/portfolio.ts';
import { accountFees } from '../../db/queries/pricing/account-fees.ts';
import { feeRuleById, feeRules, feeRuleVersions } from '../../db/queries/pricing/fee-rules.ts';
import { fxRates, newestFxRate } from '../../db/queries/pricing/fx-rates.ts';
import { transferType, transferTypes, transferTypesFor } from '../../db/queries/transfers/transfer-types.ts';
import { openFlag } from '../../db/ledger/account-status.ts';
import { openingTerms } from '../../db/queries/accounts/account-opening.ts';
import * as accountRequests from '../../db/queries/accounts/account-requests.ts';
import { holdersOf } from '../../db/queries/accounts/addressees.ts';
import * as accountsAdmin from '../../db/queries/accounts/accounts-admin.ts';
import * as accounts from '../../db/queries/accounts/accounts.ts';
import type { EntryFilter } from '../../db/queries/ledger/entry-filter.ts';
import { entriesByKey, pageOfEntries, type EntryPage } from '../../db/queries/ledger/entries.ts';
import { coinMovementsOf } from '../../db/queries/crypto/transactions.ts';
import * as railPayments from '../../db/queries/transfers/rail-payments.ts';
import { claimReports } from '../../db/queries/transfers/rail-reports.ts';
import { findLogin } from '../../db/queries/identity/sessions/logins.ts';
import { liveSession, sessionsOf } from '../../db/queries/identity/sessions/sessions.ts';
import { balancesAt, holdingsOf, type Span } from '../../db/queries/ledger/history.ts';
import { recipientsLike, recipientsOf } from '../../db/queries/transfers/recipients.ts';
import { entriesWith, wordsLike } from '../../db/queries/ledger/search.ts';
import { takeDueRuns } from '../../db/queries/transfers/scheduled-runs.ts';
import * as scheduled from '../../db/queries/transfers/scheduled-transfers.ts';
import { statementLines } from '../../db/queries/statements/lines.ts';
import * as statements from '../../db/queries/statements/statements.ts';
import { attachmentOf, attachmentsOf } from '../../db/queries/tickets/attachments.ts';
import { messageOf, messagesOf } from '../../db/queries/tickets/messages.ts';
import { pageOfTickets, ticketOf } from '../../db/queries/tickets/tickets.ts';
import { countTransfers } from '../../db/queries/transfers/transfer-counts.ts';
import { storyOf } from '../../db/queries/transfers/transfer-story.ts';
import * as transfers from '../../db/queries/transfers/transfers.ts';
import { pendingTransfers } from '../../db/queries/transfers/waiting-transfers.ts';
import {
  AccountId,
  AccountRequestId,
  AccountTypeId,
  FeeRuleId,
  SessionId,
  TicketId,
  TicketMessageId,
  TransferId,
  UploadId,
  UserId,
} from '../../domain/ids.ts';
import { stack } from '../support/stack/stack.ts';

let client: pg.Client;
const orm = openOrm({ DATABASE_URL: stack.databaseUrl, DATABASE_POOL_MAX: 1 });
beforeAll(async () => {
  client = new pg.Client(stack.databaseUrl);
  await client.connect();
  // a scan of a table then is what is left where no index fits, however few rows the table has here
  await client.query('set enable_seqscan = off');
});
afterAll(async () => {
  await client.end();
  await orm.close(true);
});

const day = new Date('2026-01-01T00:00:00Z');
const LATE = { lateSeconds: 120, most: 100, after: null };

interface Plan {
  readonly 'Node Type': string;
  readonly 'Relation Name'?: string;
  readonly Plans?: readonly Plan[];
}

/** An entity manager in a transaction that has its statements explained instead of carried out. */
function explaining(plans: Plan[]): EntityManager {
  const connection: DatabaseConnection = {
    async executeQuery<Row>({ sql, parameters }: { sql: string; parameters: readonly unknown[] }) {
      const found = await client.query<{ 'QUERY PLAN': { Plan: Plan }[] }>(`explain (format json) ${sql}`, [
        ...parameters,
      ]);
      plans.push(...(found.rows[0]?.['QUERY PLAN'] ?? []).map(({ Plan }) => Plan));
      return { rows: [] as Row[] };
    },
    streamQuery: () => {
      throw new Error('nothing is streamed here');
    },
  };
  const em = orm.em.fork();
  em.setTransactionContext(
    new Kysely({
      dialect: {
        createAdapter: () => new PostgresAdapter(),
        createQueryCompiler: () => new PostgresQueryCompiler(),
        createIntrospector: (db) => new PostgresIntrospector(db),
        createDriver: () =>
          Object.assign(new DummyDriver(), { acquireConnection: () => Promise.resolve(connection) }),
      },
    }),
  );
  return em;
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

const span: Span = { from: day, to: new Date('2026-02-01T00:00:00Z'), interval: 'day', timeZone: 'UTC' };
const movements = (filter: EntryFilter, order: 'asc' | 'desc' = 'desc'): EntryPage => ({
  account,
  owner: user,
  filter,
  order,
  beyond: 1_000n,
  most: 51,
  wholeNames: false,
});

const coinMovements = (wish: Partial<RowOf<(typeof coinMovementsOf)['takes']>>) => (em: EntityManager) =>
  coinMovementsOf.all(em, {
    ...{ customer: user, asset: null, type: null, from: null },
    ...{ beforeAt: null, beforeAccount: account, beforeSeq: 7n, most: 51, ...wish },
  });

const [accountType, request] = [AccountTypeId.parse(randomUUID()), AccountRequestId.parse(randomUUID())];
const someAccounts = (filter: accountsAdmin.AccountFilter) => (em: EntityManager) =>
  accountsAdmin.allAccounts.all(em, { filter, before: null, most: 51 });

const users = (filter: UserFilter) => (em: EntityManager) =>
  allUsers.all(em, { filter, before: null, most: 51 });

const audit = (filter: AuditFilter) => (em: EntityManager) =>
  pageOfAudit.all(em, { filter, before: null, most: 51 });

const pricing = {
  type: 'sepa',
  accountTypeId: AccountTypeId.parse(account),
  sourceAsset: 'USD',
  targetAsset: 'CHF',
  fixed: { side: 'source', minor: 1n },
} as const;

const period = { account, owner: user, timeZone: 'Europe/Berlin', from: '2026-03-01', to: '2026-03-31' };
const bounds: statements.StatementHead = {
  accountId: account,
  number: '',
  iban: null,
  typeName: '',
  ownerName: '',
  ownerLocale: '',
  asset: 'EUR',
  assetKind: 'fiat',
  scale: 2,
  begins: day,
  ends: day,
  seqBefore: 5n,
  seqLast: 7n,
  opening: 0n,
  closing: 0n,
  lastBookedAt: null,
};

test.each<[string, (em: EntityManager) => Promise<unknown>]>([
  ['accounts of a customer', (em) => accounts.accountsOf.all(em, { owner: user, after: account, most: 51 })],
  ['an account of a customer', (em) => accounts.accountOf.all(em, { id: account, owner: user })],
  [
    'an account by its number',
    (em) => accounts.accountsOfPayment(em, { id: account, owner: user }, { number: '100000000190' }),
  ],
  [
    'an account by its IBAN',
    (em) => accounts.accountsOfPayment(em, { id: account, owner: user }, { iban: 'DE02100100109307118603' }),
  ],
  [
    'an account by an email address',
    (em) => accounts.accountsOfPayment(em, { id: account, owner: user }, { email: 'a@b.test' }),
  ],
  [
    'an account by a phone number',
    (em) => accounts.accountsOfPayment(em, { id: account, owner: user }, { phone: '+4930123456' }),
  ],
  ['all accounts', someAccounts({})],
  ['the accounts of somebody', someAccounts({ owner: user })],
  ['accounts of one status', someAccounts({ status: 'blocked' })],
  ['accounts of one type', someAccounts({ type: accountType })],
  ['accounts of one currency', someAccounts({ asset: 'EUR' })],
  ['an account by its number, at the back office', someAccounts({ number: '100000000190' })],
  ['an account by its IBAN, at the back office', someAccounts({ iban: 'DE02100100109307118603' })],
  ['an account at the back office', (em) => accountsAdmin.adminAccountById.all(em, { id: account })],
  ['how many accounts there are', (em) => accountsAdmin.countAccounts.all(em, {})],
  [
    'how many accounts of a type there are',
    (em) => accountsAdmin.countAccounts.all(em, { type: accountType }),
  ],
  ['accounts with an unarranged overdraft', someAccounts({ unarranged: true })],
  ['what an account holds', (em) => accountsAdmin.openHolds.all(em, { account, most: 100 })],
  ['transfers that wait to leave an account', (em) => accountsAdmin.waitingTransfers.all(em, { account })],
  [
    'the transfers of an account',
    (em) => transfers.transfersOfAccount.all(em, { account, before: transfer, most: 51 }),
  ],
  ['the open flag of an account', (em) => openFlag.all(em, { accountId: account })],
  ['whether somebody may open an account', (em) => openingTerms.all(em, { owner: user, type: accountType })],
  ['an account request', (em) => accountRequests.accountRequestOf.all(em, { id: request, user })],
  [
    'the account requests of somebody',
    (em) => accountRequests.accountRequestsOf.all(em, { user, before: null, most: 51 }),
  ],
  [
    'the account request that waits',
    (em) => accountRequests.pendingRequestFor.all(em, { userId: user, accountTypeId: accountType }),
  ],
  [
    'the account requests that wait',
    (em) => accountRequests.pendingAccountRequests.all(em, { after: null, most: 51 }),
  ],
  ['who may review account requests', (em) => holdersOf.all(em, { action: 'accounts:review' })],
  ['the movements of an account', (em) => pageOfEntries.all(em, movements({}))],
  [
    'the movements of a time',
    (em) => pageOfEntries.all(em, movements({ bookedFrom: day, bookedBefore: day }, 'asc')),
  ],
  [
    'the movements of value dates',
    (em) => pageOfEntries.all(em, movements({ valueFrom: '2026-01-01', valueTo: '2026-02-01' })),
  ],
  ['the movements of an amount', (em) => pageOfEntries.all(em, movements({ least: 100n, most: 200n }))],
  ['the debits of an amount', (em) => pageOfEntries.all(em, movements({ direction: 'debit', least: 100n }))],
  ['the movements of a kind', (em) => pageOfEntries.all(em, movements({ kind: 'return' }))],
  [
    'the movements with words',
    (em) => pageOfEntries.all(em, movements({ wording: [['rent'], ['flat', 'flats']] })),
  ],
  ['the movements of coins', coinMovements({})],
  ['the movements of a coin', coinMovements({ asset: 'BTC' })],
  ['the movements of coins of a type', coinMovements({ type: 'deposit_reversed' })],
  ['the movements of coins of a time', coinMovements({ from: day, beforeAt: day })],
  ['a transfer', (em) => transfers.transferById.first(em, { id: transfer })],
  ['a transfer of a customer', (em) => transfers.transferOf.first(em, { id: transfer, customerId: user })],
  [
    'the transfers of a customer',
    (em) => transfers.transfersOf.all(em, { customerId: user, before: transfer, most: 51 }),
  ],
  [
    'the transfers that wait',
    (em) => pendingTransfers.all(em, { statuses: ['pending_approval'], after: null, most: 51 }),
  ],
  ['the transfers that are late', (em) => overdue.overdueTransfers.all(em, { ...LATE, kind: 'transfer' })],
  ['the scheduled days that are late', (em) => overdue.overdueScheduledRuns.all(em, LATE)],
  [
    'the account requests that are late',
    (em) => overdue.overdueAccountRequests.all(em, { ...LATE, remindSeconds: 86_400 }),
  ],
  ['the tickets that are late', (em) => overdue.overdueTickets.all(em, { ...LATE, idleDays: 14 })],
  ['the uploads that are late', (em) => overdue.overdueUploads.all(em, LATE)],
  ['the messages that are late', (em) => overdue.overdueMessages.all(em, LATE)],
  ['the story of a transfer', (em) => storyOf(em, transfer)],
  [
    'the recipients of a customer',
    (em) => recipientsOf.all(em, { customerId: user, before: transfer, most: 51 }),
  ],
  [
    'the recipients with words',
    (em) => recipientsLike.all(em, { customerId: user, text: 'rent', near: true, most: 20 }),
  ],
  ['the transfers by status', (em) => countTransfers.all(em, { status: 'queued' })],
  ['words of a customer', (em) => wordsLike(em, user, 'rent flat', 'exact')],
  ['words of a customer spelt almost so', (em) => wordsLike(em, user, 'rent flat', 'near')],
  ['entries with words', (em) => entriesWith(em, user, [['rent', 'rents'], ['flat']], 20)],
  ['entries by their keys', (em) => entriesByKey.all(em, { accounts: [account], seqs: [7n] })],
  ['the bounds of a statement', (em) => statements.statementHead.all(em, period)],
  ['the totals of a statement', (em) => statements.statementTotals.all(em, bounds)],
  [
    'the lines of a statement',
    (em) => statementLines(em, { head: bounds, timeZone: 'UTC', wholeNames: true, readAtOnce: 100 }).next(),
  ],
  ['balances of the past', (em) => balancesAt(em, [account], span, 'booking')],
  ['balances of the past by value date', (em) => balancesAt(em, [account], span, 'value')],
  ['what a customer has', (em) => holdingsOf.all(em, { ownerId: user })],
  ['a ticket', (em) => ticketOf(em, user, ticket)],
  ['the tickets of a customer', (em) => pageOfTickets(em, { customerId: user }, null, 51)],
  [
    'what a customer has planned',
    (em) => scheduled.scheduledTransfersOf.all(em, { userId: user, before: null, most: 51 }),
  ],
  ['what is due', (em) => takeDueRuns.all(em, { zone: 'Europe/Berlin', most: 100 })],
  [
    'what is planned from or into an account',
    (em) =>
      scheduled.cancelScheduledTransfersOf.run(em, {
        ...{ account, actorId: null, actorRole: 'system', reason: null, requestId: null, address: null },
      }),
  ],
  ['all tickets', (em) => pageOfTickets(em, {}, null, 51)],
  ['all tickets of one status', (em) => pageOfTickets(em, { status: 'open' }, null, 51)],
  ['the messages of a ticket', (em) => messagesOf(em, ticket)],
  ['a message of a ticket', (em) => messageOf(em, ticket, message)],
  ['the attachments of messages', (em) => attachmentsOf.all(em, { messages: [message] })],
  ['an attachment of a message', (em) => attachmentOf.all(em, { messageId: message, uploadId: upload })],
  ['all people', users({ words: [], wholeContacts: false })],
  ['people of one status', users({ status: 'blocked', words: [], wholeContacts: false })],
  ['people by words', users({ words: ['łukasz', 'nowak'], wholeContacts: false })],
  ['people by words, masked', users({ words: ['łukasz', 'nowak'], wholeContacts: true })],
  ['a person at the back office', (em) => adminUser.all(em, { id: user })],
  ['what somebody may do', (em) => permissionsOf(em, user)],
  ['somebody who is invited', (em) => invitedBy.first(em, { tokenHash: Buffer.alloc(32) })],
  ['the audit log', audit({})],
  ['the audit log of one actor', audit({ actor: user })],
  ['the audit log of one action', audit({ action: 'user.blocked' })],
  ['the audit log of a day', audit({ from: new Date(), to: new Date() })],
  [
    'the sessions of a user',
    (em) => {
      const current = SessionId.parse(user);
      return sessionsOf.all(em, { userId: user, current, before: null, most: 51 });
    },
  ],
  ['a login by an email address', (em) => findLogin(em, 'a@b.test', Buffer.alloc(32))],
  ['a login by a phone number', (em) => findLogin(em, '+4930123456', null)],
  ['a live session', (em) => liveSession.all(em, { id: SessionId.parse(randomUUID()) })],
  ['fees and rates in force', (em) => priceTransfer({ db: em, actor: SYSTEM, refusal: refuse }, pricing)],
  ['a fee rule', (em) => feeRuleById.first(em, { id: FeeRuleId.parse(transfer) })],
  ['all fee rules', (em) => feeRules.all(em, { after: null, most: 51 })],
  [
    'the versions of a fee rule',
    (em) => feeRuleVersions.all(em, { id: FeeRuleId.parse(transfer), before: null, most: 51 }),
  ],
  ['the coins of a customer', (em) => coinHoldingsOf.all(em, { customer: user })],
  [
    'the snapshots of a customer',
    (em) =>
      cryptoSnapshotsOf.all(em, {
        ...{ customer: user, asset: null, from: null, to: null, before: null, most: 51 },
      }),
  ],
  ['all exchange rates', (em) => fxRates.all(em, { before: null, most: 51 })],
  ['the newest exchange rate of a pair', (em) => newestFxRate.first(em, { base: 'EUR', quote: 'USD' })],
  ['the monthly fees of accounts', (em) => accountFees.all(em, { before: null, most: 51 })],
  ['a transfer type', (em) => transferType.first(em, { code: 'sepa' })],
  ['all transfer types', (em) => transferTypes.all(em, { after: null, most: 51 })],
  [
    'the transfer types of a customer',
    (em) => transferTypesFor.all(em, { customer: user, after: null, most: 51 }),
  ],
  ['what waits in the outbox', (em) => pendingStarts(em, 50)],
  ['the starts that Temporal has refused', (em) => refusedStarts.all(em, { after: null, most: 51 })],
  ['the open rows by process and status', (em) => standing.waitingProcesses.all(em)],
  ['the monthly fees that are owed', (em) => standing.owedFees.all(em)],
  ['the last check of the books', (em) => lastLedgerCheck.all(em)],
  ['a payment for the rail', (em) => railPayments.paymentOf(em, transfer)],
  ['payments that were given to the rail', (em) => railPayments.railPayments(em, [transfer])],
  ['reports of the rail that are due', (em) => claimReports(em, 'rail', 32, 60)],
  [
    'payments that the rail may not have',
    (em) => railPayments.undeliveredPayments.all(em, { seconds: 300, most: 100 }),
  ],
  [
    'payments that the rail has not answered',
    (em) => railPayments.unansweredPayments.all(em, { seconds: 300, most: 100 }),
  ],
])('%s', async (_name, read) => {
  const plans: Plan[] = [];
  await read(explaining(plans)).catch((error: unknown) => {
    if (plans.length === 0) throw error;
  });
  expect(plans).not.toEqual([]);
  expect(plans.flatMap(scanned).filter((table) => table !== 'account_types')).toEqual([]);
});
