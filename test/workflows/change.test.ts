/** The process of a change that waits for a second administrator: reminds, expires, ends with the row, and saved runs still replay. */
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import { changeActivities } from '../../activities/changes.ts';
import { insertChange } from '../../db/queries/platform/pending-changes.ts';
import { ChangeId, type UserId } from '../../domain/ids.ts';
import { decided } from '../../workflows/change/contract.ts';
import { changeProcess } from '../../workflows/change/process.ts';
import { openBooks, type Books } from '../support/bank/books.ts';
import { ownBank } from '../support/stack/database.ts';
import { withoutTriggers } from '../support/bank/without-triggers.ts';
import { clearTextOf } from '../support/processes/clear-text.ts';
import {
  historiesCipher,
  openProcessWorld,
  replay,
  savedHistories,
  type ProcessWorld,
} from '../support/processes/process-world.ts';
import { until } from '../support/stack/processes.ts';

const DAY_SECONDS = 86_400;

let books: Books;
let world: ProcessWorld;
/** An action that nobody else in the shared database holds. */
const permission = `change-${randomUUID().replaceAll(/[^a-z]/g, '')}:write`;
let maker: UserId;
let checker: UserId;
let helper: UserId;

beforeAll(async () => {
  books = openBooks(await ownBank());
  world = await openProcessWorld(changeActivities({ em: books.em, cipher: historiesCipher }), books.em);
  [maker, checker, helper] = [await admin(), await admin(), await admin()];
  await books.asOwner(
    `insert into empowerments (person_id, empowered_by, kind) values ($1, $2, 'promoted')`,
    [helper, maker],
  );
});
afterAll(async () => {
  await world.close();
  await books.close();
});

const admin = (): Promise<UserId> => books.admin([permission]);

/** A change with its process, which has looked at it once. */
async function asked(expiresInSeconds = DAY_SECONDS, remindSeconds = DAY_SECONDS): Promise<ChangeId> {
  const id = ChangeId.parse(randomUUID());
  await insertChange.run(books.ownerEm(), {
    ...{ id, operation: 'setAccountLimits', permission, resourceType: 'account', resourceId: randomUUID() },
    ...{ etag: 'v', request: Buffer.from('sealed'), requestMac: Buffer.from(id) },
    ...{ before: null, after: { overdraft_limit: 'Lovelace' }, concerns: null },
    requestedBy: maker,
    expiresInSeconds,
  });
  await world.start(changeProcess, { id, remindSeconds });
  await until(async () => (await looks(id)) === 1);
  return id;
}

/** Lets time pass for the row first, then for the process, until it has looked at the row again. */
async function pass(id: ChangeId, seconds: number): Promise<void> {
  const before = await looks(id);
  const earlier = (column: string): string =>
    `${column} = ${column} - make_interval(secs => ${String(seconds)})`;
  const columns = ['created_at', 'expires_at', 'reminded_at'].map(earlier).join(', ');
  await books.asOwner(
    withoutTriggers(['pending_changes'], `update pending_changes set ${columns} where id = '${id}'`),
  );
  await world.pass(seconds + 60);
  await until(async () => (await looks(id)) > before);
}

const run = (id: string) => world.env.client.workflow.getHandle(`change/${id}`);
const looks = async (id: string): Promise<number> =>
  (await run(id).fetchHistory()).events?.filter((event) => event.activityTaskCompletedEventAttributes)
    .length ?? 0;
const row = async (id: string) =>
  (await books.asOwner('select * from pending_changes where id = $1', [id]))[0];
const end = (id: string, status: string, by: UserId) =>
  books.asOwner(`select change_end($1, $2, $3, 'seen', null) as refusal`, [id, status, by]);
const remindersTo = async (person: UserId): Promise<number> =>
  (
    await books.asOwner(`select 1 from notifications where user_id = $1 and type_code = 'change_waits'`, [
      person,
    ])
  ).length;

test('whoever could decide is reminded again and again, the maker and whom they have made are not, until it expires', async () => {
  const id = await asked(3 * DAY_SECONDS);
  for (let day = 1; day <= 3; day++) await pass(id, DAY_SECONDS);
  await run(id).result();
  const { reminders, ...ended } = (await row(id)) ?? {};
  expect(ended).toMatchObject({ status: 'expired', decided_by: null });
  expect(reminders).toBe(2);
  expect([await remindersTo(checker), await remindersTo(maker), await remindersTo(helper)]).toEqual([
    ...[reminders, 0, 0],
  ]);
  expect(await end(id, 'applied', checker)).toEqual([{ refusal: 'already_decided' }]);
  expect(await world.status(`change/${id}`)).toBe('expired');
  const log = await books.asOwner('select actor_role, action from audit_log where subject_id = $1', [id]);
  expect(log).toEqual([{ actor_role: 'system', action: 'change.expired' }]);
  await world.save(`change/${id}`, 'change', 'reminded of, then expired');
});

test('a decision is learnt as soon as the process is told', async () => {
  const id = await asked();
  expect(await end(id, 'rejected', checker)).toEqual([{ refusal: null }]);
  await world.processes.tell(changeProcess, id, decided, { id });
  await run(id).result();
  expect(await world.status(`change/${id}`)).toBe('rejected');
  await world.save(`change/${id}`, 'change', 'decided');
});

test('a decision that the process was not told of is found when it wakes', async () => {
  const id = await asked();
  expect(await end(id, 'withdrawn', maker)).toEqual([{ refusal: null }]);
  await world.pass(DAY_SECONDS + 60);
  await run(id).result();
  expect(await world.status(`change/${id}`)).toBe('withdrawn');
});

test('cancelling the run changes nothing, and a history holds nothing of the change', async () => {
  const id = await asked();
  await run(id).cancel();
  expect(await row(id)).toMatchObject({ status: 'open' });
  expect(await end(id, 'rejected', checker)).toEqual([{ refusal: null }]);
  await world.processes.tell(changeProcess, id, decided, { id });
  await run(id).result();
  const bytes = await clearTextOf(world, `change/${id}`);
  for (const secret of ['Lovelace', 'setAccountLimits', maker]) expect(bytes).not.toContain(secret);
});

describe('saved runs of change', () => {
  test.each(savedHistories('change'))('replay: $why', async ({ history }) => {
    await replay(history);
  });
});
