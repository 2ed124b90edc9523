/**
 * Deposits while things fail: workers that are killed between any two steps, a custodian that is away, busy or cannot be read. No
 * event is lost, none keeps others back, and each deposit is credited once.
 */
import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals';
import { CustodianFailure, type Custodian } from '../../adapters/custody/custodian.ts';
import { overdueDeposits } from '../../db/queries/crypto/deposits.ts';
import { CryptoDepositId } from '../../domain/ids.ts';
import { lookAtDeposit, noteTransfer } from '../../services/crypto/deposits.ts';
import { clearDeposits, ruleInForce } from '../support/bank/watch.ts';
import { depsOf, openCoinBank, type CoinBank, type Holder } from '../support/custodian/coin-bank.ts';
import { expectCoinsProved } from '../support/custodian/coin-proof.ts';
import { Killed, killedAtStep } from '../support/killed.ts';
import { row } from '../support/stack/sql.ts';

let bank: CoinBank;
beforeAll(async () => {
  bank = await openCoinBank();
});
beforeEach(async () => {
  bank.alerts.length = 0;
  await bank.sandbox.told('DELETE', '/faults');
});
afterAll(() => bank.close());

type Reading = Pick<Custodian, 'getTransfer' | 'transfersSince' | 'chainHeight'>;

/** The parts of a worker that is killed at one of its awaits. */
function killedAt(place: number, custodian: Reading = bank.deps.custodian) {
  const { step, cut, wasKilled } = killedAtStep(place);
  const { em, processes, log } = bank.deps;
  const dying = depsOf({
    log,
    em: () => {
      step();
      return em();
    },
    custodian: {
      getTransfer: (id: string) => cut(() => custodian.getTransfer(id)),
      chainHeight: (vault: string, asset: string) => cut(() => custodian.chainHeight(vault, asset)),
      async *transfersSince(since: number) {
        step();
        for await (const transfer of custodian.transfersSince(since)) {
          step();
          yield transfer;
        }
        step();
      },
    },
  });
  const ask: typeof processes.ask = (...asked) => cut(() => processes.ask(...asked));
  return { deps: { ...dying, processes: { ask } }, wasKilled };
}

/** Coins of which the custodian is sure. Returns the ids of their transactions. */
async function arrived(holder: Holder, ...amounts: readonly string[]): Promise<string[]> {
  const ids: string[] = [];
  for (const amount of amounts) ids.push(await bank.arrive(holder, 'XRP', amount));
  await bank.blocks('XRP', 1);
  return ids;
}
const once = (ids: readonly string[]): string[][] => ids.map(() => ['credit']);

test('a round of events that is killed at any await loses none of them, and the next one leaves one credit of each', async () => {
  const holder = await bank.customer();
  const all: string[] = [];
  for (let place = 1; ; place += 1) {
    const ids = await arrived(holder, '1', '2');
    for (const id of [...ids, ...ids]) await bank.event(id);
    const killed = killedAt(place);
    await bank.events(killed.deps);
    const waiting = new Set((await bank.waiting()).map(({ resource }) => resource));
    const booked = await bank.booked(...ids);
    ids.forEach((id, at) => expect([id, waiting.has(id) || booked[at]?.length === 1]).toEqual([id, true]));
    await bank.forgetClaims();
    await bank.events();
    expect(await bank.waiting()).toEqual([]);
    all.push(...ids);
    expect(await bank.held(holder, 'XRP')).toBe(BigInt(place) * 3_000_000n);
    if (!killed.wasKilled()) break;
  }
  // to claim, and for each deposit to read it twice, to note it, to ask twice and to end its events
  expect(all.length / 2).toBeGreaterThan(10);
  expect(await bank.booked(...all)).toEqual(once(all));
  expect(bank.alerts).toEqual([]);
});

test('a round of asking that is killed at any await forgets nothing: the next one and the watch leave one credit of each', async () => {
  const holder = await bank.customer();
  // without what it asks for again, so that the time until which all is known must be right by itself
  const exact: Reading = {
    ...bank.deps.custodian,
    transfersSince: (since) => bank.deps.custodian.transfersSince(since + 60_000),
  };
  await bank.poll();
  const all: string[] = [];
  for (let place = 1; ; place += 1) {
    const ids = await arrived(holder, '1', '2');
    const killed = killedAt(place, exact);
    await bank.poll(killed.deps);
    await bank.poll({ custodian: exact });
    // what was noted and not told is found by the watch
    const late = { lateSeconds: 0, most: 100, after: null };
    for (const { id } of await overdueDeposits.all(bank.books.em(), late))
      await lookAtDeposit(bank.deps, CryptoDepositId.parse(id));
    all.push(...ids);
    expect(await bank.held(holder, 'XRP')).toBe(BigInt(place) * 3_000_000n);
    if (!killed.wasKilled()) break;
  }
  expect(all.length / 2).toBeGreaterThan(12);
  expect(await bank.booked(...all)).toEqual(once(all));
  expect(bank.alerts).toEqual([]);
});

test('a deposit whose flag was cleared is credited once, at whichever await its process is killed', async () => {
  const reviewer = await bank.books.admin(['aml:review']);
  const nine = { left: { field: 'amount' }, op: 'eq', right: { value: '9' } };
  const rule = await ruleInForce(bank.books, 'crypto_deposit', nine);
  const holder = await bank.customer();
  const all: string[] = [];
  for (let place = 1; ; place += 1) {
    const [id = ''] = await arrived(holder, '9');
    await bank.poll();
    expect(await bank.booked(id)).toEqual([['suspense']]);
    const deposit = await bank.depositOf(id);
    expect(await lookAtDeposit(bank.deps, deposit)).toMatchObject({ status: 'under_review', isOpen: false });
    await clearDeposits(bank.books, reviewer);
    const killed = killedAt(place);
    const end = lookAtDeposit(killed.deps, deposit);
    await end.catch((error: unknown) => expect(error).toBeInstanceOf(Killed));
    // what nobody has told is found by the watch of the workers
    const late = { lateSeconds: 0, most: 100, after: null };
    for (const overdue of await overdueDeposits.all(bank.books.em(), late))
      await lookAtDeposit(bank.deps, CryptoDepositId.parse(overdue.id));
    expect(await bank.held(holder, 'XRP')).toBe(BigInt(place) * 9_000_000n);
    all.push(id);
    if (!killed.wasKilled()) break;
  }
  expect(all.length).toBeGreaterThan(3);
  expect(await bank.booked(...all)).toEqual(all.map(() => ['suspense', 'reversal', 'credit']));
  await bank.books.asOwner(`update aml_rules set status = 'disabled' where id = $1`, [rule]);
  expect(bank.alerts).toEqual([]);
});

test('a look at a deposit that is killed at any await is repeated, and credits or takes back once', async () => {
  const holder = await bank.customer();
  const all: string[] = [];
  for (let place = 1; ; place += 1) {
    const ids = await arrived(holder, '3');
    const [id = ''] = ids;
    const told = await bank.deps.custodian.getTransfer(id);
    if (told === null) throw new Error('the custodian does not know it');
    await noteTransfer(bank.books.em, told);
    const deposit = await bank.depositOf(id);
    let kills = 0;
    const killedLook = async (): Promise<void> => {
      const killed = killedAt(place);
      const end = lookAtDeposit(killed.deps, deposit);
      await end.catch((error: unknown) => expect(error).toBeInstanceOf(Killed));
      if (killed.wasKilled()) kills += 1;
    };
    await killedLook();
    expect(await lookAtDeposit(bank.deps, deposit)).toMatchObject({ status: 'credited', isOpen: false });
    expect(await bank.held(holder, 'XRP')).toBe(3_000_000n);
    await bank.reorganise('XRP', 1, true);
    await killedLook();
    expect(await lookAtDeposit(bank.deps, deposit)).toMatchObject({ status: 'reversed', isOpen: false });
    expect(await bank.held(holder, 'XRP')).toBe(0n);
    all.push(id);
    if (kills === 0) break;
  }
  expect(all.length).toBeGreaterThan(5);
  expect(await bank.booked(...all)).toEqual(all.map(() => ['credit', 'reversal']));
  expect(bank.alerts).toEqual(all.map(() => 'crypto_deposit_reversed'));
});

test.each(['timeout', 'http_500', 'http_503', 'http_429', 'refuse'])(
  'after %s events wait, rounds go on, and the deposit is credited once',
  async (fault) => {
    const holder = await bank.customer();
    const [id = ''] = await arrived(holder, '5');
    await bank.event(id);
    await bank.event(id);
    const failing = (call: string) => bank.sandbox.told('POST', '/faults', { call, fault, times: 1 });
    const impatient = depsOf({ ...bank.deps, custodian: bank.custodianWithin(300) });
    await failing('get_transaction');
    await bank.events(impatient);
    expect((await bank.waiting()).map(({ resource }) => resource)).toEqual([id, id]);
    await failing('list_transactions');
    await bank.poll(impatient);
    expect(await bank.deposits(holder)).toEqual([]);

    // the process is asked, and the custodian fails again: the deposit is noted, and looked at again later
    await bank.forgetClaims();
    const { processes } = depsOf({ ...bank.deps, custodian: failingLookUp() });
    await bank.events({ processes });
    expect(await bank.waiting()).toEqual([]);
    expect(await bank.deposits(holder)).toMatchObject([{ status: 'pending' }]);
    await bank.poll();
    expect(await bank.held(holder, 'XRP')).toBe(5_000_000n);
    expect(await bank.booked(id)).toEqual([['credit']]);
    expect(bank.alerts).toEqual([]);
  },
);

/** A custodian that is away for one transaction, or for all. */
function failingLookUp(only?: string): Custodian {
  const { custodian } = bank.deps;
  return {
    ...custodian,
    getTransfer: (id) =>
      only === undefined || id === only
        ? Promise.reject(new CustodianFailure('away', 'its answer has an unknown form'))
        : custodian.getTransfer(id),
  };
}

test('while the custodian is away events go back to wait, and all are credited once after it is back', async () => {
  const holder = await bank.customer();
  const ids = await arrived(holder, '1', '2', '4', '8', '16', '32', '64');
  for (const id of ids) await bank.event(id);
  const away = depsOf({ ...bank.deps, custodian: bank.custodianWithin(300, 'http://127.0.0.1:1/v1') });
  await bank.events(away);
  await bank.poll(away);
  const waiting = await bank.waiting();
  expect(waiting.map(({ resource }) => resource)).toEqual(ids);
  // those that were not asked for can be taken at once
  expect(waiting.filter(({ claimed }) => !claimed)).toHaveLength(3);
  expect(await bank.deposits(holder)).toEqual([]);

  await bank.forgetClaims();
  await Promise.all([bank.sandbox.restart(), bank.events(), bank.poll()]);
  await bank.forgetClaims();
  await bank.events();
  expect(await bank.waiting()).toEqual([]);
  expect(await bank.held(holder, 'XRP')).toBe(127_000_000n);
  await bank.poll();
  expect(await bank.booked(...ids)).toEqual(once(ids));
  expect(bank.alerts).toEqual([]);
});

test('an event that always fails keeps no other from being taken, and is taken once it can be', async () => {
  const holder = await bank.customer();
  const ids = await arrived(holder, '1', '2', '4', '8', '16', '32', '64');
  const [poison = '', ...others] = ids;
  for (const id of ids) await bank.event(id);
  const custodian = failingLookUp(poison);
  await bank.events({ custodian });
  await bank.events({ custodian });
  expect(await bank.waiting()).toEqual([{ resource: poison, claimed: true }]);
  expect(await bank.booked(...others)).toEqual(once(others));
  expect(await bank.held(holder, 'XRP')).toBe(126_000_000n);
  await bank.forgetClaims();
  await bank.events();
  expect(await bank.waiting()).toEqual([]);
  expect(await bank.held(holder, 'XRP')).toBe(127_000_000n);
});

test('a transaction of the list that cannot be read is put aside, and the others are taken', async () => {
  const holder = await bank.customer();
  const [first = '', second = ''] = await arrived(holder, '1', '2');
  const custodian: Reading = {
    ...bank.deps.custodian,
    async *transfersSince(since) {
      for await (const transfer of bank.deps.custodian.transfersSince(since))
        yield transfer.id === first ? { unreadable: 'amountInfo', id: first } : transfer;
    },
  };
  await bank.poll({ custodian });
  await bank.poll({ custodian });
  expect(bank.alerts).toEqual(['custody_transfer_aside']);
  expect(await bank.aside()).toEqual([{ resource: first, fault: 'unreadable_transfer' }]);
  expect(await bank.booked(first, second)).toEqual([[], ['credit']]);
  // somebody has mended it
  await bank.poll();
  expect(await bank.booked(first, second)).toEqual([['credit'], ['credit']]);
});

test('of several workers one asks what has changed, and the next one asks after its time', async () => {
  const { custodian: reading } = bank.deps;
  let asked = 0;
  const custodian: Reading = {
    ...reading,
    transfersSince(since) {
      asked += 1;
      return reading.transfersSince(since);
    },
  };
  const lastAsked = (seconds: number) =>
    bank.books.asOwner('update custody_poll set polled_at = bank_now() - make_interval(secs => $1)', [
      seconds,
    ]);
  await lastAsked(30);
  await Promise.all([1, 2, 3].map(() => bank.poll({ custodian }, 30)));
  expect(asked).toBe(1);
  await lastAsked(20);
  await bank.poll({ custodian }, 30);
  expect(asked).toBe(1);
  await lastAsked(30);
  await bank.poll({ custodian }, 30);
  expect(asked).toBe(2);
});

test('a look says whether the custodian is away, and a deposit that it does not know any more is an alert', async () => {
  const holder = await bank.customer();
  const id = await bank.arrive(holder, 'XRP', '9');
  await bank.poll();
  const deposit = await bank.depositOf(id);
  await bank.blocks('XRP', 1);
  const pending = { status: 'pending', isOpen: true, isNear: false };
  const away = { ...bank.deps, custodian: failingLookUp() };
  expect(await lookAtDeposit(away, deposit)).toEqual({ ...pending, isAway: true });
  const forgetful = {
    ...bank.deps,
    custodian: { ...bank.deps.custodian, getTransfer: () => Promise.resolve(null) },
  };
  expect(await lookAtDeposit(forgetful, deposit)).toEqual({ ...pending, isAway: false });
  expect(bank.alerts).toEqual(['crypto_deposit_unreadable']);
  expect(await lookAtDeposit(bank.deps, deposit)).toMatchObject({ status: 'credited' });
});

test('an event of a transaction that cannot be read, or that the custodian refuses to tell, is put aside', async () => {
  const holder = await bank.customer();
  const [first = '', second = ''] = await arrived(holder, '3', '4');
  for (const id of [first, second]) await bank.event(id);
  const custodian: Reading = {
    ...bank.deps.custodian,
    getTransfer: (id) =>
      id === first
        ? Promise.resolve({ unreadable: 'amountInfo', id })
        : Promise.reject(new CustodianFailure('refused', 'getTransaction: the custodian answered 400')),
  };
  await bank.events({ custodian });
  expect(await bank.waiting()).toEqual([]);
  expect(bank.alerts).toEqual(['custody_transfer_aside', 'custody_transfer_aside']);
  expect(await bank.aside()).toEqual(
    expect.arrayContaining([
      { resource: first, fault: 'unreadable_transfer' },
      { resource: second, fault: 'refused' },
    ]),
  );
  await bank.poll();
  expect(await bank.booked(first, second)).toEqual([['credit'], ['credit']]);
});

test('a process that cannot be told keeps no deposit from being noted', async () => {
  const holder = await bank.customer();
  const [first = '', second = ''] = await arrived(holder, '5', '6');
  await bank.poll({ processes: { ask: () => Promise.reject(new Error('Temporal is away')) } });
  expect(await bank.booked(first, second)).toEqual([[], []]);
  for (const id of [first, second]) await lookAtDeposit(bank.deps, await bank.depositOf(id));
  expect(await bank.booked(first, second)).toEqual([['credit'], ['credit']]);
});

test('blocks that are missing for hours are an alert', async () => {
  const holder = await bank.customer();
  const [id = ''] = await arrived(holder, '7');
  await bank.poll({ processes: { ask: () => Promise.reject(new Error('Temporal is away')) } });
  const transfer = await bank.deps.custodian.getTransfer(id);
  if (transfer === null || 'unreadable' in transfer) throw new Error('the custodian does not know it');
  const deposit = await bank.depositOf(id);
  /** Of a chain that stands still just before the block of the deposit. */
  const look = (confirmations: number, lastUpdated: number) => {
    const told = { ...transfer, confirmations, lastUpdated };
    const height = Number(transfer.block?.height) - 1;
    const custodian = {
      getTransfer: () => Promise.resolve(told),
      chainHeight: () => Promise.resolve(height),
    };
    return lookAtDeposit({ ...bank.deps, custodian }, deposit);
  };
  expect(await look(0, transfer.lastUpdated + 1)).toMatchObject({ status: 'pending', isNear: true });
  expect(bank.alerts).toEqual([]);
  await look(0, transfer.lastUpdated - 7 * 3_600_000);
  expect(bank.alerts).toEqual(['crypto_deposit_late']);
  await look(1, transfer.lastUpdated + 2);
  expect(await bank.booked(id)).toEqual([['credit']]);
});

test('after all of this the books are sound, and the custodian holds what they say', async () => {
  await expectCoinsProved(bank, ['XRP']);
  expect(await row(bank.books.em(), `select 1 from custody_events where status = 'waiting'`)).toBeUndefined();
});
