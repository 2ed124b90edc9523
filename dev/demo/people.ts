/** Who the customers are, made up from the seed and from nothing else. */
import { fictionalPhone } from '../client/second-factor.ts';
import { diceOf, type Dice } from './dice.ts';
import { ABROAD, GERMANY, type Home, type Name } from './homes.ts';

/** Everybody's, so that a visitor needs to remember one. It is published: the demo is for a service on one's own machine. */
export const PASSWORD = 'tidy kettles hum softly';

/** Where the codes come from; `app` is an authenticator app with text messages beside it, which are preferred. */
export type Factor = 'email' | 'sms' | 'app';

export interface Person {
  readonly index: number;
  readonly seed: number;
  readonly email: string;
  /** Only those who get codes by text message have one. */
  readonly phone: string | null;
  readonly factor: Factor;
  readonly firstName: string;
  readonly lastName: string;
  /** ISO 8601 day. */
  readonly dateOfBirth: string;
  readonly houseNumber: number;
  readonly home: Home;
}

/** So many find a name of their own: a home abroad has sixteen to give, and about one in 22 customers comes from it. */
export const MOST_PEOPLE = 100;

/** The first `count` people of a seed, the same each time. */
export function peopleOf(seed: number, count: number): Person[] {
  const taken = new Set<string>();
  return Array.from({ length: count }, (_, index) => personOf(seed, index, taken));
}

function personOf(seed: number, index: number, taken: Set<string>): Person {
  const dice = diceOf('person', seed, index);
  const isGerman = index % 3 === 0;
  const home = isGerman ? GERMANY : (ABROAD[(index - Math.ceil(index / 3)) % ABROAD.length] ?? GERMANY);
  const { first, last, local } = freeName(dice, home, taken);
  const factor = isGerman ? factorOf(index / 3) : 'email';
  return {
    ...{ index, seed, factor, home, firstName: written(first), lastName: written(last) },
    email: `${local}${seed === 1 ? '' : `.${seed}`}@example.${dice.pick(['com', 'net', 'org'])}`,
    phone: factor === 'email' ? null : fictionalPhone((seed * MOST_PEOPLE + index) % 1_000_000),
    dateOfBirth: `${dice.whole(1948, 2006)}-${twoDigits(dice.whole(1, 12))}-${twoDigits(dice.whole(1, 28))}`,
    houseNumber: dice.whole(1, 90),
  };
}

function factorOf(german: number): Factor {
  const [factor = 'email'] = (['app', 'sms', 'email'] as const).slice(german % 3);
  return factor;
}

function freeName(dice: Dice, { first, last }: Home, taken: Set<string>) {
  for (;;) {
    const name = { first: dice.pick(first), last: dice.pick(last) };
    const local = `${latin(name.first)}.${latin(name.last)}`;
    if (taken.has(local)) continue;
    taken.add(local);
    return { ...name, local };
  }
}

function written(name: Name): string {
  return typeof name === 'string' ? name : name[0];
}

/** Letters that are not a base letter with a mark. */
const LETTERS: Readonly<Record<string, string>> = { ß: 'ss', ł: 'l', đ: 'd', ı: 'i', ø: 'o' };

function latin(name: Name): string {
  if (typeof name !== 'string') return name[1];
  const folded = name.normalize('NFD').replaceAll(/\p{M}/gu, '').toLowerCase();
  return [...folded]
    .map((letter) => LETTERS[letter] ?? letter)
    .join('')
    .replaceAll(/[^a-z]/g, '');
}

function twoDigits(number: number): string {
  return String(number).padStart(2, '0');
}
