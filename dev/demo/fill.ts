/** Fills a bank with customers and what they do, through the public API only. */
import { z } from 'zod';
import { call, type Client } from '../client/http.ts';
import type { Credentials } from '../client/second-factor.ts';
import { inTheNameOf, newTally, type Bank, type OpenBank, type Tally } from './bank.ts';
import { join } from './join.ts';
import { liveOrdinarily } from './life.ts';
import { hasManyAddresses, loopbackOf, MOST_FROM_ONE_ADDRESS } from './loopback.ts';
import { peopleOf, type Person } from './people.ts';
import { inPool } from './pool.ts';
import { isKnown, setMissingRates, startShift, type Staff } from './staff.ts';
import { openingOf, storyOf } from './stories/all.ts';
import { clockOf, liveAYear } from './year.ts';

/** More at once would only wait for each other on a machine with two cores. */
const AT_ONCE = 6;
const DAY_MS = 86_400_000;

export interface Demo {
  readonly service: Client;
  /** One asks, the other decides; both get their codes by email and hold `STAFF_PERMISSIONS`. */
  readonly admins: readonly [Credentials, Credentials];
  readonly count: number;
  /** Other seeds make other people. */
  readonly seed: number;
  /** The bank's, for payments that are planned for its today. */
  readonly timeZone: string;
  readonly say: (line: string) => void;
}

export interface Filled {
  readonly people: readonly Person[];
  /** How many of them were customers before; nothing was done unless that is none. */
  readonly known: number;
  readonly tally: Tally;
}

/** Makes the customers of a seed and lets them live; where some are there already it does nothing. */
export async function fillBank(demo: Demo): Promise<Filled> {
  const { service, admins, seed, say } = demo;
  const spread = await hasManyAddresses();
  const count = spread ? demo.count : Math.min(demo.count, MOST_FROM_ONE_ADDRESS);
  if (count < demo.count)
    say(`Calls can come from one address only, which may register 30 customers an hour: making ${count}.`);
  const people = peopleOf(seed, count);
  const tally = newTally();
  const staff = await startShift(service, admins);
  const known = (await inPool(people, AT_ONCE, ({ email }) => isKnown(staff, email))).filter(Boolean).length;
  if (known > 0) return { people, known, tally };
  await setMissingRates(staff);
  let ahead = await clockOf(service);
  const today = (): number => Date.now() + (ahead ?? 0);
  const bank: Bank = { staff, tally, types: await typesOf(staff), day: calendar(demo.timeZone, today) };
  say(`Making ${count} customers: registering, opening accounts, paying in …`);
  const joined = progress(count, 'have joined', say);
  const members = await inPool(people, AT_ONCE, async (person) => {
    const client = spread ? { ...service, from: loopbackOf(person.index) } : service;
    const member = await join(bank, client, person, openingOf(person.index));
    joined();
    return member;
  });
  const open = { ...bank, members };
  if (ahead !== undefined) {
    await liveAYear(open, service, say);
    ahead = await clockOf(service);
    // those of a year ago are stale by now
    await setMissingRates(staff);
  }
  await live(open, say);
  return { people, known, tally };
}

async function live(bank: OpenBank, say: Demo['say']): Promise<void> {
  say('They pay, save, convert, plan and write to support …');
  const done = progress(bank.members.length, 'have done what they had to', say);
  await inPool(bank.members, AT_ONCE, async (member) => {
    await inTheNameOf(member.person, 'live an ordinary life', () => liveOrdinarily(bank, member));
    const story = storyOf(member.person.index);
    if (story !== undefined)
      await inTheNameOf(member.person, `play "${story.tells}"`, () => story.play(bank, member));
    done();
  });
}

const Types = z.looseObject({ items: z.array(z.looseObject({ id: z.string(), code: z.string() })) });

async function typesOf({ maker: { client, token } }: Staff): Promise<ReadonlyMap<string, string>> {
  const { items } = await call(client, 'GET', '/v1/account-types?limit=100', Types, { token });
  return new Map(items.map(({ code, id }) => [code, id]));
}

/** ISO 8601 days from the bank's today on, in a time zone. */
function calendar(timeZone: string, today: () => number): Bank['day'] {
  // the Swedish way of writing a day is that of ISO 8601
  const format = new Intl.DateTimeFormat('sv-SE', { timeZone });
  return (ahead) => format.format(today() + ahead * DAY_MS);
}

/** Says every tenth time how many of them there are by now. */
function progress(count: number, what: string, say: Demo['say']): () => void {
  let sofar = 0;
  return () => {
    sofar += 1;
    if (sofar % 10 === 0 || sofar === count) say(`  ${sofar} of ${count} ${what}`);
  };
}
