/** The process of a request to open an account: who or what decides it, once, and that saved runs still replay. */
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import { accountRequestActivities } from '../../activities/account-requests.ts';
import { insertAccountRequest } from '../../db/queries/accounts/account-requests.ts';
import type { AccountRequestDecision } from '../../domain/accounts/account-requests.ts';
import { AccountRequestId, AccountTypeId, type UserId } from '../../domain/ids.ts';
import { isRefusal } from '../../domain/refusals.ts';
import { review } from '../../workflows/account-request/contract.ts';
import { accountRequestProcess } from '../../workflows/account-request/process.ts';
import { openBooks, type Books } from '../support/bank/books.ts';
import { ownBank } from '../support/stack/database.ts';
import { clearTextOf } from '../support/processes/clear-text.ts';
import {
  historiesCipher,
  openProcessWorld,
  replay,
  savedHistories,
  type ProcessWorld,
} from '../support/processes/process-world.ts';
import { until } from '../support/stack/processes.ts';

const HOUR_SECONDS = 3_600;
const DAY_SECONDS = 24 * HOUR_SECONDS;
const EXPIRES_SECONDS = 3 * DAY_SECONDS;

let books: Books;
let world: ProcessWorld;
let [admin, other]: UserId[] = [];

beforeAll(async () => {
  books = openBooks(await ownBank());
  const config = { BANK_COUNTRY: 'DE', BANK_CODE: '99990000' };
  const activities = accountRequestActivities({ em: books.em, cipher: historiesCipher, config });
  world = await openProcessWorld(activities, books.em);
  [admin, other] = [await books.admin(['accounts:review']), await books.admin(['accounts:review'])];
});
afterAll(async () => {
  await world.close();
  await books.close();
});

interface Asked {
  readonly id: AccountRequestId;
  readonly customer: UserId;
  readonly type: string;
}

/** A type of its own for each test, so that the tests may switch it off. */
async function newType(kycLevel = 0): Promise<string> {
  const [made] = await books.asOwner(
    `insert into account_types (code, name, asset, openable_by, kyc_level_required)
     values ('t' || replace($1, '-', ''), 'Account of Lovelace', 'EUR', 'request', $2) returning id`,
    [randomUUID(), kycLevel],
  );
  return String(made?.['id']);
}

/** A request with its process, which has looked at it once. */
async function asked(kycLevel = 0): Promise<Asked> {
  const id = AccountRequestId.parse(randomUUID());
  const [customer, type] = [await books.user(), await newType(kycLevel)];
  await insertAccountRequest.run(books.em(), {
    id,
    userId: customer,
    accountTypeId: AccountTypeId.parse(type),
    nickname: 'Lovelace',
    expiresInSeconds: EXPIRES_SECONDS,
  });
  await world.start(accountRequestProcess, { id, customerId: customer, remindSeconds: DAY_SECONDS });
  await until(async () => (await looks(id)) === 1);
  return { id, customer, type };
}

/** Lets time pass for the row first, then for the process, until it has looked at the row again. */
async function pass(id: AccountRequestId, seconds: number): Promise<void> {
  const before = await looks(id);
  await books.asOwner(
    `update account_requests set created_at = created_at - make_interval(secs => $2), expires_at = expires_at - make_interval(secs => $2),
       reminded_at = reminded_at - make_interval(secs => $2) where id = $1`,
    [id, seconds],
  );
  await world.pass(seconds + 60);
  await until(async () => (await looks(id)) > before);
}

const run = (id: string) => world.env.client.workflow.getHandle(`account-request/${id}`);
const looks = async (id: string): Promise<number> =>
  (await run(id).fetchHistory()).events?.filter((event) => event.activityTaskCompletedEventAttributes)
    .length ?? 0;
const row = async (id: string) =>
  (await books.asOwner('select * from account_requests where id = $1', [id]))[0];
const accountsOf = (owner: UserId) =>
  books.asOwner('select id, nickname, iban from accounts where owner_id = $1', [owner]);
/** Beside that they have asked, which the sender tells when it comes to it. */
const messagesTo = (user: UserId) =>
  books.asOwner(
    `select type_code as template from notifications where user_id = $1 and type_code <> 'account_request' order by id`,
    [user],
  );
const code = (error: unknown): string => (isRefusal(error) ? error.code : String(error));
const word = (kind: AccountRequestDecision['kind'], by: UserId | undefined): AccountRequestDecision =>
  ({
    id: randomUUID(),
    kind,
    by: by ?? 'nobody',
    reason: kind === 'withdraw' ? null : 'seen for Lovelace',
    requestId: 'request-of-the-test',
  }) as AccountRequestDecision;
const say = (id: AccountRequestId, decision: AccountRequestDecision) =>
  world.processes.decide(accountRequestProcess, id, review, decision, decision.id).catch(code);

test('an approval opens the account with its IBAN, tells the customer, and stands in the audit log', async () => {
  const { id, customer } = await asked();
  expect(await say(id, word('approve', admin))).toMatchObject({ status: 'approved' });
  await run(id).result();
  const [account, ...more] = await accountsOf(customer);
  expect(more).toEqual([]);
  expect(account).toMatchObject({ nickname: 'Lovelace', iban: expect.stringMatching(/^DE\d{20}$/) });
  expect(await row(id)).toMatchObject({ status: 'approved', decided_by: admin, account_id: account?.['id'] });
  expect(await messagesTo(customer)).toEqual([{ template: 'account_request_approved' }]);
  expect(await world.status(`account-request/${id}`)).toBe('approved');
  const log = await books.asOwner('select actor_id, action, after from audit_log where subject_id = $1', [
    id,
  ]);
  expect(log).toEqual([
    {
      actor_id: admin,
      action: 'account_request.approved',
      after: { status: 'approved', account_id: account?.['id'] },
    },
  ]);
  await world.save(`account-request/${id}`, 'account-request', 'approved');
});

test('a rejection opens nothing, and the customer is told', async () => {
  const { id, customer } = await asked();
  expect(await say(id, word('reject', admin))).toEqual({ status: 'rejected', accountId: null });
  await run(id).result();
  expect(await accountsOf(customer)).toEqual([]);
  expect(await messagesTo(customer)).toEqual([{ template: 'account_request_rejected' }]);
  await world.save(`account-request/${id}`, 'account-request', 'rejected');
});

test('who asked may take it back but not approve it, and nobody else may take it back', async () => {
  const { id, customer } = await asked();
  expect(await say(id, word('approve', customer))).toBe('same_person');
  expect(await say(id, word('withdraw', admin))).toBe('same_person');
  expect(await say(id, word('withdraw', customer))).toEqual({ status: 'withdrawn', accountId: null });
  await run(id).result();
  expect(await messagesTo(customer)).toEqual([]);
  await world.save(`account-request/${id}`, 'account-request', 'withdrawn');
});

test('twenty decisions at once: one stands, one account at most, the others learn that it is decided', async () => {
  const { id, customer } = await asked();
  const decisions = Array.from({ length: 20 }, (_none, index) =>
    say(id, word(index % 3 === 0 ? 'reject' : 'approve', index % 2 === 0 ? admin : other)),
  );
  const answers = await Promise.all(decisions);
  expect(answers.filter((answer) => typeof answer === 'object')).toHaveLength(1);
  for (const answer of answers)
    if (typeof answer === 'string') expect(['account_request_not_pending', 'ended']).toContain(answer);
  const { status } = (await row(id)) ?? {};
  expect(await accountsOf(customer)).toHaveLength(status === 'approved' ? 1 : 0);
});

test('the same decision again, its answer lost, is told what it has done', async () => {
  const { id, customer } = await asked();
  const decision = word('approve', admin);
  const [one, two] = await Promise.all([say(id, decision), say(id, decision)]);
  expect([one, two]).toEqual([one, one]);
  expect(await accountsOf(customer)).toHaveLength(1);
});

test('an approval that the type or the customer forbids leaves the request waiting', async () => {
  const { id, customer, type } = await asked(2);
  expect(await say(id, word('approve', admin))).toBe('kyc_required');
  await books.asOwner('update account_types set kyc_level_required = 0, enabled = false where id = $1', [
    type,
  ]);
  expect(await say(id, word('approve', admin))).toBe('account_type_unavailable');
  expect(await row(id)).toMatchObject({ status: 'pending' });
  await books.asOwner('update account_types set enabled = true where id = $1', [type]);
  expect(await say(id, word('approve', admin))).toMatchObject({ status: 'approved' });
  await run(id).result();
  expect(await accountsOf(customer)).toHaveLength(1);
  await world.save(`account-request/${id}`, 'account-request', 'approved at the third time');
});

test('reviewers are reminded each day as long as nobody decides, until it expires, and the customer is told', async () => {
  const reviewer = await books.admin(['accounts:review']);
  const { id, customer } = await asked();
  const remindersOf = async () =>
    books.asOwner(`select 1 from notifications where user_id = $1 and type_code = 'account_request_waits'`, [
      reviewer,
    ]);
  const already = (await remindersOf()).length;
  await pass(id, DAY_SECONDS);
  expect(await row(id)).toMatchObject({ status: 'pending', reminders: 1 });
  await pass(id, DAY_SECONDS);
  expect(await row(id)).toMatchObject({ status: 'pending', reminders: 2 });
  expect((await remindersOf()).length).toBeGreaterThanOrEqual(already + 2);
  await pass(id, DAY_SECONDS);
  await run(id).result();
  expect(await row(id)).toMatchObject({ status: 'expired', decided_by: null, account_id: null });
  expect(await messagesTo(customer)).toEqual([{ template: 'account_request_expired' }]);
  expect(await say(id, word('approve', admin))).toBe('ended');
  expect(await accountsOf(customer)).toEqual([]);
  await world.save(`account-request/${id}`, 'account-request', 'reminded of, then expired');
});

test('cancelling the run changes nothing, and one whose run is gone gets it back', async () => {
  const { id, customer } = await asked();
  await run(id).cancel();
  expect(await row(id)).toMatchObject({ status: 'pending' });
  await run(id).terminate();
  expect(await say(id, word('approve', admin))).toBe('ended');
  const again = { id, customerId: customer, remindSeconds: DAY_SECONDS };
  expect(await world.processes.restart(accountRequestProcess, again)).toBe(true);
  expect(await say(id, word('approve', admin))).toMatchObject({ status: 'approved' });
});

test('a history holds neither nickname nor reason in clear', async () => {
  const { id } = await asked();
  await say(id, word('reject', admin));
  const bytes = await clearTextOf(world, `account-request/${id}`);
  for (const secret of ['Lovelace', 'seen', admin ?? '']) expect(bytes).not.toContain(secret);
});

describe('saved runs of account-request', () => {
  test.each(savedHistories('account-request'))('replay: $why', async ({ history }) => {
    await replay(history);
  });
});
