/** The process of an identity check: its deadlines, what it hears, and that saved runs still replay. */
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import { ApplicationId, UserId } from '../../domain/ids.ts';
import { changed, type ApplicationOrder, type ApplicationStep } from '../../workflows/kyc/contract.ts';
import { kybProcess } from '../../workflows/kyb/process.ts';
import { kycProcess } from '../../workflows/kyc/process.ts';
import { openBooks, type Books } from '../support/bank/books.ts';
import {
  openProcessWorld,
  replay,
  savedHistories,
  type ProcessWorld,
} from '../support/processes/process-world.ts';
import { scriptedSteps } from '../support/processes/scripted-steps.ts';
import { ownBank } from '../support/stack/database.ts';
import { until } from '../support/stack/processes.ts';

const DAY = 86_400;

let books: Books;
let world: ProcessWorld;
const { script, look, looks, looked } = scriptedSteps<ApplicationStep>();

beforeAll(async () => {
  books = openBooks(await ownBank());
  world = await openProcessWorld({ carryKycOn: look }, books.em);
});
afterAll(async () => {
  await world.close();
  await books.close();
});

const step = (status: ApplicationStep['status'], days: number): ApplicationStep => ({
  status,
  lookAgainInSeconds: days * DAY,
});

async function begin(...steps: ApplicationStep[]): Promise<ApplicationId> {
  return beginOf(kycProcess, steps);
}
async function beginOf(
  process: typeof kycProcess | typeof kybProcess,
  steps: ApplicationStep[],
): Promise<ApplicationId> {
  const id = ApplicationId.parse(randomUUID());
  script(id, steps);
  await world.start<ApplicationOrder>(process, { id, customerId: UserId.parse(randomUUID()) });
  return id;
}
const tell = (id: ApplicationId) => world.processes.tell(kycProcess, id, changed, { id });
const ended = (id: string) => world.env.client.workflow.getHandle(`kyc/${id}`).result();

test('after its approval it waits until that is renewed or expires', async () => {
  const id = await begin(step('in_review', 1), step('approved', 1_000), step('expired', 0));
  await looked(id, 1);
  await tell(id);
  await until(async () => (await world.status(`kyc/${id}`)) === 'approved');
  expect(looks(id)).toBe(2);
  await tell(id);
  await ended(id);
  expect(await world.status(`kyc/${id}`)).toBe('expired');
  await world.save(`kyc/${id}`, 'kyc', 'approved, then expired');
});

test('it waits for documents, for the review and for changes, and ends as it was decided', async () => {
  const id = await begin(
    ...[step('submitted', 3), step('in_review', 1), step('changes_requested', 3)],
    ...[step('in_review', 1), step('approved', 0)],
  );
  for (const times of [1, 2, 3, 4]) {
    await looked(id, times);
    await tell(id);
  }
  await ended(id);
  expect(await world.status(`kyc/${id}`)).toBe('approved');
  await world.save(`kyc/${id}`, 'kyc', 'changes requested, then approved');
});

test('its customer is reminded, and it expires if nothing comes', async () => {
  const id = await begin(step('submitted', 3), step('submitted', 27), step('expired', 0));
  await looked(id, 1);
  await world.pass(3 * DAY + 1);
  await looked(id, 2);
  await world.shows(`kyc/${id}`, 'submitted');
  await world.pass(27 * DAY + 1);
  await ended(id);
  expect(await world.status(`kyc/${id}`)).toBe('expired');
  await world.save(`kyc/${id}`, 'kyc', 'reminded, then expired');
});

test('it ends when its customer withdraws it', async () => {
  const id = await begin(step('in_review', 1), step('withdrawn', 0));
  await looked(id, 1);
  await tell(id);
  await ended(id);
  expect(await world.status(`kyc/${id}`)).toBe('withdrawn');
  await world.save(`kyc/${id}`, 'kyc', 'withdrawn');
});

test('that of a company waits and ends alike, under its own name', async () => {
  const id = await beginOf(kybProcess, [step('submitted', 3), step('in_review', 1), step('rejected', 0)]);
  for (const times of [1, 2]) {
    await looked(id, times);
    await world.processes.tell(kybProcess, id, changed, { id });
  }
  await world.env.client.workflow.getHandle(`kyb/${id}`).result();
  expect(await world.status(`kyb/${id}`)).toBe('rejected');
  await world.save(`kyb/${id}`, 'kyb', 'in review, then rejected');
});

describe('saved runs of kyc and kyb', () => {
  test.each([...savedHistories('kyc'), ...savedHistories('kyb')])('replay: $why', async ({ history }) => {
    await replay(history);
  });
});
