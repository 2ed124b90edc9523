/** The process of a card: sent, renewed, expired, told of what its holder does, and that saved runs still replay. */
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import { CardId, UserId } from '../../domain/ids.ts';
import { changed, type CardStep } from '../../workflows/card/contract.ts';
import { cardProcess } from '../../workflows/card/process.ts';
import type { CardActivities } from '../../workflows/card/workflow.ts';
import { openBooks, type Books } from '../support/bank/books.ts';
import { ownBank } from '../support/stack/database.ts';
import {
  openProcessWorld,
  replay,
  savedHistories,
  type ProcessWorld,
} from '../support/processes/process-world.ts';
import { scriptedSteps } from '../support/processes/scripted-steps.ts';

const DAY = 86_400;

let books: Books;
let world: ProcessWorld;
const { script, look, looks, looked } = scriptedSteps<CardStep>();

beforeAll(async () => {
  books = openBooks(await ownBank());
  const activities: CardActivities = { carryCardOn: look };
  world = await openProcessWorld(activities, books.em);
});
afterAll(async () => {
  await world.close();
  await books.close();
});

const step = (
  status: CardStep['status'],
  days: number,
  renewedBy: CardStep['renewedBy'] = null,
): CardStep => ({ status, renewedBy, lookAgainInSeconds: days * DAY });
const CLOSED = step('closed', 0);

async function begin(...steps: (CardStep | Error)[]): Promise<CardId> {
  const id = CardId.parse(randomUUID());
  script(id, steps);
  await world.start(cardProcess, { id, customerId: UserId.parse(randomUUID()) });
  return id;
}
const run = (id: CardId) => world.env.client.workflow.getHandle(`card/${id}`);

test('it sleeps until the renewal, then until the last day, and ends with the card', async () => {
  const next = CardId.parse(randomUUID());
  const id = await begin(step('active', 1_400), step('active', 60, next), CLOSED);
  await looked(id, 1);
  await world.pass(1_401 * DAY);
  await looked(id, 2);
  await world.shows(`card/${id}`, 'active');
  await world.pass(61 * DAY);
  await run(id).result();
  expect(looks(id)).toBe(3);
  expect(await world.status(`card/${id}`)).toBe('closed');
  await world.save(`card/${id}`, 'card', 'renewed, then expired');
});

test('it hears that the card was activated and closed, and looks at its row', async () => {
  const id = await begin(step('inactive', 1_400), step('active', 1_400), CLOSED);
  await looked(id, 1);
  await world.processes.tell(cardProcess, id, changed, { id });
  await looked(id, 2);
  await world.shows(`card/${id}`, 'active');
  await world.processes.tell(cardProcess, id, changed, { id });
  await run(id).result();
  expect(await world.status(`card/${id}`)).toBe('closed');
  await world.save(`card/${id}`, 'card', 'activated, then closed');
});

test('a step that fails is taken again', async () => {
  const id = await begin(new Error('the database is away'), step('active', 1_400), CLOSED);
  await world.pass(60);
  await looked(id, 2);
  await world.processes.tell(cardProcess, id, changed, { id });
  await run(id).result();
  expect(looks(id)).toBe(3);
  await world.save(`card/${id}`, 'card', 'a step that failed once');
});

describe('saved runs of card', () => {
  test.each(savedHistories('card'))('replay: $why', async ({ history }) => {
    await replay(history);
  });
});
