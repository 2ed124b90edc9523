/** The process of a ticket: who or what closes it, and that saved runs still replay. */
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import { ticketActivities } from '../../activities/tickets.ts';
import { insertTicket } from '../../db/queries/tickets/tickets.ts';
import { TicketId, type UserId } from '../../domain/ids.ts';
import { isRefusal } from '../../domain/refusals.ts';
import { CLOSE_IDLE_AFTER_DAYS, type TicketStatus } from '../../domain/tickets/tickets.ts';
import { close } from '../../workflows/ticket/contract.ts';
import { ticketProcess } from '../../workflows/ticket/process.ts';
import { openBooks, type Books } from '../support/bank/books.ts';
import { ownBank } from '../support/stack/database.ts';
import { clearTextOf } from '../support/processes/clear-text.ts';
import {
  openProcessWorld,
  replay,
  savedHistories,
  type ProcessWorld,
} from '../support/processes/process-world.ts';
import { until } from '../support/stack/processes.ts';

const DAY_SECONDS = 86_400;

let books: Books;
let world: ProcessWorld;
let customer: UserId;
let [admin, other]: UserId[] = [];
/** While a test holds it back, the process does not learn what the timer did. */
let heldBack = Promise.resolve();

beforeAll(async () => {
  books = openBooks(await ownBank());
  const activities = ticketActivities({ em: books.em });
  const closeIfIdle: typeof activities.closeIfIdle = async (id) => {
    const found = await activities.closeIfIdle(id);
    await heldBack;
    return found;
  };
  world = await openProcessWorld({ ...activities, closeIfIdle }, books.em);
  [customer, admin, other] = [await books.user(), await books.user(), await books.user()];
});
afterAll(async () => {
  await world.close();
  await books.close();
});

/** A ticket in this state, with its process, which has looked at it once. */
async function ticketThatIs(status: TicketStatus): Promise<TicketId> {
  const id = TicketId.parse(randomUUID());
  await insertTicket(books.em(), { id, customerId: customer, subject: 'About Lovelace', category: 'other' });
  await become(id, status);
  await world.start(ticketProcess, { id, customerId: customer });
  await until(async () => (await looks(id)) === 1);
  return id;
}

async function become(id: TicketId, status: TicketStatus): Promise<void> {
  await books.asOwner('update tickets set status = $2, last_activity_at = now() where id = $1', [id, status]);
}

/** Lets days pass for the row first, then for the process, until it has looked at the row again. */
async function pass(id: TicketId, days: number): Promise<void> {
  const before = await looks(id);
  await books.asOwner(
    'update tickets set last_activity_at = last_activity_at - make_interval(days => $2) where id = $1',
    [id, days],
  );
  await world.pass(days * DAY_SECONDS + 60);
  await until(async () => (await looks(id)) > before);
}

const run = (id: TicketId) => world.env.client.workflow.getHandle(`ticket/${id}`);
const looks = async (id: TicketId): Promise<number> =>
  (await run(id).fetchHistory()).events?.filter((event) => event.activityTaskCompletedEventAttributes)
    .length ?? 0;
const row = async (id: TicketId) => (await books.asOwner('select * from tickets where id = $1', [id]))[0];
const state = async (id: TicketId): Promise<string> => (await run(id).describe()).status.name;
const code = (error: unknown): string => (isRefusal(error) ? error.code : String(error));
const closing = (by: UserId | undefined, reason: string | null = 'solved for Lovelace') => ({
  by: by ?? customer,
  reason,
  requestId: 'request-of-the-test',
});
const say = (id: TicketId, words: ReturnType<typeof closing>) =>
  world.processes.decide(ticketProcess, id, close, words).catch(code);

test('an administrator closes it: the row says who and why, the audit log too, and the process ends', async () => {
  const id = await ticketThatIs('waiting_for_support');
  expect(await say(id, closing(admin))).toEqual({ status: 'closed' });
  await run(id).result();
  expect(await row(id)).toMatchObject({
    status: 'closed',
    closed_by: admin,
    close_reason: 'solved for Lovelace',
  });
  expect(await world.status(`ticket/${id}`)).toBe('closed');
  const log = await books.asOwner(
    'select actor_id, action, before, after, reason, request_id from audit_log where subject_id = $1',
    [id],
  );
  expect(log).toEqual([
    {
      actor_id: admin,
      action: 'ticket.closed',
      before: { status: 'waiting_for_support' },
      after: { status: 'closed' },
      reason: 'solved for Lovelace',
      request_id: 'request-of-the-test',
    },
  ]);
  expect(await say(id, closing(other))).toBe('ended');
  await world.save(`ticket/${id}`, 'ticket', 'closed by an administrator');
});

test('cancelling the run changes nothing: it can still be closed', async () => {
  const id = await ticketThatIs('open');
  await run(id).cancel();
  expect(await say(id, closing(admin))).toEqual({ status: 'closed' });
  await run(id).result();
});

test('several close it at once: one does, the others learn that it is closed', async () => {
  const id = await ticketThatIs('open');
  const answers = await Promise.all([admin, other, admin, other].map((by) => say(id, closing(by, null))));
  expect(answers.filter((answer) => typeof answer === 'object')).toEqual([{ status: 'closed' }]);
  for (const answer of answers)
    expect([{ status: 'closed' }, 'ticket_closed', 'ended']).toContainEqual(answer);
  const log = await books.asOwner('select actor_id from audit_log where subject_id = $1', [id]);
  expect(log).toEqual([{ actor_id: (await row(id))?.['closed_by'] }]);
});

test('the timer closes one that has waited for its customer for two weeks, by nobody', async () => {
  const id = await ticketThatIs('waiting_for_customer');
  await pass(id, CLOSE_IDLE_AFTER_DAYS);
  await run(id).result();
  expect(await row(id)).toMatchObject({ status: 'closed', closed_by: null, close_reason: null });
  expect(await world.status(`ticket/${id}`)).toBe('closed');
  await world.save(`ticket/${id}`, 'ticket', 'closed by the timer');
});

test('who closes it while the timer does learns that it is closed, and the process ends', async () => {
  const id = TicketId.parse(randomUUID());
  await insertTicket(books.em(), { id, customerId: customer, subject: 'Idle', category: 'other' });
  await become(id, 'waiting_for_customer');
  await books.asOwner(`update tickets set last_activity_at = now() - interval '15 days' where id = $1`, [id]);
  let release = (): void => undefined;
  heldBack = new Promise((resolve) => (release = resolve));
  await world.start(ticketProcess, { id, customerId: customer });
  await until(async () => (await row(id))?.['status'] === 'closed');
  const answer = say(id, closing(admin));
  await until(async () =>
    Boolean(
      (await run(id).fetchHistory()).events?.some(
        (event) => event.workflowExecutionUpdateAcceptedEventAttributes,
      ),
    ),
  );
  release();
  expect(await answer).toBe('ticket_closed');
  await run(id).result();
  expect(await row(id)).toMatchObject({ closed_by: null, close_reason: null });
  await world.save(`ticket/${id}`, 'ticket', 'closed by the timer before an administrator');
});

test('a day before that it is still open', async () => {
  const id = await ticketThatIs('waiting_for_customer');
  await world.pass((CLOSE_IDLE_AFTER_DAYS - 1) * DAY_SECONDS);
  expect(await looks(id)).toBe(1);
  expect(await row(id)).toMatchObject({ status: 'waiting_for_customer' });
});

test.each(['open', 'waiting_for_support'] as const)(
  'the timer leaves one alone that is %s',
  async (status) => {
    const id = await ticketThatIs(status);
    await pass(id, CLOSE_IDLE_AFTER_DAYS);
    await pass(id, 2 * CLOSE_IDLE_AFTER_DAYS);
    expect(await row(id)).toMatchObject({ status, closed_at: null });
    expect(await state(id)).toBe('RUNNING');
  },
);

test('a word of the customer in time begins the two weeks anew, and an answer lets them count', async () => {
  const id = await ticketThatIs('waiting_for_customer');
  await become(id, 'waiting_for_support');
  await pass(id, CLOSE_IDLE_AFTER_DAYS);
  expect(await state(id)).toBe('RUNNING');
  await become(id, 'waiting_for_customer');
  await world.pass(CLOSE_IDLE_AFTER_DAYS * DAY_SECONDS + 60);
  await until(async () => (await looks(id)) === 3);
  expect(await row(id)).toMatchObject({ status: 'waiting_for_customer' });
  await pass(id, CLOSE_IDLE_AFTER_DAYS);
  await run(id).result();
  expect(await row(id)).toMatchObject({ status: 'closed', closed_by: null });
  await world.save(`ticket/${id}`, 'ticket', 'looked at again, then closed by the timer');
});

test('one that was closed before its process began ends at once', async () => {
  const id = TicketId.parse(randomUUID());
  await insertTicket(books.em(), { id, customerId: customer, subject: 'Closed', category: 'other' });
  await books.asOwner(`update tickets set status = 'closed', closed_at = now() where id = $1`, [id]);
  await world.start(ticketProcess, { id, customerId: customer });
  await run(id).result();
  expect(await state(id)).toBe('COMPLETED');
  await world.save(`ticket/${id}`, 'ticket', 'closed before it began');
});

test('a history holds neither subject nor reason in clear', async () => {
  const id = await ticketThatIs('open');
  await say(id, closing(admin));
  const bytes = await clearTextOf(world, `ticket/${id}`);
  for (const secret of ['Lovelace', 'solved', admin ?? '']) expect(bytes).not.toContain(secret);
});

describe('saved runs of ticket', () => {
  test.each(savedHistories('ticket'))('replay: $why', async ({ history }) => {
    await replay(history);
  });
});
