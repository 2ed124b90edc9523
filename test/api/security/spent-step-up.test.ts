/** A step-up token pays for one request, also where it is spent in the same statement that takes the request's key. */
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { z } from 'zod';
import {
  openBank,
  transferBody,
  type AccountAnswer,
  type Bank,
  type Person,
} from '../../support/bank/bank.ts';
import { newKey, type Answered } from '../../support/client.ts';

let bank: Bank;
let payer: Person;
let from: AccountAnswer;
let to: AccountAnswer;
beforeAll(async () => {
  bank = openBank();
  payer = await bank.customer();
  from = await bank.fundedAccount(payer, '100.00');
  to = await bank.account(payer);
});
afterAll(async () => {
  await bank.expectBooksBalanced();
  await bank.close();
});

const Code = z.looseObject({ code: z.string() });
const saidBy = (answer: Answered): string | number => (answer.status === 201 ? 201 : answer.as(Code).code);
const pay = (stepUp: string, key = newKey()): Promise<Answered> =>
  bank.transfer(payer, { from: from.id, to: to.id, amount: '1.00', key, stepUp });
const proof = (): Promise<string> =>
  payer.stepUp('createTransfer', transferBody({ from: from.id, to: to.id, amount: '1.00' }));
const arrived = async (): Promise<string> => (await bank.look(payer, to)).balance.amount;

test('one token at two payments at once pays for one of them, and the other is made with a fresh one under its own key', async () => {
  const before = Number(await arrived());
  const token = await proof();
  const keys = Array.from({ length: 4 }, newKey);
  const answers = await Promise.all(keys.map((key) => pay(token, key)));
  expect(answers.map(saidBy).map(String).sort()).toEqual([
    '201',
    ...Array<string>(3).fill('step_up_required'),
  ]);
  expect(Number(await arrived())).toBe(before + 1);

  const refused = keys.filter((_key, index) => answers[index]?.status !== 201);
  for (const key of refused) expect((await pay(await proof(), key)).status).toBe(201);
  expect(Number(await arrived())).toBe(before + 4);
});

test('a repeat gets the first answer with the token that paid for it, with another one, and spends neither', async () => {
  const [token, other] = [await proof(), await proof()];
  const key = newKey();
  const first = await pay(token, key);
  expect(first.status).toBe(201);
  for (const repeat of [await pay(token, key), await pay(other, key)])
    expect(repeat.body).toEqual(first.body);
  expect((await pay(other)).status).toBe(201);
  expect(saidBy(await pay(token))).toBe('step_up_required');
});
