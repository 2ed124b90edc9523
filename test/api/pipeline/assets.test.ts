/** Answers that name an asset which was added after this process had read the table of assets. */
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { randomBytes } from 'node:crypto';
import { z } from 'zod';
import { forAnybody } from '../../../api/declaration/operation.ts';
import { named } from '../../../api/wire/naming.ts';
import { Holding, listOf, Money } from '../../../api/wire/shapes.ts';
import { openBank, type Bank } from '../../support/bank/bank.ts';
import { serve, type FrameWorld } from '../../support/stack/frame-world.ts';

const freshCode = (): string => `X${randomBytes(4).toString('hex').toUpperCase()}`;

/** What the operations answer, and how often they were carried out. */
let asset = 'EUR';
let calls = 0;

const Held = listOf('TestHeldList', named('TestHeld', z.strictObject({ money: Money, any: Holding })));

const outline = {
  area: 'Test',
  description: 'For tests.',
  status: 200,
  answer: Held,
  refuses: [],
} as const;
const answer = () => {
  calls += 1;
  const money = { minor: 12n, asset };
  return Promise.resolve({ items: [{ money, any: money }], next_cursor: null });
};
const posted = { ...outline, method: 'POST', idempotency: 'none' } as const;
const operations = [
  forAnybody({
    ...outline,
    id: 'held',
    title: 'List',
    method: 'GET',
    path: '/held',
    effect: 'read',
    handle: answer,
  }),
  forAnybody({
    ...posted,
    id: 'writes',
    title: 'Write',
    path: '/writes',
    effect: 'transaction',
    handle: answer,
  }),
  forAnybody({
    ...posted,
    id: 'acts',
    title: 'Act',
    path: '/acts',
    effect: 'own_transactions',
    handle: answer,
  }),
];

let world: FrameWorld;
let bank: Bank;
beforeAll(async () => {
  world = await serve(operations);
  bank = openBank();
});
afterAll(async () => {
  await world.close();
  await bank.close();
});

const add = async (kind: string, scale: number): Promise<string> => {
  const code = freshCode();
  await bank.asOwner('insert into assets (code, scale, kind) values ($1, $2, $3)', [code, scale, kind]);
  return code;
};

test.each([
  ['GET', '/held'],
  ['POST', '/writes'],
] as const)('%s %s: a list with a new asset is answered all the same', async (method, path) => {
  asset = await add('fiat', 5);
  const { status, body } = await world.call(method, path);
  expect(status).toBe(200);
  const money = { amount: '0.00012', currency: asset };
  expect(body).toEqual({ items: [{ money, any: money }], next_cursor: null });
});

test('what is no currency is answered as an asset', async () => {
  asset = await add('crypto', 18);
  const { body } = await world.call('GET', '/held');
  expect(body).toMatchObject({ items: [{ any: { amount: '0.000000000000000012', asset } }] });
});

test('what cannot be made again without harm is carried out once, and answers that it is to be tried later', async () => {
  asset = await add('fiat', 3);
  calls = 0;
  expect((await world.call('POST', '/acts')).body).toMatchObject({ code: 'unavailable' });
  expect(calls).toBe(1);
});

test('an account in a currency that was added a moment ago is listed with its digits', async () => {
  const currency = await add('fiat', 4);
  const code = `a_${currency.toLowerCase()}`;
  await bank.asOwner(
    `insert into account_types (code, name, asset, openable_by) values ($1, 'New', $2, 'customer')`,
    [code, currency],
  );
  const owner = await bank.customer();
  const account = await bank.account(owner, code);
  expect(await bank.look(owner, account)).toMatchObject({ balance: { amount: '0.0000' } });
  const listed = await owner.client.call('GET', '/v1/accounts', { token: owner.token });
  expect(listed.body).toMatchObject({ items: [{ balance: { amount: '0.0000', currency } }] });
});
