/** Races that other banks' software has lost: the same thing begun, posted or taken back twice at the same moment. */
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import { openAccount } from '../../../db/ledger/accounts.ts';
import { createPoster, post } from '../../support/bank/posting.ts';
import { carryOut } from '../../../db/ledger/transfers.ts';
import { openOrders, type Given } from '../../support/bank/orders.ts';
import { AccountId, AccountTypeId, TransferId, type UserId } from '../../../domain/ids.ts';
import type { TransferOrder } from '../../../domain/transfers/transfers.ts';
import { openBank, type Bank } from '../../support/bank/bank.ts';
import { ownBank } from '../../support/stack/database.ts';
import { openBooks, count, draft, type Books } from '../../support/bank/books.ts';
import { newKey, patiently } from '../../support/client.ts';
import { approvalRunsOut, by, decideInBooks, reviewer } from '../../support/bank/decisions.ts';
import { inTurn } from '../../support/bank/in-turn.ts';
import { openMover, type Mover } from '../../support/bank/movements.ts';

const ROUNDS = 10;

let books: Books;
let bank: Bank;
let deciders: UserId[];
beforeAll(async () => {
  books = openBooks(await ownBank());
  // the shared bank: one test calls the API
  bank = openBank();
  deciders = [await reviewer(books), await reviewer(books), await reviewer(books)];
});
afterAll(async () => {
  await bank.expectBooksBalanced();
  await bank.close();
  await books.close();
});

test('one account that twenty callers open at once is one account, with one number', async () => {
  const [type] = await books.asOwner(`select id from account_types where code = 'current_eur'`);
  const issuer = { country: 'DE', bankCode: '99990000' } as const;
  for (let round = 0; round < ROUNDS; round++) {
    const owner = await books.user();
    const opening = {
      id: AccountId.parse(randomUUID()),
      owner,
      type: AccountTypeId.parse(type?.['id']),
      nickname: null,
    };
    await Promise.all(Array.from({ length: 20 }, () => openAccount(books.em(), opening, issuer)));
    const found = await books.asOwner('select id from accounts where owner_id = $1', [owner]);
    expect(found).toEqual([{ id: opening.id }]);
  }
});

test('one request to open an account, sent ten times at once, is one account, and all answers name it', async () => {
  const customer = await bank.customer();
  const [type] = await bank.asOwner(`select id from account_types where code = 'current_eur'`);
  const key = newKey();
  const stepUps = await Promise.all(Array.from({ length: 10 }, () => customer.stepUp('openAccount')));
  const body = { account_type_id: type?.['id'] };
  const send = (stepUp: string) =>
    patiently(() =>
      customer.client.call('POST', '/v1/accounts', { token: customer.token, stepUp, key, body }),
    );
  const answers = await Promise.all(stepUps.map(send));
  const opened = await bank.asOwner('select id from accounts where owner_id = $1', [customer.id]);
  expect(opened).toHaveLength(1);
  for (const { status, body: answer } of answers) {
    expect([201, 409]).toContain(status);
    if (status === 201) expect(answer).toMatchObject(opened[0] ?? {});
    else expect(answer).toMatchObject({ code: 'idempotency_in_progress' });
  }
});

test('the same posting twice in one batch, and in the batches of two workers at once, is posted once, and nobody gets an error', async () => {
  const mover = await openMover(books);
  const reference = randomUUID();
  const same = () =>
    draft(
      [
        { account: mover.from, asset: 'EUR', amount: -10n },
        { account: mover.to, asset: 'EUR', amount: 10n },
      ],
      reference,
    );
  const workers = [createPoster(books.ownerEm), createPoster(books.ownerEm)];
  const verdicts = await Promise.all(
    Array.from({ length: 40 }, (_, turn) =>
      (workers[turn % 2] ?? createPoster(books.ownerEm)).submit(same()),
    ),
  );
  expect(count(verdicts)).toEqual({ posted: 1, duplicate: 39 });
  expect((await books.balance(mover.to)).posted).toBe(10n);
});

test('the same posting again under other house accounts, as a repeat with a fresh id has them, is a duplicate', async () => {
  const mover = await openMover(books, 0n);
  const reference = randomUUID();
  const again = async () => {
    const [house] = await books.asOwner(`select house_account('adjustments', 'EUR', $1) as id`, [
      randomUUID(),
    ]);
    const from = AccountId.parse(house?.['id']);
    const entries = [
      { account: from, asset: 'EUR', amount: -10n },
      { account: mover.to, asset: 'EUR', amount: 10n },
    ];
    return (await post(books.ownerEm(), [draft(entries, reference)]))[0] ?? 'not_found';
  };
  const verdicts = await Promise.all(Array.from({ length: 20 }, again));
  expect(count(verdicts)).toEqual({ posted: 1, duplicate: 19 });
  expect((await books.balance(mover.to)).posted).toBe(10n);
});

/** An order of 500 cents of this mover's, taken back. */
function reversalOf(mover: Mover, original: TransferOrder, maker: UserId): TransferOrder {
  return {
    id: TransferId.parse(randomUUID()),
    kind: 'reversal',
    requestedBy: maker,
    customerId: mover.customer,
    source: mover.to,
    destination: mover.from,
    asset: 'EUR',
    amount: original.amount,
    description: '',
    reason: 'booked twice by mistake',
    reversesId: original.id,
    approvalSeconds: 3_600,
  };
}

test('two reversals of one transfer at once, each executed by two administrators at once, book once', async () => {
  const [maker, one, two] = deciders as [UserId, UserId, UserId];
  for (let round = 0; round < ROUNDS; round++) {
    const mover = await openMover(books);
    // a worker each, so that nothing but the database keeps them apart
    const openers = Array.from({ length: 4 }, () => openOrders(books));
    const order = mover.order(500n);
    await openers[0]?.submit(order);
    const asked = openers.map((opener) => ({ opener, wish: reversalOf(mover, order, maker) }));
    const verdicts = await Promise.all(asked.map(({ opener, wish }) => opener.submit(wish)));
    expect(verdicts.filter(({ status }) => status === 'pending_approval')).toHaveLength(1);
    expect(verdicts.filter(({ refusal }) => refusal === 'not_reversible')).toHaveLength(3);
    const won = asked[verdicts.findIndex(({ status }) => status !== null)]?.wish.id ?? order.id;
    const wishes = [by(one, 'execute'), by(two, 'execute'), by(one, 'reject')];
    await approvalRunsOut(books, won);
    const decided = await Promise.all([
      ...wishes.map((wish) => decideInBooks(books, won, wish)),
      carryOut(books.em(), won, { source: 'time' }),
    ]);
    expect(decided.filter(({ changed }) => changed)).toHaveLength(1);
    const posted = await books.asOwner('select id from ledger_transactions where source_id = $1', [won]);
    const isBack = decided.some(({ changed, status }) => changed && status === 'executed');
    expect(posted).toHaveLength(isBack ? 1 : 0);
    expect(await books.balance(mover.from)).toEqual({ posted: isBack ? 10_000n : 9_500n, held: 0n });
    expect(await books.balance(mover.to)).toEqual({ posted: isBack ? 0n : 500n, held: 0n });
  }
});

test('what the payee sends on while it is taken back: either it is held for the reversal or it is gone, never both', async () => {
  const [maker, checker] = deciders as [UserId, UserId];
  type Acts = (() => Promise<Given>)[];
  /** Which of the two was taken. */
  async function taken(together: (account: AccountId, acts: Acts) => Promise<Given[]>): Promise<string> {
    const mover = await openMover(books);
    const openers = [openOrders(books), openOrders(books)] as const;
    const order = mover.order(500n);
    await openers[0].submit(order);
    const reversal = reversalOf(mover, order, maker);
    const onward: TransferOrder = {
      ...mover.order(1n),
      requestedBy: mover.friend,
      customerId: mover.friend,
      source: mover.to,
      destination: mover.from,
    };
    const acts = [() => openers[0].submit(reversal), () => openers[1].submit(onward)];
    const verdicts = await together(mover.to, acts);
    expect(verdicts.map(({ refusal }) => refusal).filter((code) => code !== null)).toEqual([
      'insufficient_funds',
    ]);
    const [back] = await books.asOwner('select status from transfers where id = $1', [reversal.id]);
    if (back !== undefined) await decideInBooks(books, reversal.id, by(checker, 'execute'));
    expect(await books.balance(mover.to)).toEqual({ posted: back === undefined ? 499n : 0n, held: 0n });
    return back === undefined ? 'onward' : 'reversal';
  }
  const inOrder = async (account: AccountId, acts: Acts): Promise<Given[]> =>
    (await inTurn(books, account, acts)).map((end) => {
      if (end.status === 'rejected') throw end.reason;
      return end.value;
    });
  for (let round = 0; round < ROUNDS; round++)
    await taken((_, acts) => Promise.all((round % 2 === 0 ? acts : acts.toReversed()).map((act) => act())));
  // whoever comes first, both ends are right
  expect(await taken(inOrder)).toBe('reversal');
  expect(await taken((account, acts) => inOrder(account, acts.toReversed()))).toBe('onward');
});
