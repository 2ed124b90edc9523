/** The steps of the model of holds, taken in the books. */
import { expect } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import { AccountId, type UserId } from '../../../domain/ids.ts';
import { ownBank } from '../stack/database.ts';
import { openBooks, type Books } from './books.ts';
import { moveBusinessClock } from './clock.ts';
import { COUNTED_SOURCE, counterOf, readRefusal, usedOf, written } from './counted-source.ts';
import { momentOf, nextEve, PERIODS, rulesOf, usedIn } from './counters-model.ts';
import {
  accountAt,
  amountOf,
  dueIn,
  holdAt,
  leftOf,
  take,
  unarrangedOf,
  type State,
  type Step,
} from './holds-model.ts';
import {
  book,
  captureHold,
  expireDue,
  grantRights,
  holdsAt,
  releaseHold,
  standing,
  suspended,
  lost,
  type Sql,
} from './holds.ts';

/** What an account begins with, in units of its asset. */
const FUNDS = 2_000n;

/** An asset of so many digits. */
async function assetOf(sql: Sql, scale: number): Promise<string> {
  const code = `X${scale}`;
  await sql(`insert into assets (code, scale, kind) values ($1, $2, 'crypto')`, [code, scale]);
  return code;
}

/** An account of any asset, which no type of account of the bank is for. */
async function accountIn(sql: Sql, owner: UserId, asset: string): Promise<AccountId> {
  const [row] = await sql(
    `insert into accounts (kind, owner_id, account_type_id, number, asset)
       select 'customer', $1, (select id from account_types limit 1), next_account_number(), $2 returning id`,
    [owner, asset],
  );
  return AccountId.parse(row?.['id']);
}

/** What is done to a step: it is lost before its commit, by the program or by a connection that is cut, and it is sent once more. */
export interface Fate {
  readonly lost: 'rolled back' | 'cut' | null;
  readonly again: boolean;
}

export interface Run {
  step(step: Step, fate: Fate): Promise<void>;
  /** Every figure of every account and hold is the model's. */
  expectSame(): Promise<void>;
  /** Ends every hold, so that the books can be proven without the source of the tests. */
  finish(): Promise<void>;
}

export interface World {
  readonly books: Books;
  readonly ownerUrl: string;
  readonly customer: UserId;
  /** Codes of assets by their digits. */
  readonly assets: ReadonlyMap<number, string>;
  /** The latest moment of all runs, in milliseconds since 1970: nothing is booked before what has been booked. */
  latest: number;
}

/** A bank of its own in which runs take place, with an asset for each of these numbers of digits. */
export async function openWorld(scales: readonly number[]): Promise<World> {
  const bank = await ownBank();
  const books = openBooks(bank);
  await grantRights(books.asOwner);
  await books.asOwner(COUNTED_SOURCE);
  const assets = new Map<number, string>();
  for (const scale of scales) assets.set(scale, await assetOf(books.asOwner, scale));
  return { books, ownerUrl: bank.ownerUrl, customer: await books.user(), assets, latest: Date.now() };
}

/** Opens an account for each of these numbers of digits, on the eve of a day on which clocks change. */
export async function openRun(world: World, scales: readonly number[]): Promise<Run> {
  const { books, ownerUrl, customer, assets } = world;
  const owner = books.asOwner;
  const begin = nextEve(world.latest);
  const offset = (begin - Date.now()) / 1_000;
  const moveTo = async (hours: number): Promise<void> => {
    world.latest = begin + hours * 3_600_000;
    await moveBusinessClock(books, offset + hours * 3_600);
  };
  await moveTo(0);
  const codes = scales.map((scale) => assets.get(scale) ?? '');
  const ids: AccountId[] = [];
  for (const code of codes) ids.push(await accountIn(owner, customer, code));
  const counters: string[] = [];
  for (const [index, id] of ids.entries()) counters.push(await counterOf(owner, id, codes[index] ?? ''));
  for (const [index, account] of ids.entries()) {
    const minor = FUNDS * 10n ** BigInt(scales[index] ?? 0);
    await book(owner, { account, asset: codes[index] ?? '', minor });
  }
  const holds: string[] = [];
  let state: State = {
    clock: { begin, hours: 0 },
    accounts: scales.map((scale) => ({
      ...{ unit: 10n ** BigInt(scale), posted: FUNDS * 10n ** BigInt(scale), held: 0n, limit: 0n },
      ...{ status: 'open' as const, suspended: 0n, uses: [] },
    })),
    holds: [],
    booked: new Set(),
    opened: new Map(),
  };

  const place = (at: number) => {
    const index = at % ids.length;
    const [account, asset, counter] = [ids[index] as AccountId, codes[index] ?? '', counters[index] ?? ''];
    return { account, asset, counter, of: accountAt(state, at) };
  };
  const until = (step: { readonly due: number | null }): Date | null => {
    const due = dueIn(state, step);
    return due === null ? null : momentOf(state.clock, due);
  };

  /** Carries a step out; `kept` is told the hold that it opened. */
  async function carryOut(
    sql: Sql,
    step: Step,
    source: string,
    kept: (hold: string) => void,
  ): Promise<unknown> {
    if (step.do === 'expire') return expireDue(sql);
    if (step.do === 'wait') return moveTo(state.clock.hours + step.hours).then(() => null);
    if (step.do === 'book') {
      const { account, asset, of } = place(step.at);
      const minor = amountOf(step.share, of);
      const kind = step.must ? 'clearing' : 'plain';
      return book(sql, { account, asset, minor: step.debit ? -minor : minor, kind, source });
    }
    if (step.do === 'open') {
      const { account, asset, counter, of } = place(step.at);
      const [answer] = await sql('select test_pay($1, $2, $3, $4, $5, $6, $7, $8) as refusal', [
        ...[source, account, asset, amountOf(step.share, of).toString(), until(step), step.must, counter],
        written(rulesOf(of.unit)),
      ]);
      const [opened] = await sql(`select id from holds where source_type = 'test' and source_id = $1`, [
        source,
      ]);
      if (opened !== undefined) kept(String(opened['id']));
      return readRefusal(answer?.['refusal']);
    }
    if (step.do === 'set' || step.do === 'limit') return settle(sql, step);
    const one = holdAt(state, step.at);
    const hold = holds.at(-1 - (step.at % Math.max(holds.length, 1)));
    if (one === undefined || hold === undefined) return null;
    if (step.do === 'release') return sql('select test_release($1)', [hold]).then(() => null);
    const { account, asset, of } = place(one.account);
    const minor = amountOf(step.share, of);
    if (step.do === 'capture')
      return captureHold(sql, hold, { account, asset, minor: -minor, kind: step.kind, source }, step.final);
    const [answer] = await sql('select test_change($1, $2, $3, $4) as refusal', [
      ...[hold, minor.toString(), until(step), step.must],
    ]);
    return answer?.['refusal'];
  }

  async function settle(sql: Sql, step: Step & { do: 'set' | 'limit' }): Promise<unknown> {
    const { account, of } = place(step.at);
    if (step.do === 'limit') {
      const limit = amountOf(step.share, of).toString();
      return (await sql('select refusal from account_set_limits($1, $2, null)', [account, limit]))[0]?.[
        'refusal'
      ];
    }
    if (of.status === 'closed' && step.status !== 'closed') return 'account_closed';
    // freezing is a matter of flags, which are tested elsewhere
    if (step.status === 'frozen' || (of.status === 'frozen' && step.status !== 'closed')) {
      await sql('update accounts set status = $2 where id = $1', [account, step.status]);
      return null;
    }
    return (await sql('select refusal from account_set_status($1, $2)', [account, step.status]))[0]?.[
      'refusal'
    ];
  }

  async function once(step: Step, reference: string): Promise<void> {
    const next = structuredClone(state);
    const expected = take(next, step, reference);
    const keep = (hold: string): void => void (holds.includes(hold) || holds.push(hold));
    expect([step, await carryOut(owner, step, reference, keep)]).toEqual([step, expected]);
    state = next;
  }

  return {
    async step(step, fate) {
      const reference = randomUUID();
      // time passes once, whoever loses what
      if (step.do === 'wait') return once(step, reference);
      if (fate.lost !== null) {
        const expected = take(structuredClone(state), step, reference);
        const answer = await lost(
          ownerUrl,
          (sql) => carryOut(sql, step, reference, () => undefined),
          fate.lost === 'cut',
        );
        expect([step, answer]).toEqual([step, expected]);
      }
      await once(step, reference);
      if (fate.again) await once(step, reference);
    },

    async expectSame() {
      for (const [index, account] of state.accounts.entries()) {
        const id = ids[index] as AccountId;
        const unarranged = unarrangedOf(account);
        const { status, posted, held } = account;
        expect(await standing(owner, id)).toEqual({
          status,
          posted,
          held,
          unarranged,
          since: unarranged > 0n,
        });
        const sums = (await suspended(owner, id)).map(({ sum }) => BigInt(String(sum)));
        expect(sums.reduce((sum, one) => sum + one, 0n)).toBe(account.suspended);
        expect(await usedOf(owner, counters[index] ?? '')).toEqual(
          PERIODS.map((period) => ({ period, ...usedIn(period, account.uses, state.clock) })),
        );
      }
      const found = await holdsAt(owner, holds);
      expect(found).toEqual(
        state.holds.map(({ status, amount, captured }) => ({
          status,
          amount,
          captured,
          ended: status !== 'open',
        })),
      );
      const open = state.holds.reduce((sum, one) => sum + leftOf(one), 0n);
      expect(open).toBe(state.accounts.reduce((sum, { held }) => sum + held, 0n));
    },

    async finish() {
      for (const hold of holds) await releaseHold(owner, hold);
    },
  };
}
