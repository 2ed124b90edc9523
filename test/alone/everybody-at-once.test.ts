/** Thirty-two callers move money between ten accounts, twelve calls each, one call in ten being a repeat. */
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { TransferAnswer, type AccountAnswer, type Bank, type Person } from '../support/bank/bank.ts';
import { newKey, patiently } from '../support/client.ts';
import { withDice, type Dice } from '../support/property.ts';
import { openBranch, type Branch } from '../support/stack/branch.ts';

const CALLERS = 32;
const CALLS = 12;

let branch: Branch;
let bank: Bank;
beforeAll(async () => {
  branch = await openBranch();
  await Promise.all([branch.startApi(), branch.startWorker()]);
  ({ bank } = branch);
});
afterAll(() => branch.close());

test('no deadlock reaches a caller, no balance goes under zero, each key is one transfer, the books balance', () =>
  withDice(async (chance) => {
    const owner = await bank.customer();
    const accounts: AccountAnswer[] = [];
    for (let index = 0; index < 10; index++) accounts.push(await bank.fundedAccount(owner, '20.00'));
    const ids = accounts.map(({ id }) => id);
    const transferOfKey = new Map<string, string>();
    const statuses = new Map<string, number>();

    async function call(who: Person, wish: Parameters<Bank['transfer']>[1] & { key: string }): Promise<void> {
      // as the answer asks: if this machine is too busy to say in time, the same key again
      const answer = await patiently(() => bank.transfer(who, wish));
      const code = answer.status === 201 ? 'executed' : String((answer.body as { code?: string }).code);
      statuses.set(code, (statuses.get(code) ?? 0) + 1);
      if (answer.status !== 201) return;
      const { id } = answer.as(TransferAnswer);
      expect(transferOfKey.get(wish.key) ?? id).toBe(id);
      transferOfKey.set(wish.key, id);
    }

    async function caller(): Promise<void> {
      let last: (Parameters<Bank['transfer']>[1] & { key: string }) | undefined;
      for (let made = 0; made < CALLS; made++) {
        const [from, to] = twoOf(chance, ids);
        const repeat = last !== undefined && chance.below(10) === 0;
        last =
          repeat && last !== undefined
            ? last
            : { from, to, amount: `${1 + chance.below(9)}.00`, key: newKey() };
        await call(owner, last);
      }
    }

    await Promise.all(Array.from({ length: CALLERS }, caller));
    expect(
      [...statuses.keys()].filter((code) => code !== 'executed' && code !== 'insufficient_funds'),
    ).toEqual([]);
    expect(statuses.get('executed')).toBeGreaterThan(100);
    const after = await Promise.all(accounts.map((account) => bank.look(owner, account)));
    expect(after.every(({ balance }) => Number(balance.amount) >= 0)).toBe(true);
    expect(after.reduce((sum, { balance }) => sum + Number(balance.amount), 0)).toBe(200);
    const [{ count } = { count: 0 }] = await bank.asOwner(
      `select count(*)::int as count from transfers where customer_id = $1 and kind = 'transfer'`,
      [owner.id],
    );
    expect(count).toBe(new Set(transferOfKey.values()).size);
    await bank.expectBooksBalanced();
  }));

function twoOf({ below }: Dice, ids: readonly string[]): [string, string] {
  const first = below(ids.length);
  const second = (first + 1 + below(ids.length - 1)) % ids.length;
  return [ids[first] ?? '', ids[second] ?? ''];
}
