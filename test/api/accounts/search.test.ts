/** Searching movements and recipients: what people type finds what they mean, and never what is somebody else's. */
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { z } from 'zod';
import { openBank, type Bank, type Person } from '../../support/bank/bank.ts';
import { pay, transferType } from '../../support/bank/transfers.ts';

const Found = z.object({
  transactions: z.array(
    z.object({ match: z.string(), transaction: z.looseObject({ description: z.string() }) }),
  ),
  recipients: z.array(z.object({ match: z.string(), recipient: z.looseObject({ name: z.string() }) })),
});

let bank: Bank;
let customer: Person;
beforeAll(async () => {
  bank = openBank();
  customer = await bank.customer();
  const from = await bank.fundedAccount(customer, '1000.00');
  const to = await bank.account(await bank.customer());
  for (const description of [
    'Miete März',
    'Straßenbahn',
    '東京電力 料金',
    'Łódź hotel',
    'квартплата Ёлкин',
    'EU tax',
    'Bakery',
  ])
    await bank.transfer(customer, { from: from.id, to: to.id, amount: '1.00', description });
  await pay(customer, {
    type: await transferType(bank, { reach: 'sepa' }),
    from: from.id,
    to: { iban: 'DE89370400440532013000', name: 'Zoë Ångström' },
    amount: '3.00',
    description: 'Gift',
  });
});
afterAll(() => bank.close());

const search = (person: Person, q: string) =>
  person.client.call('GET', '/v1/search', { token: person.token, query: { q } });
const descriptions = async (q: string, person = customer): Promise<string[]> =>
  (await search(person, q)).as(Found).transactions.map(({ transaction }) => transaction.description);

test.each([
  ['another case and no accents', 'MIETE marz', 'Miete März'],
  ['another way to write the same letter', 'strassenbahn', 'Straßenbahn'],
  ['a part of a text without spaces', '電力', '東京電力 料金'],
  ['one sign', '京', '東京電力 料金'],
  ['letters that no accent makes', 'lodz', 'Łódź hotel'],
  ['another script', 'елкин', 'квартплата Ёлкин'],
  ['a word of two letters', 'eu', 'EU tax'],
  ['a beginning', 'stras', 'Straßenbahn'],
  ['a letter too many', 'bakkery', 'Bakery'],
  ['a letter too few', 'bakry', 'Bakery'],
  ['two letters in the wrong order', 'baekry', 'Bakery'],
  ['a wrong letter in a long word', 'Strassenbann', 'Straßenbahn'],
  ['an end', 'kery', 'Bakery'],
  ['the payee', 'zoe angstrom', 'Gift'],
  ['the payee’s IBAN as people write it', 'DE89 3704 0044', 'Gift'],
])('finds by %s', async (_how, q, description) => {
  expect(await descriptions(q)).toEqual([description]);
});

test('what is spelt so comes before what is spelt almost so', async () => {
  const person = await bank.customer();
  const from = await bank.fundedAccount(person, '10.00');
  const to = await bank.account(await bank.customer());
  for (const description of ['Haus', 'Maus', 'Haus', 'Laus'])
    await bank.transfer(person, { from: from.id, to: to.id, amount: '1.00', description });
  const found = (await search(person, 'haus')).as(Found).transactions;
  expect(found.map(({ match, transaction }) => `${match} ${transaction.description}`)).toEqual([
    'exact Haus',
    'exact Haus',
    'similar Laus',
    'similar Maus',
  ]);
});

test('recipients are found by name and number', async () => {
  const names = async (q: string) =>
    (await search(customer, q))
      .as(Found)
      .recipients.map(({ match, recipient }) => `${match} ${recipient.name}`);
  expect(await names('zoe')).toEqual(['exact Zoë Ångström']);
  expect(await names('angstrim')).toEqual(['similar Zoë Ångström']);
  expect(await names('DE8937')).toEqual(['exact Zoë Ångström']);
  expect(await names('nobody')).toEqual([]);
});

test('nobody finds what is not theirs, nor more of a name than is shown', async () => {
  const stranger = await bank.customer();
  expect((await search(stranger, 'bakery')).body).toEqual({ transactions: [], recipients: [] });
  const paid = await bank.account(stranger);
  await bank.asOwner(`update users set first_name = 'Greta', last_name = 'Unsichtbar' where id = $1`, [
    stranger.id,
  ]);
  const payer = await bank.customer();
  const from = await bank.fundedAccount(payer, '10.00');
  await bank.transfer(payer, { from: from.id, to: paid.id, amount: '1.00', description: 'x' });
  expect(await descriptions('greta', payer)).toEqual(['x']);
  expect((await search(payer, 'unsichtbar')).body).toEqual({ transactions: [], recipients: [] });
});

test.each([
  '%',
  '_',
  "' or 1=1 --",
  '\\',
  '*',
  '(((((',
  '🏦',
  '؟',
  '%%%%%%%%%%%',
  '00000000 00000000',
  '\u202e',
  'ß'.repeat(100),
])('what nobody means is harmless: %s', async (q) => {
  expect(await search(customer, q)).toMatchObject({ status: 200 });
});

test.each([
  ['nothing', ''],
  ['spaces', '   '],
  ['NUL', 'a\u0000'],
  ['too much', 'x'.repeat(101)],
])('%s is refused', async (_what, q) => {
  expect(await search(customer, q)).toMatchObject({ status: 400 });
});

test('a page of text is refused before it is read', async () => {
  const answer = await search(customer, 'x'.repeat(1_000_000)).catch(() => ({ status: 431 }));
  expect([400, 414, 431]).toContain(answer.status);
});
