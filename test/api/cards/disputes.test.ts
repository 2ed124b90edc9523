/** Disputes from end to end: a holder says what was wrong, the bank decides, and the network answers through its simulator. */
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { z } from 'zod';
import { networkKeys } from '../../../adapters/card-network.ts';
import { createStorage } from '../../../adapters/storage.ts';
import { loadConfig } from '../../../config.ts';
import { createDisputes, OutcomeWish, type Disputes } from '../../../dev/cards/disputes.ts';
import type { Fault } from '../../../dev/simulators/faults.ts';
import { openBank, type Bank } from '../../support/bank/bank.ts';
import { call, euro } from '../../support/bank/accounts.ts';
import { decide, newDispute, newFiledDispute, NOT_RECEIVED } from '../../support/bank/card-disputes.ts';
import { newClearing, newClearedPayment, newWallet, signed } from '../../support/bank/card-network.ts';
import { ClearingWish } from '../../../dev/cards/clearing.ts';
import { feedOf } from '../../support/bank/notifications.ts';
import { newKey } from '../../support/client.ts';
import { files } from '../../support/formats/files.ts';
import { until } from '../../support/stack/processes.ts';
import { stack } from '../../support/stack/stack.ts';

let bank: Bank;
let network: Disputes;
const faults: Fault[] = [];
const noted: object[] = [];
beforeAll(() => {
  bank = openBank();
  const config = loadConfig(stack.serviceEnv);
  const [first] = networkKeys(config.CARD_NETWORK_KEYS);
  if (first === undefined) throw new Error('no key');
  const [kid, key] = first;
  const door = `${stack.api}/v1/cards/network/disputes`;
  const control = {
    faultOf: () => faults.shift(),
    note: (_: string, exchange: object) => void noted.push(exchange),
  };
  network = createDisputes({ storage: createStorage(config), config, door, kid, key, control });
});
afterAll(() => bank.close());

const outcome = (id: string, is: 'won' | 'lost') => network.decide(id, OutcomeWish.parse({ outcome: is }));

test('what is accepted is given for now, is told to the network, and stays once it is won', async () => {
  const { wallet, dispute, now } = await newDispute(bank);
  expect(dispute).toMatchObject({
    ...{ status: 'in_review', reason: 'not_received', amount: euro('10.00'), credited: euro('0.00') },
    ...{ last_four: wallet.card.last_four, merchant: { name: 'Corner shop' }, decided_at: null },
  });
  expect((await decide(bank, dispute.id, 'accept')).body).toMatchObject({
    ...{ status: 'filed', credited: euro('10.00'), second_review: null, user_id: wallet.holder.id },
  });
  expect((await wallet.account()).balance).toBe('100.00');
  expect(await outcome(dispute.id, 'won')).toMatchObject({
    claim: { dispute_id: dispute.id, reason: 'not_received', status: 'filed', amount: euro('10.00') },
    answer: { status: 'won' },
  });
  // the network may tell it twice
  expect(await outcome(dispute.id, 'won')).toMatchObject({ answer: { status: 'won' } });
  expect(await now()).toMatchObject({ status: 'won', taken_back: euro('0.00'), due_at: null });
  expect((await wallet.account()).balance).toBe('100.00');
  const { items } = await feedOf(wallet.holder, 2, '?type=dispute_update');
  expect(items.map(({ body }) => body)).toEqual([
    'Your dispute of €10.00 at Corner shop was decided in your favour. The money stays in your account.',
    'Your dispute of €10.00 at Corner shop was accepted. We have put the money into your account for now; it is yours if the card network agrees.',
  ]);
});

test('the entries of credit and reversal name the dispute', async () => {
  const { wallet, dispute } = await newFiledDispute(bank);
  await outcome(dispute.id, 'lost');
  expect((await wallet.account()).balance).toBe('90.00');
  const booked = await bank.asOwner(
    `select t.kind, t.source_type, t.metadata from ledger_transactions t
       join card_dispute_postings p on p.transaction_id = t.id where p.dispute_id = $1 order by t.position`,
    [dispute.id],
  );
  expect(booked).toMatchObject([
    { kind: 'dispute_credit', source_type: 'card_dispute', metadata: { card_dispute: dispute.id } },
    { kind: 'dispute_reversal', source_type: 'card_dispute', metadata: { card_dispute: dispute.id } },
  ]);
});

test('above the threshold two people accept it: the case stays as it is after the first', async () => {
  const wallet = await newWallet(bank, {}, { amount: '2000.00' });
  const payment_id = newKey();
  const billing = euro('600.00');
  await wallet.pay({ payment_id, billing });
  await newClearing().clear(ClearingWish.parse({ records: [{ pan: wallet.pan, payment_id, billing }] }));
  await until(async () => (await wallet.payment(payment_id)).status === 'cleared');
  const { id: payment } = await wallet.payment(payment_id);
  const opened = await call(wallet.holder, 'POST', `/v1/card-payments/${payment}/disputes`, NOT_RECEIVED);
  const { id } = opened.as(z.looseObject({ id: z.uuid() }));
  const [first, second] = [await bank.admin('cards:write'), await bank.admin('cards:write')];
  const path = `/v1/admin/card-disputes/${id}/decide`;
  const accept = { decision: 'accept', reason: 'Looked at' };
  expect((await call(first, 'POST', path, accept)).body).toMatchObject({
    ...{ status: 'in_review', credited: euro('0.00'), second_review: { first_by: first.id } },
  });
  expect(await call(first, 'POST', path, accept)).toMatchObject({
    status: 403,
    body: { code: 'same_person' },
  });
  expect((await wallet.account()).balance).toBe('1400.00');
  expect((await call(second, 'POST', path, accept)).body).toMatchObject({
    ...{ status: 'filed', decided_by: second.id, second_review: null },
  });
  expect(await call(first, 'POST', path, accept)).toMatchObject({
    status: 409,
    body: { code: 'already_decided', decision: 'filed', decided_by: second.id },
  });
  expect((await wallet.account()).balance).toBe('2000.00');
});

test('a refund of the merchant takes the credit back, and the claim is retracted', async () => {
  const { wallet, dispute, payment, now } = await newFiledDispute(bank);
  const record = {
    pan: wallet.pan,
    payment_id: payment['payment_id'],
    kind: 'refund',
    billing: euro('10.00'),
  };
  await newClearing().clear(ClearingWish.parse({ records: [record] }));
  await until(async () => (await now()).status === 'refunded');
  expect(await now()).toMatchObject({ refunded: euro('10.00'), taken_back: euro('10.00') });
  expect((await wallet.account()).balance).toBe('100.00');
  await until(async () => {
    const [row] = await bank.asOwner('select claimed from card_disputes where id = $1', [dispute.id]);
    return row?.['claimed'] === '0';
  });
  await expect(outcome(dispute.id, 'lost')).rejects.toThrow('already_decided');
  expect(await wallet.account()).toEqual({ balance: '100.00', available: '100.00' });
});

test('a holder withdraws, and another person never sees the dispute', async () => {
  const { wallet, dispute } = await newFiledDispute(bank);
  const other = await bank.customer();
  for (const [method, at] of [
    ['GET', ''],
    ['GET', '/attachments'],
    ['POST', '/withdraw'],
  ] as const)
    expect((await call(other, method, `/v1/card-disputes/${dispute.id}${at}`)).status).toBe(404);
  const path = `/v1/card-disputes/${dispute.id}/withdraw`;
  expect((await call(wallet.holder, 'POST', path)).body).toMatchObject({
    ...{ status: 'withdrawn', credited: euro('10.00'), taken_back: euro('10.00') },
  });
  expect((await wallet.account()).balance).toBe('90.00');
  const again = await call(wallet.holder, 'POST', path);
  expect(again).toMatchObject({ status: 409, body: { code: 'already_decided', decision: 'withdrawn' } });
  // who of the bank has decided is not for holders
  expect(again.body).not.toHaveProperty('decided_by');
});

test('what cannot be disputed is refused, with what could be', async () => {
  const { wallet, payment } = await newClearedPayment(bank);
  const path = `/v1/card-payments/${payment.id}/disputes`;
  const wish = (more: object) => call(wallet.holder, 'POST', path, { ...NOT_RECEIVED, ...more });
  expect(await wish({ amount: euro('10.01') })).toMatchObject({
    status: 409,
    body: { code: 'dispute_too_large', remaining: euro('10.00') },
  });
  expect(await wish({ amount: { amount: '1.00', currency: 'USD' } })).toMatchObject({
    status: 400,
    body: { errors: [{ pointer: '/amount/currency' }] },
  });
  expect((await wish({ reason: 'whim' })).status).toBe(400);
  const key = newKey();
  const twice = await Promise.all([1, 2].map(() => call(wallet.holder, 'POST', path, NOT_RECEIVED, { key })));
  const ids = twice.map((answer) => answer.as(z.looseObject({ id: z.uuid() })).id);
  expect(new Set(ids).size).toBe(1);
  expect(await wish({})).toMatchObject({ status: 409, body: { code: 'dispute_open' } });
  const held = await newWallet(bank);
  await held.pay();
  const [waiting] = await held.payments();
  const early = await call(
    held.holder,
    'POST',
    `/v1/card-payments/${waiting?.id ?? ''}/disputes`,
    NOT_RECEIVED,
  );
  expect(early).toMatchObject({ status: 409, body: { code: 'nothing_to_dispute' } });
});

test('evidence is handed in as files, which the back office reads; an ended dispute takes none', async () => {
  const { wallet, dispute } = await newDispute(bank);
  const root = `/v1/card-disputes/${dispute.id}/attachments`;
  const { pdf } = files;
  const file = { file_name: 'receipt.pdf', content_type: 'application/pdf' };
  const attach = () => call(wallet.holder, 'POST', root, { ...file, content_base64: pdf.toString('base64') });
  expect(await attach()).toMatchObject({
    status: 201,
    body: { dispute_id: dispute.id, status: 'confirmed' },
  });
  const admin = await bank.admin('cards:read');
  const listed = await call(admin, 'GET', `/v1/admin/card-disputes/${dispute.id}/attachments`);
  const [seen] = listed.as(z.looseObject({ items: z.array(z.looseObject({ download_url: z.url() })) })).items;
  expect(Buffer.from(await (await fetch(seen?.download_url ?? '')).arrayBuffer())).toEqual(pdf);
  await decide(bank, dispute.id, 'reject');
  expect(await attach()).toMatchObject({ status: 409, body: { code: 'dispute_closed' } });
});

test('an answer of the bank that is lost changes nothing: the same outcome is taken again', async () => {
  const { wallet, dispute, now } = await newFiledDispute(bank);
  faults.push('refuse', 'timeout_after_commit');
  await expect(outcome(dispute.id, 'lost')).rejects.toThrow('not told');
  expect((await now()).status).toBe('filed');
  await expect(outcome(dispute.id, 'lost')).rejects.toThrow('was lost');
  expect(await outcome(dispute.id, 'lost')).toMatchObject({ answer: { status: 'lost' } });
  expect((await wallet.account()).balance).toBe('90.00');
  const about = noted.filter((exchange) => JSON.stringify(exchange).includes(dispute.id));
  expect(about).toHaveLength(3);
});

test('the same outcome twice at once gets the same answer, and is booked and written down once', async () => {
  const { dispute } = await newFiledDispute(bank);
  const { client } = await bank.customer();
  const tell = () =>
    client.call('POST', '/v1/cards/network/disputes', signed({ dispute_id: dispute.id, outcome: 'won' }));
  const answers = await Promise.all(Array.from({ length: 4 }, tell));
  for (const answer of answers) expect(answer).toMatchObject({ status: 200, body: { status: 'won' } });
  const written = await bank.asOwner(
    `select from audit_log where subject_id = $1 and action = 'card_dispute.won'`,
    [dispute.id],
  );
  expect(written).toHaveLength(1);
});

test('only the network decides about what was filed', async () => {
  const { dispute } = await newDispute(bank);
  const door = '/v1/cards/network/disputes';
  const body = { dispute_id: dispute.id, outcome: 'won' };
  const { client } = await bank.customer();
  expect((await client.call('POST', door, { body })).status).toBe(401);
  const answer = await client.call('POST', door, signed(body));
  expect(answer).toMatchObject({ status: 409, body: { code: 'not_filed' } });
  const unknown = await client.call('POST', door, signed({ ...body, dispute_id: newKey() }));
  expect(unknown.status).toBe(404);
});
