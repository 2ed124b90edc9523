/** What the parts of the demo share: the bank they fill, its customers, and the count of what was made. */
import type { Client } from '../client/http.ts';
import type { Proof } from '../client/second-factor.ts';
import type { Account } from './answers.ts';
import type { Dice } from './dice.ts';
import type { Person } from './people.ts';
import type { Staff } from './staff.ts';

/** A customer who has joined the bank. */
export interface Member {
  readonly person: Person;
  readonly client: Client;
  readonly token: string;
  /** A current account in euro with money in it. */
  readonly main: Account;
  /** All of them, the main one first. */
  readonly accounts: readonly Account[];
  readonly dice: Dice;
  readonly proof: Proof;
}

export interface Bank {
  readonly staff: Staff;
  /** Ids of the account types by their codes. */
  readonly types: ReadonlyMap<string, string>;
  readonly tally: Tally;
  /** ISO 8601 day so many days from today, by the bank's calendar. */
  day(ahead: number): string;
}

/** A bank whose customers have all joined. */
export interface OpenBank extends Bank {
  readonly members: readonly Member[];
}

/** Counts what was made, in the order in which it was first made. */
export interface Tally {
  add(what: string): void;
  counts(): readonly (readonly [what: string, count: number])[];
}

/** An empty tally. */
export function newTally(): Tally {
  const counts = new Map<string, number>();
  return {
    add: (what) => void counts.set(what, (counts.get(what) ?? 0) + 1),
    counts: () => [...counts],
  };
}

/** Some customer other than this one. */
export function somebodyElse({ members }: OpenBank, { person, dice }: Member): Member {
  return dice.pick(members.filter((member) => member.person.index !== person.index));
}

/** Says whose step it was when it fails. */
export async function inTheNameOf<T>({ email }: Person, step: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new Error(`${email} could not ${step}: ${reason}`, { cause: error });
  }
}
