/** A model of accounts that hold money under limits, and what comes of each step: it knows nothing of the database. */
import { passedBy, type ModelClock, type Use } from './counters-model.ts';

/** Shares of a million million, so that amounts fit every asset: what an amount is of depends on the account. */
export const WHOLE = 10n ** 12n;

interface Aim {
  /** Which account or hold, counted from the first. */
  readonly at: number;
  readonly share: bigint;
}
export type Step =
  | ({ readonly do: 'book'; readonly debit: boolean; readonly must: boolean } & Aim)
  | ({ readonly do: 'open'; readonly must: boolean; readonly due: number | null } & Aim)
  | ({ readonly do: 'change'; readonly must: boolean; readonly due: number | null } & Aim)
  | ({ readonly do: 'capture'; readonly kind: 'plain' | 'late' | 'clearing'; readonly final: boolean } & Aim)
  | { readonly do: 'release'; readonly at: number }
  | { readonly do: 'expire' }
  /** So many hours pass. */
  | { readonly do: 'wait'; readonly hours: number }
  | { readonly do: 'set'; readonly at: number; readonly status: 'open' | 'blocked' | 'frozen' | 'closed' }
  | ({ readonly do: 'limit' } & Aim);

export interface Account {
  readonly unit: bigint;
  posted: bigint;
  held: bigint;
  limit: bigint;
  status: 'open' | 'blocked' | 'frozen' | 'closed';
  /** On the bank's suspense accounts in its name. */
  suspended: bigint;
  /** What its limits count. */
  uses: Use[];
}
export interface Hold {
  readonly account: number;
  readonly source: string;
  amount: bigint;
  captured: bigint;
  status: 'open' | 'captured' | 'released' | 'expired';
  /** Hours of the clock, between two whole ones; null is never. */
  due: number | null;
}
export interface State {
  readonly clock: ModelClock;
  readonly accounts: Account[];
  readonly holds: Hold[];
  /** What was booked, by the reference of its step. */
  readonly booked: Set<string>;
  /** What was held, by the reference of its step. */
  readonly opened: Map<string, number>;
}

export const leftOf = (hold: Hold): bigint => (hold.status === 'open' ? hold.amount - hold.captured : 0n);

export function unarrangedOf({ posted, held, limit }: Account): bigint {
  const short = held - posted - limit;
  return short > 0n ? short : 0n;
}

/** From one to six hundred units, or nothing for no share. */
export function amountOf(share: bigint, { unit }: Account): bigint {
  return share === 0n ? 0n : (share * 600n * unit) / WHOLE + 1n;
}

/** What an account that is not overdrawn would say to less. */
function refusalOf(account: Account, less: bigint): string | undefined {
  if (account.status === 'closed') return 'account_closed';
  if (account.status === 'frozen' || (account.status === 'blocked' && less > 0n)) return 'account_blocked';
  if (less > 0n && account.posted - account.held + account.limit < less) return 'insufficient_funds';
  return undefined;
}

function book(account: Account, minor: bigint, must: boolean): string {
  if (must) {
    if (account.status === 'closed' || (account.status === 'frozen' && minor > 0n))
      account.suspended += minor;
    else account.posted += minor;
    return 'posted';
  }
  const refusal = refusalOf(account, -minor);
  if (refusal === undefined) account.posted += minor;
  return refusal ?? 'posted';
}

function hold(account: Account, more: bigint, must: boolean): string | null {
  if (more > 0n && account.status === 'closed') return 'account_closed';
  const refusal = more > 0n && !must ? refusalOf(account, more) : undefined;
  if (refusal === undefined) account.held += more;
  return refusal ?? null;
}

function end(state: State, one: Hold, status: 'released' | 'expired'): void {
  if (one.status !== 'open') return;
  accountAt(state, one.account).held -= leftOf(one);
  one.status = status;
}

export const accountAt = (state: State, at: number): Account =>
  state.accounts[at % state.accounts.length] ?? fail('no account');
export const holdAt = (state: State, at: number): Hold | undefined =>
  state.holds.at(-1 - (at % Math.max(state.holds.length, 1)));

/** Takes a step in the model and tells what the books must answer. Steps of one reference are repeats of the first. */
export function take(state: State, step: Step, reference: string): unknown {
  switch (step.do) {
    case 'book': {
      if (state.booked.has(reference)) return 'duplicate';
      const account = accountAt(state, step.at);
      const minor = amountOf(step.share, account);
      const verdict = book(account, step.debit ? -minor : minor, step.must);
      if (verdict === 'posted') state.booked.add(reference);
      return verdict;
    }
    case 'open':
      return open(state, step, reference);
    case 'change':
      return change(state, step);
    case 'capture':
      return capture(state, step, reference);
    case 'release': {
      const one = holdAt(state, step.at);
      if (one === undefined) return null;
      end(state, one, 'released');
      use(state, one, 0n);
      return null;
    }
    case 'wait':
      state.clock.hours += step.hours;
      return null;
    case 'expire': {
      const over = state.holds.filter(
        ({ status, due }) => status === 'open' && due !== null && due <= state.clock.hours,
      );
      for (const one of over) end(state, one, 'expired');
      return over.length;
    }
    case 'set':
      return set(state, step);
    case 'limit': {
      const account = accountAt(state, step.at);
      if (account.status === 'closed') return 'account_closed';
      const limit = amountOf(step.share, account);
      if (unarrangedOf({ ...account, limit }) > unarrangedOf(account)) return 'overdraft_in_use';
      account.limit = limit;
      return null;
    }
  }
}

function open(state: State, step: Step & { do: 'open' }, reference: string): unknown {
  if (state.opened.has(reference)) return null;
  const account = accountAt(state, step.at);
  const amount = amountOf(step.share, account);
  const passed = step.must ? null : passedBy(amount, account.uses, account.unit, state.clock);
  if (passed !== null) return passed;
  const refusal = hold(account, amount, step.must);
  if (refusal === null) {
    state.opened.set(reference, state.holds.length);
    const at = step.at % state.accounts.length;
    const due = dueIn(state, step);
    state.holds.push({ account: at, source: reference, amount, captured: 0n, status: 'open', due });
    account.uses.push({ source: reference, hours: state.clock.hours, amount });
  }
  return refusal;
}

/** Half an hour after or before a whole one, so that no step is near it. */
export const dueIn = ({ clock }: State, { due }: { readonly due: number | null }): number | null =>
  due === null ? null : clock.hours + due + 0.5;

/** From now on a hold's source has used so much, at the time when it was counted; nothing if all was given back before. */
function use(state: State, one: Hold, amount: bigint): void {
  const account = accountAt(state, one.account);
  const counted = account.uses.find(({ source }) => source === one.source);
  if (counted !== undefined) counted.amount = amount;
  account.uses = account.uses.filter((each) => each.amount > 0n);
}

function change(state: State, step: Step & { do: 'change' }): string | null {
  const one = holdAt(state, step.at);
  if (one === undefined) return null;
  if (one.status === 'captured') return 'hold_captured';
  const account = accountAt(state, one.account);
  const wanted = amountOf(step.share, account);
  const refusal = wanted === 0n ? null : hold(account, wanted - leftOf(one), step.must);
  if (refusal !== null) return refusal;
  if (wanted === 0n) end(state, one, 'released');
  else Object.assign(one, { status: 'open', amount: one.captured + wanted, due: dueIn(state, step) });
  use(state, one, wanted);
  return null;
}

function capture(state: State, step: Step & { do: 'capture' }, reference: string): string | null {
  const one = holdAt(state, step.at);
  if (one === undefined) return null;
  if (state.booked.has(reference)) return 'duplicate';
  const account = accountAt(state, one.account);
  const [debit, left, must] = [amountOf(step.share, account), leftOf(one), step.kind === 'clearing'];
  const taken = debit < left ? debit : left;
  if (debit > taken && step.kind === 'plain') return 'hold_exceeded';
  const freed = step.final ? left : taken;
  const verdict = book({ ...account, held: account.held - freed }, -debit, must);
  if (verdict !== 'posted') return verdict;
  account.held -= freed;
  book(account, -debit, must);
  state.booked.add(reference);
  if (one.status === 'open')
    Object.assign(one, { captured: one.captured + taken, status: step.final ? 'captured' : 'open' });
  return verdict;
}

function set(state: State, { at, status }: Step & { do: 'set' }): string | null {
  const account = accountAt(state, at);
  if (account.status === status) return null;
  if (account.status === 'closed') return 'account_closed';
  if (account.status === 'frozen' && status === 'closed') return 'account_frozen';
  const holds = state.holds.some((one) => one.status === 'open' && accountAt(state, one.account) === account);
  if (status === 'closed' && (account.posted !== 0n || account.held !== 0n || holds))
    return 'account_not_empty';
  account.status = status;
  return null;
}

function fail(why: string): never {
  throw new Error(why);
}
