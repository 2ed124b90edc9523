/** What a card payment is after its messages, said once more beside db/functions/card-folds.sql. Amounts are minor units. */

/** A message with its answer. `name` is its stan and rrn. */
export interface Said {
  readonly type: '0100' | '0120' | '0420';
  readonly purpose: 'purchase' | 'cash' | 'increment' | 'completion';
  readonly name: string;
  /** Of a reversal: null for all that is open. */
  readonly amount: number | null;
  /** Of a reversal: the message that it takes back. */
  readonly reverses: string | null;
  /** Of an advice: the network has answered in the place of the bank. */
  readonly stoodIn: boolean;
  /** What was approved; null if it was declined, and of a reversal. */
  readonly approved: number | null;
}

/** A clearing record: what is booked, or given back. */
export interface Cleared {
  readonly type: 'clearing';
  readonly kind: 'purchase' | 'refund';
  readonly amount: number;
  /** No other record will come. */
  readonly isFinal: boolean;
}

/** A message, a clearing record, or the end of the hold. */
export type Happening = Said | Cleared | 'lapse';

const isSaid = (one: Happening): one is Said => one !== 'lapse' && one.type !== 'clearing';
const isCleared = (one: Happening): one is Cleared => one !== 'lapse' && one.type === 'clearing';

/** What the product adds for a sum that is not known yet. */
export interface HoldRule {
  readonly percent: number;
  readonly amount: number;
}

export interface Sums {
  readonly authorised: number;
  readonly reversed: number;
  readonly cleared: number;
  readonly refunded: number;
  readonly lapsed: number;
  readonly held: number;
}

/** What a message has opened, and what of it no reversal has taken back. */
interface Opening {
  readonly at: number;
  readonly purpose: Said['purpose'];
  readonly opened: number;
  readonly rest: number;
}

const total = (numbers: readonly number[]): number => numbers.reduce((one, other) => one + other, 0);

/** A payment after all that has happened, oldest first. When something was cleared does not matter. */
export function cardPaymentAfter(happenings: readonly Happening[], rule: HoldRule): Sums {
  const lapses = happenings.flatMap((happening, at) => (happening === 'lapse' ? [at] : []));
  const records = happenings.filter(isCleared);
  const booked = records.filter(({ kind }) => kind === 'purchase');
  // after the last record nothing more is waited for
  const lapsedUpTo = booked.some(({ isFinal }) => isFinal) ? happenings.length : (lapses.at(-1) ?? -1);
  let openings: Opening[] = [];
  for (const [at, happening] of happenings.entries()) {
    if (!isSaid(happening)) continue;
    if (happening.type !== '0420') {
      const opening = openingOf(happening, at, happenings);
      if (opening !== undefined) openings = [...openings, opening];
    } else if (happening.reverses === null) {
      openings = withoutNewest(openings, counted(openings, lapses), happening.amount ?? Infinity);
    }
  }
  const all = counted(openings, lapses);
  const cleared = total(booked.map(({ amount }) => amount));
  const left = withoutOldest(all, cleared);
  const open = left.filter(({ at }) => at > lapsedUpTo);
  return {
    authorised: total(all.map(({ opened }) => opened)),
    reversed: total(all.map(({ opened, rest }) => opened - rest)),
    cleared,
    refunded: total(records.filter(({ kind }) => kind === 'refund').map(({ amount }) => amount)),
    lapsed: total(left.filter(({ at }) => at < lapsedUpTo).map(({ rest }) => rest)),
    held: total(open.map((opening) => setAside(opening, rule))),
  };
}

/** What a message opens, if it is one that does, without all that reversals take back by its name, now or later. */
function openingOf(said: Said, at: number, happenings: readonly Happening[]): Opening | undefined {
  const { type, purpose, name, amount, approved, stoodIn } = said;
  const messages = happenings.filter(isSaid);
  const isRequest = type === '0100';
  // the network tells of the same request, since it did not get the answer; each advice is one request
  const alike = (one: Happening): one is Said =>
    isSaid(one) && one.name === name && one.purpose === purpose && one.amount === amount;
  const told = messages.filter((one) => alike(one) && one.stoodIn).length;
  const isTold =
    told >
    happenings
      .slice(0, at)
      .filter(alike)
      .filter((one) => one.type === '0100' && one.approved !== null).length;
  if (approved === null || (isRequest && isTold)) return undefined;
  const back = (naming: readonly Happening[]): number =>
    total(
      naming
        .filter(isSaid)
        .filter(({ reverses }) => reverses === name)
        .map((one) => one.amount ?? Infinity),
    );
  const before = back(happenings.slice(0, at));
  const after = back(happenings.slice(at));
  // a name means the request that has it, and before an advice in its place one that was lost
  const isMeant =
    isRequest || !messages.some((one) => one.type === '0100' && one.name === name && one.approved !== null);
  const taken = isMeant ? (stoodIn ? after : before + after) : 0;
  // a request is answered with what was left of it
  const opened = approved + (isRequest ? before : 0);
  const isUndone =
    isMeant &&
    happenings.some(
      (one, place) =>
        isSaid(one) &&
        one.reverses === name &&
        (one.amount ?? Infinity) >= opened &&
        (!stoodIn || place > at),
    );
  // a total that one reversal takes back was never named
  if (purpose === 'completion' && isUndone) return undefined;
  return { at, purpose, opened, rest: Math.max(opened - taken, 0) };
}

/** The last total counts instead of all else, but for what was opened after it had lapsed. */
function counted(openings: readonly Opening[], lapses: readonly number[]): readonly Opening[] {
  const last = openings.findLast(({ purpose }) => purpose === 'completion');
  if (last === undefined) return openings;
  const lapse = lapses.find((at) => at > last.at) ?? Infinity;
  return openings.filter((opening) => opening === last || opening.at > lapse);
}

function withoutNewest(openings: readonly Opening[], from: readonly Opening[], amount: number): Opening[] {
  let left = amount;
  return openings
    .toReversed()
    .map((opening) => {
      if (!from.includes(opening)) return opening;
      const taken = Math.min(opening.rest, left);
      left -= taken;
      return { ...opening, rest: opening.rest - taken };
    })
    .toReversed();
}

/** Clearing closes what was opened first. */
function withoutOldest(openings: readonly Opening[], amount: number): Opening[] {
  let left = amount;
  return openings.map((opening) => {
    const taken = Math.min(opening.rest, left);
    left -= taken;
    return { ...opening, rest: opening.rest - taken };
  });
}

function setAside({ purpose, opened, rest }: Opening, { percent, amount }: HoldRule): number {
  if (rest === 0 || rest < opened || purpose === 'completion') return rest;
  return Math.max(Math.ceil((rest * (100 + percent)) / 100), purpose === 'increment' ? 0 : amount);
}
