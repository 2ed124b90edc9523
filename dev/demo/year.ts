/** A year in the life of the bank: customers plan and pay, and the clock of the bank is moved forward month by month. */
import { z } from 'zod';
import { answerOf, call, type Client } from '../client/http.ts';
import { inTheNameOf, somebodyElse, type Member, type OpenBank } from './bank.ts';
import { pay, plan } from './payments.ts';
import { inPool } from './pool.ts';

const MONTHS = 12;
/** Twelve of them and five days are a year; standing orders run on their own days in between. */
const MONTH = 'P30D';
const REST = 'P5D';
const AT_ONCE = 6;

const Clock = z.looseObject({ now: z.string() });
const PATH = '/v1/sandbox/clock';

/** How far the bank's clock is ahead of this machine's, in milliseconds; undefined if this bank has none that can be moved. */
export async function clockOf(service: Client): Promise<number | undefined> {
  const { status, body } = await answerOf(service, 'GET', PATH);
  return status === 404 ? undefined : Date.parse(Clock.parse(body).now) - Date.now();
}

/** Lets a year pass. What it costs a customer leaves enough for an ordinary life and a story. */
export async function liveAYear(bank: OpenBank, service: Client, say: (line: string) => void): Promise<void> {
  say('A year passes, month by month …');
  await inPool(bank.members, AT_ONCE, async (member) => {
    if (member.person.index % 3 === 0)
      await inTheNameOf(member.person, 'plan for the year', () => planAYear(bank, member));
  });
  for (let month = 0; month < MONTHS; month += 1) {
    const paying = bank.members.filter(({ person }) => person.index % 6 === month % 6);
    await inPool(paying, AT_ONCE, (member) =>
      inTheNameOf(member.person, 'pay for a coffee', () => payForACoffee(bank, member)),
    );
    await advance(service, MONTH);
    if (month % 3 === 2) say(`  ${String(month + 1)} months have passed`);
  }
  await advance(service, REST);
}

/** On one of two days, so that the clock does not have to stop on every day of a month. */
async function planAYear(bank: OpenBank, member: Member): Promise<void> {
  const { main, dice } = member;
  await plan(bank, member, {
    ...{ from: main, destination: { account_number: somebodyElse(bank, member).main.number } },
    ...{ amount: dice.amount(8, 18), description: dice.pick(['Pocket money', 'Savings club', 'Newspaper']) },
    ...{ startsOn: bank.day(dice.chance(0.5) ? 1 : 15), monthly: true },
  });
}

async function payForACoffee(bank: OpenBank, member: Member): Promise<void> {
  const { main, dice } = member;
  const destination = { email: somebodyElse(bank, member).person.email };
  await pay(bank, member, { from: main, destination, amount: dice.amount(3, 12), description: 'Coffee' });
}

async function advance(service: Client, by: string): Promise<void> {
  await call(service, 'POST', PATH, Clock, { body: { advance: by } });
}
