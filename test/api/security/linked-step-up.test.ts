/** Dynamic linking: a payer confirms one payment, and the proof is good for nothing else. */
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { z } from 'zod';
import {
  openBank,
  transferBody,
  type AccountAnswer,
  type Bank,
  type Person,
} from '../../support/bank/bank.ts';
import { transferType } from '../../support/bank/transfers.ts';
import { newKey, type Answered } from '../../support/client.ts';
import { mailboxOf } from '../../support/stack/inbox.ts';

let bank: Bank;
let payer: Person;
let from: AccountAnswer;
let to: AccountAnswer;
let dollars: AccountAnswer;
beforeAll(async () => {
  bank = openBank();
  payer = await bank.customer();
  from = await bank.fundedAccount(payer, '100.00');
  to = await bank.account(payer);
  dollars = await bank.account(payer, 'current_usd');
});
afterAll(async () => {
  await bank.expectBooksBalanced();
  await bank.close();
});

const Approved = z.looseObject({
  challenge_id: z.uuid(),
  approves: z.strictObject({
    amount: z.strictObject({ amount: z.string(), currency: z.string() }),
    target_amount: z.strictObject({ amount: z.string(), currency: z.string() }).nullable(),
    payee: z.string(),
    text: z.string(),
  }),
});
const ask = (request: object, operation = 'createTransfer'): Promise<Answered> =>
  payer.client.call('POST', '/v1/auth/step-up', { token: payer.token, body: { operation, request } });
const send = (body: object, stepUp: string): Promise<Answered> =>
  payer.client.call('POST', '/v1/transfers', { token: payer.token, stepUp, key: newKey(), body });

test('a token for 1.00 does not send 90.00, nor to somebody else', async () => {
  const small = { from: from.id, to: to.id, amount: '1.00' };
  const stepUp = await payer.stepUp('createTransfer', transferBody(small));
  for (const other of [
    { ...small, amount: '90.00' },
    { ...small, to: dollars.id },
    { ...small, description: 'x' },
  ]) {
    const answer = await send(transferBody(other), stepUp);
    expect(answer.body).toMatchObject({ status: 401, code: 'step_up_required', reason: 'other_request' });
  }
  expect((await send(transferBody(small), stepUp)).status).toBe(201);
});

test('a payment that is refused because money is missing can be made with the same proof once it is there', async () => {
  const poor = await bank.account(payer);
  const body = transferBody({ from: poor.id, to: to.id, amount: '5.00' });
  const stepUp = await payer.stepUp('createTransfer', body);
  expect((await send(body, stepUp)).body).toMatchObject({ code: 'insufficient_funds' });
  await bank.fund(poor, '5.00');
  expect((await send(body, stepUp)).status).toBe(201);
  expect((await send(body, stepUp)).body).toMatchObject({ code: 'step_up_required', reason: 'spent' });
});

test('a plan that is refused has not used up its proof', async () => {
  const today = new Date().toLocaleDateString('sv-SE', { timeZone: 'Europe/Berlin' });
  const type = await transferType(bank);
  const strangers = await bank.account(await bank.customer());
  const order = transferBody({ from: from.id, to: strangers.id, amount: '2.00' });
  const body = { ...order, type, starts_on: today, repeat: { unit: 'month' } };
  const stepUp = await payer.stepUp('createScheduledTransfer', body);
  const plan = (): Promise<Answered> =>
    payer.client.call('POST', '/v1/scheduled-transfers', { token: payer.token, stepUp, key: newKey(), body });
  const enable = (enabled: boolean): Promise<unknown> =>
    bank.asOwner('update transfer_types set enabled = $2 where code = $1', [type, enabled]);
  await enable(false);
  expect((await plan()).body).toMatchObject({ code: 'transfer_type_unavailable' });
  await enable(true);
  expect((await plan()).status).toBe(201);
  expect((await plan()).body).toMatchObject({ code: 'step_up_required', reason: 'spent' });
});

test('a converted amount is confirmed by its quote only, and both amounts are told', async () => {
  await bank.asOwner(
    `insert into fx_rates (id, base, quote, rate, spread_bps, valid_from, source) values (uuidv7(), 'EUR', 'USD', 1.0825, 25, now(), 'test')`,
  );
  const wish = { source_account_id: from.id, destination: { account_id: dollars.id }, amount: eur('10.00') };
  expect((await ask(wish)).body).toMatchObject({ status: 400, errors: [{ pointer: '/request/quote_id' }] });
  const quoted = await payer.client.call('POST', '/v1/transfers/quote', { token: payer.token, body: wish });
  const { id, target_amount: target } = quoted.as(
    z.looseObject({
      id: z.uuid(),
      target_amount: z.strictObject({ amount: z.string(), currency: z.string() }),
    }),
  );
  const { approves } = (await ask({ ...wish, quote_id: id })).as(Approved);
  expect(approves).toMatchObject({ amount: eur('10.00'), target_amount: target, payee: dollars.number });
  expect(approves.text).toBe(`10.00 EUR = ${target.amount} USD to ${dollars.number}`);
});

test('a payer who reads German is told so, in the answer and in the message', async () => {
  await bank.asOwner(`update users set locale = 'de' where id = $1`, [payer.id]);
  const iban = 'FR1420041010050500013M02606';
  const wish = {
    source_account_id: from.id,
    destination: { iban, name: 'Hélène Müller' },
    amount: eur('1234.50'),
  };
  const { approves } = (await ask(wish)).as(Approved);
  expect(approves.text).toBe(`1.234,50 EUR an Hélène Müller, ${iban}`);
  const { text } = await mailboxOf(`${payer.id}@bank.test`).saying(`1.234,50 EUR an Hélène Müller, ${iban}`);
  expect(text).toContain('Ihr Code');
});

test('what cannot be paid is refused before anybody is asked to confirm it', async () => {
  const sameTwice = transferBody({ from: from.id, to: from.id, amount: '1.00' });
  expect((await ask(sameTwice)).body).toMatchObject({ code: 'same_account' });
  const strangers = await bank.account(await bank.customer());
  const theirs = transferBody({ from: strangers.id, to: to.id, amount: '1.00' });
  expect((await ask(theirs)).body).toMatchObject({ status: 404, code: 'not_found' });
  const needless = await ask({}, 'openAccount');
  expect(needless.body).toMatchObject({ status: 400, errors: [{ pointer: '/request', code: 'not_linked' }] });
});

function eur(amount: string) {
  return { amount, currency: 'EUR' };
}
