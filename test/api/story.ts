/** A story is an operation's happy path, played through the public API; the derived tests start from what it did. */
import type { Bank, Person } from '../support/bank/bank.ts';
import { secondPerson } from '../support/bank/second-person.ts';
import type { Answered, CallOptions, Method } from '../support/client.ts';

/** One call, complete: it could be made again. */
export interface Made extends CallOptions {
  readonly method: Method;
  /** The real path, ids filled in. */
  readonly path: string;
}

export interface Performed {
  /** The call that succeeded. Where the operation takes a key, it carries one. */
  readonly made: Made;
  readonly answer: Answered;
  /** Another body that the operation would take: with the same key it must be refused. Needed where there are key and body. */
  readonly otherBody?: object;
  /** Somebody who may not see what the path names and must get 404; a new customer where it is left out. */
  readonly stranger?: Pick<CallOptions, 'token' | 'stepUp'>;
  /** Makes another thing that takes the same body, and answers the path of the call about it. Needed where a thing takes the call once. */
  readonly another?: () => Promise<string>;
}

/** Told in a bank that all stories share. */
export type Story = (bank: Bank) => Promise<Performed>;

/** Stories by operation id. */
export type Stories = Readonly<Record<string, Story>>;

/** Makes the call as this person, in a bank where somebody else could approve it. */
export async function performBesideAnother(
  bank: Bank,
  person: Person,
  made: Omit<Made, 'token'>,
  more: Pick<Performed, 'otherBody' | 'stranger' | 'another'> = {},
): Promise<Performed> {
  await secondPerson(bank, made.method, made.path);
  return perform(person, made, more);
}

/** Makes the call as this person. */
export async function perform(
  person: Person,
  made: Omit<Made, 'token'>,
  more: Pick<Performed, 'otherBody' | 'stranger' | 'another'> = {},
): Promise<Performed> {
  const complete = { ...made, token: person.token };
  return { made: complete, answer: await person.client.call(made.method, made.path, complete), ...more };
}
