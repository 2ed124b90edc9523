/** The process of an announcement: page by page to its end, or until it is stopped, and that saved runs still replay. */
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import { AnnouncementId } from '../../domain/ids.ts';
import { stopped } from '../../workflows/announcement/contract.ts';
import { announcementProcess } from '../../workflows/announcement/process.ts';
import type { AnnouncementActivities } from '../../workflows/announcement/workflow.ts';
import { openBooks, type Books } from '../support/bank/books.ts';
import { ownBank } from '../support/stack/database.ts';
import {
  openProcessWorld,
  replay,
  savedHistories,
  type ProcessWorld,
} from '../support/processes/process-world.ts';
import { scriptedSteps } from '../support/processes/scripted-steps.ts';

type Step = Awaited<ReturnType<AnnouncementActivities['goOnTelling']>>;

let books: Books;
let world: ProcessWorld;
const { script, look, looks, looked } = scriptedSteps<Step>();

beforeAll(async () => {
  books = openBooks(await ownBank());
  const activities: AnnouncementActivities = { goOnTelling: look };
  world = await openProcessWorld(activities, books.em);
});
afterAll(async () => {
  await world.close();
  await books.close();
});

async function begin(...steps: Step[]): Promise<AnnouncementId> {
  const id = AnnouncementId.parse(randomUUID());
  script(id, steps);
  await world.start(announcementProcess, { id });
  return id;
}
const run = (id: AnnouncementId) => world.env.client.workflow.getHandle(`announcement/${id}`);

test('it goes on at once while there are people, waits for the mail to go out, and ends with its row', async () => {
  const id = await begin(
    { status: 'sending', told: 500, againInSeconds: 0 },
    { status: 'sending', told: 900, againInSeconds: 5 },
    { status: 'sent', told: 900, againInSeconds: 0 },
  );
  await world.pass(10);
  await run(id).result();
  expect(looks(id)).toBe(3);
  expect(await world.status(`announcement/${id}`)).toBe('sent');
  await world.save(`announcement/${id}`, 'announcement', 'sent');
});

test('one that is stopped is over as soon as its process is told', async () => {
  const id = await begin({ status: 'sending', told: 500, againInSeconds: 86_400 });
  await looked(id, 1);
  script(id, [{ status: 'stopped', told: 500, againInSeconds: 0 }]);
  await world.processes.tell(announcementProcess, id, stopped, { id });
  await run(id).result();
  expect(await world.status(`announcement/${id}`)).toBe('stopped');
  await world.save(`announcement/${id}`, 'announcement', 'stopped');
});

test('after five hundred steps its history begins anew', async () => {
  const on: Step = { status: 'sending', told: 1, againInSeconds: 0 };
  const id = await begin(...Array.from({ length: 510 }, () => on), {
    status: 'sent',
    told: 1,
    againInSeconds: 0,
  });
  await run(id).result();
  expect(looks(id)).toBe(511);
});

describe('saved runs of announcement', () => {
  test.each(savedHistories('announcement'))('replay: $why', async ({ history }) => {
    await replay(history);
  });
});
