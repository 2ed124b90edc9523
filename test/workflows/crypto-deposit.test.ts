/** The process of a deposit: it asks when it is told to and from time to time, ends once the deposit is booked, and begins again if the chain takes it back. */
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import { CryptoDepositId, UserId } from '../../domain/ids.ts';
import { look, type DepositOrder, type DepositStep } from '../../workflows/crypto-deposit/contract.ts';
import { depositProcess } from '../../workflows/crypto-deposit/process.ts';
import type { DepositActivities } from '../../workflows/crypto-deposit/workflow.ts';
import { openBooks, type Books } from '../support/bank/books.ts';
import {
  openProcessWorld,
  replay,
  savedHistories,
  type ProcessWorld,
} from '../support/processes/process-world.ts';
import { scriptedSteps } from '../support/processes/scripted-steps.ts';
import { ownBank } from '../support/stack/database.ts';

let books: Books;
let world: ProcessWorld;
const { script, look: find, looks, looked } = scriptedSteps<DepositStep>();

beforeAll(async () => {
  books = openBooks(await ownBank());
  const activities: DepositActivities = { lookAtDeposit: find };
  world = await openProcessWorld(activities, books.em);
});
afterAll(async () => {
  await world.close();
  await books.close();
});

const moving: DepositStep = { status: 'pending', isOpen: true, isNear: false, isAway: false };
const near: DepositStep = { ...moving, isNear: true };
const away: DepositStep = { ...moving, isAway: true };
const credited: DepositStep = { status: 'credited', isOpen: false, isNear: true, isAway: false };
const dropped: DepositStep = { ...moving, status: 'reversed', isOpen: false };

function order(...steps: (DepositStep | Error)[]): DepositOrder {
  const id = CryptoDepositId.parse(randomUUID());
  script(id, steps);
  return { id, customerId: UserId.parse(randomUUID()) };
}
const ask = (wanted: DepositOrder) => world.processes.ask(depositProcess, wanted, look, { id: wanted.id });
const nameOf = ({ id }: DepositOrder): string => depositProcess.workflowId(id);
const ended = (wanted: DepositOrder): Promise<unknown> =>
  world.env.client.workflow.getHandle(nameOf(wanted)).result();

test('it looks whenever the custodian has told something, and ends once the deposit is credited', async () => {
  const wanted = order(moving, moving, credited);
  expect(await ask(wanted)).toEqual({});
  await looked(wanted.id, 1);
  await world.shows(nameOf(wanted), 'pending');
  await ask(wanted);
  await looked(wanted.id, 2);
  await ask(wanted);
  await ended(wanted);
  expect(await world.status(nameOf(wanted))).toBe('credited');
  await world.save(nameOf(wanted), 'crypto-deposit', 'credited as told');
});

test('where only blocks are missing it looks again by itself, more and more rarely', async () => {
  const wanted = order(near, near, near, credited);
  await ask(wanted);
  await looked(wanted.id, 1);
  // five seconds, ten, twenty
  await world.pass(40);
  await ended(wanted);
  expect(looks(wanted.id)).toBe(4);
  await world.save(nameOf(wanted), 'crypto-deposit', 'blocks that the custodian does not count');
});

test('a custodian that is away, and what was never told, are asked again', async () => {
  const wanted = order(away, new Error('the database is away'), moving, credited);
  await ask(wanted);
  await looked(wanted.id, 1);
  await world.shows(nameOf(wanted), 'pending');
  await world.pass(400);
  await ended(wanted);
  expect(await world.status(nameOf(wanted))).toBe('credited');
  await world.save(nameOf(wanted), 'crypto-deposit', 'a custodian that was away');
});

test('what is told after its end begins another run', async () => {
  const wanted = order(credited, dropped);
  await ask(wanted);
  await ended(wanted);
  await ask(wanted);
  await ended(wanted);
  expect(looks(wanted.id)).toBe(2);
  expect(await world.status(nameOf(wanted))).toBe('reversed');
  await world.save(nameOf(wanted), 'crypto-deposit', 'taken back');
});

test('fifty who tell at once are all answered, by one run at a time', async () => {
  const wanted = order(credited);
  const answers = await Promise.all(Array.from({ length: 50 }, () => ask(wanted)));
  expect(answers).toEqual(Array.from({ length: 50 }, () => ({})));
  await ended(wanted);
});

describe('saved runs of crypto-deposit', () => {
  test.each(savedHistories('crypto-deposit'))('replay: $why', async ({ history }) => {
    await replay(history);
  });
});
