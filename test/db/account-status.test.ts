/** An account's status and flags under the same lock as postings: whatever races, what is closed is empty and stays closed. */
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { clearFlag, openFlag, raiseFlag, setAccountStatus } from '../../db/ledger/account-status.ts';
import { post } from '../support/bank/posting.ts';
import { rows } from '../support/stack/sql.ts';
import type { AccountId, UserId } from '../../domain/ids.ts';
import { openBooks, payment, type Books } from '../support/bank/books.ts';
import { ownBank } from '../support/stack/database.ts';
import { withDice } from '../support/property.ts';

const ROUNDS = 100;
const AT_ONCE = 5;

let books: Books;
let customer: UserId;
let [admin, other]: UserId[] = [];
let payer: AccountId;

beforeAll(async () => {
  books = openBooks(await ownBank());
  customer = await books.admin(['aml:review']);
  [admin, other] = [await books.admin(['aml:review']), await books.admin(['aml:review'])];
  payer = await books.account(customer);
  await books.fund(payer, 1_000_000n);
});
afterAll(() => books.close());

const set = async (account: AccountId, wanted: 'open' | 'blocked' | 'closed') => {
  const { before, refusal } = await setAccountStatus.one(books.em(), { account, wanted });
  return refusal ?? before;
};
const raise = async (account: AccountId, freeze: boolean, raiser: UserId | null = admin ?? null) => {
  const flag = { account, raiser, reason: 'many small credits', freeze };
  const raised = await raiseFlag.one(books.em(), flag);
  return raised.refusal ?? raised;
};
const clear = async (account: AccountId, by: UserId | undefined = other) => {
  const clearing = { account, by: by ?? customer, reason: 'invoices were shown' };
  const cleared = await clearFlag.one(books.em(), clearing);
  return cleared.refusal ?? cleared;
};
const credit = async (account: AccountId) => (await post(books.ownerEm(), [payment(payer, account, 1n)]))[0];
const debit = async (account: AccountId) => (await post(books.ownerEm(), [payment(account, payer, 1n)]))[0];
const look = async (account: AccountId) =>
  (await books.asOwner('select status, posted, held, closed_at from accounts where id = $1', [account]))[0];

describe('the status', () => {
  test('blocked takes credits and gives nothing; open gives again', async () => {
    const account = await books.account(customer);
    expect(await set(account, 'blocked')).toBe('open');
    expect(await credit(account)).toBe('posted');
    expect(await debit(account)).toBe('account_blocked');
    expect(await set(account, 'open')).toBe('blocked');
    expect(await debit(account)).toBe('posted');
  });

  test('closes an empty account only, and for ever; a repeat is no fault', async () => {
    const account = await books.account(customer);
    await credit(account);
    expect(await set(account, 'closed')).toBe('account_not_empty');
    await debit(account);
    expect(await set(account, 'closed')).toBe('open');
    expect(await set(account, 'closed')).toBe('closed');
    expect(await set(account, 'open')).toBe('account_closed');
    expect(await raise(account, true)).toBe('account_closed');
    expect(await credit(account)).toBe('account_closed');
  });

  test('of an unknown account, or of one of the bank’s own, is not there', async () => {
    const [house] = await books.asOwner(`select id from accounts where kind = 'house' limit 1`);
    expect(await set(house?.['id'] as AccountId, 'blocked')).toBe('not_found');
    expect(await raise(house?.['id'] as AccountId, true)).toBe('not_found');
  });

  test('cannot be written by the application itself, frozen least of all', async () => {
    for (const status of ['blocked', 'frozen', 'closed'])
      await expect(
        rows(books.em(), 'update accounts set status = $2 where id = $1', [payer, status]),
      ).rejects.toThrow(/permission denied/);
    await expect(rows(books.em(), `select account_set_status($1, 'frozen')`, [payer])).rejects.toThrow(
      /no such status/,
    );
  });
});

describe('a flag', () => {
  test('with freeze lets nothing move until another person clears it', async () => {
    const account = await books.account(customer);
    await set(account, 'blocked');
    expect(await raise(account, true)).toMatchObject({ before: 'blocked' });
    expect([await credit(account), await debit(account)]).toEqual(['account_blocked', 'account_blocked']);
    expect([await set(account, 'open'), await set(account, 'closed')]).toEqual([
      'account_frozen',
      'account_frozen',
    ]);
    expect([await clear(account, admin), await clear(account, customer)]).toEqual([
      'same_person',
      'same_person',
    ]);
    expect(await clear(account)).toMatchObject({ before: 'frozen', after: 'blocked' });
    expect(await look(account)).toMatchObject({ status: 'blocked' });
    expect(await clear(account)).toBe('account_not_flagged');
  });

  test('is raised once; one without freeze is frozen under, and then neither of the two clears it', async () => {
    const account = await books.account(customer);
    await raise(account, false);
    expect(await raise(account, false)).toBe('account_flagged');
    expect(await set(account, 'closed')).toBe('account_flagged');
    expect(await raise(account, true, other)).toMatchObject({ before: 'open' });
    expect(await raise(account, true, other)).toBe('account_flagged');
    expect(await openFlag.first(books.em(), { accountId: account })).toMatchObject({
      raisedBy: admin,
      frozen: true,
      frozenBy: other,
    });
    expect([await clear(account, admin), await clear(account, other)]).toEqual([
      'same_person',
      'same_person',
    ]);
    expect(await clear(account, await books.admin(['aml:review']))).toMatchObject({ after: 'open' });
  });

  test('of a rule may be cleared by anybody but the owner', async () => {
    const account = await books.account(customer);
    await raise(account, false, null);
    expect(await clear(account, customer)).toBe('same_person');
    expect(await clear(account, admin)).toMatchObject({ before: 'open', after: 'open' });
  });

  test.each([
    [
      'rewritten',
      `update account_aml_flags set reason = 'another' where account_id = $1`,
      /cannot be rewritten/,
    ],
    [
      'opened again',
      `update account_aml_flags set cleared_at = null, cleared_by = null, clear_reason = null where account_id = $1`,
      /cannot be rewritten/,
    ],
    ['deleted', 'delete from account_aml_flags where account_id = $1', /append-only/],
  ])('is never %s, by whomever', async (_what, statement, reason) => {
    const account = await books.account(customer);
    await raise(account, false);
    await clear(account);
    await expect(books.asOwner(statement, [account])).rejects.toThrow(reason);
    await expect(rows(books.em(), statement, [account])).rejects.toThrow(/permission denied/);
  });

  test('cleared by who raised it is refused by the database itself', async () => {
    const account = await books.account(customer);
    await raise(account, false);
    await expect(
      books.asOwner(
        `update account_aml_flags set cleared_at = now(), cleared_by = raised_by, clear_reason = 'x' where account_id = $1`,
        [account],
      ),
    ).rejects.toThrow(/four_eyes/);
  });
});

test('freeze, close, unblock and credit at once, a hundred times: closed is empty for ever, frozen is flagged', () =>
  withDice(async ({ shuffled }) => {
    const accounts: AccountId[] = [];
    for (let made = 0; made < ROUNDS; made++) accounts.push(await books.account(customer));
    const closedOnce = new Set<AccountId>();
    // the race is for one account; a few at a time, so that none waits for a connection
    const race = async (account: AccountId): Promise<void> => {
      const acts = shuffled([
        () => set(account, 'closed'),
        () => raise(account, true),
        () => credit(account),
        () => set(account, 'blocked'),
        () => set(account, 'open'),
        () => clear(account),
      ]);
      await Promise.all(acts.map((act) => act()));
      if ((await look(account))?.['status'] === 'closed') closedOnce.add(account);
      await Promise.all([
        set(account, 'open'),
        credit(account),
        set(account, 'closed'),
        raise(account, true),
      ]);
    };
    for (let done = 0; done < ROUNDS; done += AT_ONCE)
      await Promise.all(accounts.slice(done, done + AT_ONCE).map(race));
    const after = await books.asOwner(
      `select id, status, posted, held, closed_at is not null as closed,
            exists (select from account_aml_flags f where f.account_id = a.id and f.cleared_at is null and f.frozen) as frozen
       from accounts a where id = any ($1)`,
      [accounts],
    );
    expect(after).toHaveLength(ROUNDS);
    for (const account of after) {
      if (account['status'] === 'closed')
        expect(account).toMatchObject({ posted: '0', held: '0', closed: true, frozen: false });
      else expect(account).toMatchObject({ closed: false, frozen: account['status'] === 'frozen' });
    }
    expect(after.filter(({ id, status }) => closedOnce.has(id as AccountId) && status !== 'closed')).toEqual(
      [],
    );
    // the race was one: some were closed, some were kept open by a credit or a flag
    expect(new Set(after.map(({ status }) => status)).size).toBeGreaterThan(1);
  }));
