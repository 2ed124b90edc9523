/** The demo makes customers whom a visitor can log in as, with the stories that its guide tells. */
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { z } from 'zod';
import { call } from '../../../dev/client/http.ts';
import { logIn, textMessagesOf } from '../../../dev/client/second-factor.ts';
import { fillBank, type Demo, type Filled } from '../../../dev/demo/fill.ts';
import { PASSWORD, peopleOf } from '../../../dev/demo/people.ts';
import { STAFF_PERMISSIONS } from '../../../dev/demo/staff.ts';
import { openBank, type Bank } from '../../support/bank/bank.ts';
import { admin } from '../../support/bank/people.ts';
import { stack } from '../../support/stack/stack.ts';

const COUNT = 4;
const service = { api: stack.api, inbox: stack.inboxUrl };

let bank: Bank;
let demo: Demo;
let filled: Filled;
beforeAll(async () => {
  bank = openBank();
  const [maker, checker] = [await admin(STAFF_PERMISSIONS), await admin(STAFF_PERMISSIONS)];
  demo = {
    service,
    admins: [
      { identifier: maker.email, password: maker.password },
      { identifier: checker.email, password: checker.password },
    ],
    count: COUNT,
    seed: await freshSeed(),
    timeZone: 'Europe/Berlin',
    say: () => undefined,
  };
  filled = await fillBank(demo);
});
afterAll(() => bank.close());

/** The books are kept for the whole run, so a file that runs again needs other people: the first seed whose people nobody knows. */
async function freshSeed(): Promise<number> {
  for (let seed = 2; ; seed += 1) {
    const emails = peopleOf(seed, COUNT).map(({ email }) => email);
    const known = await bank.asOwner('select from users where email = any ($1)', [emails]);
    if (known.length === 0) return seed;
  }
}

/** What a customer of the demo sees after logging in as the guide says. */
async function see<Item extends z.ZodType>(index: number, path: string, item: Item) {
  const person = filled.people[index];
  if (person === undefined) throw new Error(`the demo made no customer ${String(index)}`);
  const { email: identifier, phone } = person;
  const codesAt = phone === null ? identifier : textMessagesOf(phone);
  const token = await logIn(service, { identifier, password: PASSWORD }, codesAt);
  return (await call(service, 'GET', path, z.looseObject({ items: z.array(item) }), { token })).items;
}

test('the first customer of the demo has a large payment waiting and another one approved', async () => {
  const Transfer = z.object({ status: z.string(), amount: z.object({ amount: z.string() }) });
  const found = await see(0, '/v1/transfers', Transfer);
  const large = found.filter(({ amount }) => Number(amount.amount) > 10_000);
  expect(large.map(({ status }) => status)).toEqual(['pending_approval', 'executed']);
});

test('the second customer of the demo has a new ticket', async () => {
  expect(await see(1, '/v1/tickets', z.object({ status: z.string() }))).toEqual([{ status: 'open' }]);
});

test('the third customer of the demo waits for a business account', async () => {
  const Request = z.object({ status: z.string() });
  expect(await see(2, '/v1/account-requests', Request)).toEqual([{ status: 'pending' }]);
});

test('the demo counts what it made, refusals too, and leaves sound books', async () => {
  expect(Object.fromEntries(filled.tally.counts())).toMatchObject({
    ...{ customers: COUNT, tickets: 1, attachments: 1, 'account requests': 1 },
    ...{ 'payments refused: insufficient_funds': 1, 'payments refused: limit_exceeded': 1 },
  });
  await bank.expectBooksBalanced();
});

test('a second run of the demo finds its customers and makes nothing', async () => {
  const again = await fillBank(demo);
  expect({ known: again.known, counts: again.tally.counts() }).toEqual({ known: COUNT, counts: [] });
  expect(again.people).toEqual(filled.people);
});

test('every customer that a seed can make has an address and, if any, a phone number of their own', () => {
  const people = peopleOf(1, 100);
  const phones = people.flatMap(({ phone }) => phone ?? []);
  expect(new Set(people.map(({ email }) => email)).size).toBe(people.length);
  expect(new Set(phones).size).toBe(phones.length);
});
