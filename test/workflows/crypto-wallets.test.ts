/** The process that has a customer's wallets opened: it ends once they are, waits for a custodian that is away, and answers those who ask. */
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import { CryptoVaultId, CryptoWalletId, UserId } from '../../domain/ids.ts';
import {
  open,
  refresh,
  type WalletsOrder,
  type WalletsStep,
} from '../../workflows/crypto-wallets/contract.ts';
import { walletsProcess } from '../../workflows/crypto-wallets/process.ts';
import type { WalletActivities } from '../../workflows/crypto-wallets/workflow.ts';
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
/** How many wallets are left after each look. */
const { script, look, looks, looked } = scriptedSteps<WalletsStep>();

beforeAll(async () => {
  books = openBooks(await ownBank());
  const activities: WalletActivities = {
    openWallets: look,
    refreshWallet: (wallet) =>
      Promise.resolve(wallet.startsWith('0') ? { refused: 'unavailable' } : { wallet }),
  };
  world = await openProcessWorld(activities, books.em);
});
afterAll(async () => {
  await world.close();
  await books.close();
});

const left = (count: number, retryInSeconds: number | null = null): WalletsStep => ({
  ...{ left: count, isAway: count > 0, retryInSeconds },
});
const refused = (count: number): WalletsStep => ({ ...left(count), isAway: false });

function order(...steps: (WalletsStep | Error)[]): WalletsOrder {
  const id = CryptoVaultId.parse(randomUUID());
  script(id, steps);
  return { id, customerId: UserId.parse(randomUUID()) };
}
const ask = (wanted: WalletsOrder) => world.processes.ask(walletsProcess, wanted, open, { id: wanted.id });
const run = ({ id }: WalletsOrder) => world.env.client.workflow.getHandle(walletsProcess.workflowId(id));

test('whoever asks starts it, is answered once the wallets are open, and may ask again', async () => {
  const wanted = order(left(0));
  expect(await ask(wanted)).toEqual({});
  await run(wanted).result();
  expect(await world.status(walletsProcess.workflowId(wanted.id))).toBe('active');
  await world.save(walletsProcess.workflowId(wanted.id), 'crypto-wallets', 'opened at once');
  expect(await ask(wanted)).toEqual({});
  await run(wanted).result();
});

test('twenty who ask at once are all answered', async () => {
  const wanted = order(left(0));
  const answers = await Promise.all(Array.from({ length: 20 }, () => ask(wanted)));
  expect(answers).toEqual(Array.from({ length: 20 }, () => ({})));
  await run(wanted).result();
});

test('while the custodian is away nobody waits for it, and it is asked more and more rarely', async () => {
  const wanted = order(left(3), left(3), left(3, 7), left(0));
  await ask(wanted);
  const id = walletsProcess.workflowId(wanted.id);
  await world.shows(id, 'creating');
  // nobody's asking hastens it
  await ask(wanted);
  expect(looks(wanted.id)).toBe(1);
  // two seconds, four, and eight: longer than the custodian asks for
  await world.pass(15);
  await run(wanted).result();
  expect(looks(wanted.id)).toBe(4);
  expect(await world.status(id)).toBe('active');
  await world.save(id, 'crypto-wallets', 'a custodian that was away');
});

test('wallets that are refused keep no others waiting', async () => {
  const wanted = order(refused(1), refused(1), left(0));
  await ask(wanted);
  expect(looks(wanted.id)).toBe(1);
  // another coin is wanted, and the process looks at once
  await ask(wanted);
  await looked(wanted.id, 2);
  await world.shows(walletsProcess.workflowId(wanted.id), 'creating');
  await world.pass(5);
  await run(wanted).result();
  await world.save(walletsProcess.workflowId(wanted.id), 'crypto-wallets', 'a wallet that was refused');
});

test('a look that fails is taken again', async () => {
  const wanted = order(new Error('the database is away'), left(0));
  await world.start(walletsProcess, wanted);
  await world.pass(5);
  await looked(wanted.id, 2);
  await run(wanted).result();
});

test('an administrator asks what a wallet holds, and is told if the custodian does not say', async () => {
  const wanted = order(left(0));
  const asked = (wallet: CryptoWalletId) => world.processes.ask(walletsProcess, wanted, refresh, { wallet });
  const wallet = CryptoWalletId.parse(`f${randomUUID().slice(1)}`);
  expect(await asked(wallet)).toEqual({ wallet });
  const unknown = CryptoWalletId.parse(`0${randomUUID().slice(1)}`);
  await expect(asked(unknown)).rejects.toMatchObject({ code: 'unavailable' });
  await run(wanted).result();
  await world.save(walletsProcess.workflowId(wanted.id), 'crypto-wallets', 'refused a balance');
});

describe('saved runs of crypto-wallets', () => {
  test.each(savedHistories('crypto-wallets'))('replay: $why', async ({ history }) => {
    await replay(history);
  });
});
