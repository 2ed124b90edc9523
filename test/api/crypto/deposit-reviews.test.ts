/** How the back office finds deposits under review, and two administrators give them to a customer. */
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import { call } from '../../support/bank/accounts.ts';
import { openBank, type Bank, type Person } from '../../support/bank/bank.ts';
import { newDepositUnderReview } from '../../support/bank/coins.ts';
import { approvedCall, ChangeAnswer, decideOn } from '../../support/bank/second-person.ts';
import { openWatch } from '../../support/bank/watch.ts';
import { newKey } from '../../support/client.ts';
import { until } from '../../support/until.ts';

let bank: Bank;
let office: Person;
beforeAll(async () => {
  bank = openBank();
  office = await bank.admin('crypto:read', 'crypto:write');
  // somebody has to agree
  await bank.admin('crypto:write');
});
afterAll(() => bank.close());

const DEPOSITS = '/v1/admin/crypto/deposits';
const Found = z.looseObject({
  items: z.array(z.looseObject({ id: z.string(), address: z.string(), tx_hash: z.string() })),
});

const items = async (person: Person, path: string, query: Record<string, string> = {}) =>
  (await call(person, 'GET', path, undefined, { query })).as(Found).items;
const seen = async (id: string) => (await call(office, 'GET', `${DEPOSITS}/${id}`)).body;
const asked = (id: string, body: object) =>
  call(office, 'POST', `${DEPOSITS}/${id}/release`, body, { key: newKey() });
const released = (id: string, body: object) =>
  approvedCall(bank, office, 'POST', `${DEPOSITS}/${id}/release`, { key: newKey(), body });

test('administrators find a deposit by its state, its place and its transaction, with all that is known of it', async () => {
  const id = await newDepositUnderReview(bank);
  expect(await seen(id)).toMatchObject({
    ...{ id, status: 'under_review', fault: 'unknown_address', user_id: null, credited_at: null },
    ...{
      asset: 'BTC',
      network: 'bitcoin',
      memo: null,
      output_index: 0,
      source_address: expect.stringMatching(/^from /),
    },
    ...{ amount: { amount: '0.01500000', asset: 'BTC' }, chain_amount: '0.01500000' },
    ...{ confirmations: 100, required_confirmations: 3, block_hash: 'b1' },
    ...{ custody_status: 'completed', custody_told: 'COMPLETED CONFIRMED' },
  });
  const waiting = { status: 'under_review', fault: 'unknown_address', asset: 'BTC', network: 'bitcoin' };
  const [newest] = await items(office, DEPOSITS, { ...waiting, limit: '1' });
  expect(newest).toBeDefined();
  const found = (await items(office, DEPOSITS, waiting)).find((one) => one.id === id);
  const { address = '', tx_hash = '' } = found ?? {};
  for (const query of [{ address }, { tx_hash }, { address, ...waiting }])
    expect((await items(office, DEPOSITS, query)).map((one) => one.id)).toEqual([id]);
  for (const query of [
    { address: `${address}x` },
    { tx_hash, status: 'credited' },
    { address, fault: 'no_memo' },
  ])
    expect(await items(office, DEPOSITS, query)).toEqual([]);
});

test('two administrators release a deposit to a customer, who sees it, has it and is told', async () => {
  const customer = await bank.customer();
  const id = await newDepositUnderReview(bank);
  const answer = await released(id, { user_id: customer.id, reason: 'The payer has shown it' });
  expect(answer.body).toMatchObject({ id, status: 'credited', user_id: customer.id, fault: null });
  expect(await items(office, DEPOSITS, { user_id: customer.id })).toMatchObject([{ id }]);
  expect(await items(customer, '/v1/crypto/deposits')).toMatchObject([
    { id, status: 'credited', amount: { amount: '0.01500000', asset: 'BTC' } },
  ]);
  const { body } = await call(customer, 'GET', '/v1/crypto/transactions');
  expect(body).toMatchObject({ items: [{ type: 'deposit', deposit_id: id, direction: 'credit' }] });
  const Notices = z.looseObject({ items: z.array(z.looseObject({ type: z.string() })) });
  const told = async () => (await call(customer, 'GET', '/v1/notifications')).as(Notices).items;
  await until(async () => (await told()).some(({ type }) => type === 'crypto_deposit'));
  const audited = await bank.asOwner(
    `select action, reason, before->>'fault' as fault, before->>'user_id' as before, after->>'user_id' as after
       from audit_log where subject_type = 'crypto_deposit' and subject_id = $1`,
    [id],
  );
  expect(audited).toContainEqual({
    ...{ action: 'crypto_deposit.released', reason: 'The payer has shown it', fault: 'unknown_address' },
    ...{ before: null, after: customer.id },
  });
  await bank.expectBooksBalanced();
});

test('one administrator alone releases nothing, and the customer who would have it does not agree', async () => {
  const receiver = await bank.admin('crypto:write');
  const id = await newDepositUnderReview(bank);
  const wish = { user_id: receiver.id, reason: 'A friend' };
  const waits = await asked(id, wish);
  expect(waits.status).toBe(202);
  expect(await seen(id)).toMatchObject({ status: 'under_review', user_id: null });
  const change = waits.as(ChangeAnswer);
  expect(change).toMatchObject({
    ...{ operation: 'releaseCryptoDeposit', resource: `crypto_deposit/${id}` },
    ...{ before: { status: 'under_review' }, after: { status: 'credited', user_id: receiver.id } },
  });
  for (const person of [office, receiver])
    expect((await decideOn(person, change, 'approve')).body).toMatchObject({ code: 'same_person' });
  expect(await seen(id)).toMatchObject({ status: 'under_review' });
  expect((await asked(id, { user_id: office.id, reason: 'Mine' })).body).toMatchObject({
    ...{ status: 403, code: 'same_person' },
  });
});

test('nobody is asked to agree to what cannot be', async () => {
  const id = await newDepositUnderReview(bank);
  const why = { reason: 'The payer has shown it' };
  const at = (code: string) => ({
    ...{ status: 400, body: { code: 'invalid_request', errors: [{ pointer: '/user_id', code }] } },
  });
  expect(await asked(id, why)).toMatchObject(at('required'));
  expect(await asked(id, { ...why, user_id: randomUUID() })).toMatchObject(at('not_found'));
  expect(await asked(randomUUID(), why)).toMatchObject({ status: 404 });
  const customer = await bank.customer();
  await released(id, { ...why, user_id: customer.id });
  expect((await asked(id, { ...why, user_id: customer.id })).body).toMatchObject({
    ...{ status: 409, code: 'crypto_deposit_not_under_review' },
  });
  const frozen = await bank.customer();
  await bank.asOwner(
    `insert into accounts (kind, owner_id, asset, status) values ('coin', $1, 'BTC', 'frozen')`,
    [frozen.id],
  );
  const other = await newDepositUnderReview(bank);
  expect((await asked(other, { ...why, user_id: frozen.id })).body).toMatchObject({
    ...{ status: 409, code: 'account_blocked' },
  });
});

test('a release that waits is stale once the custodian tells of the deposit otherwise', async () => {
  const customer = await bank.customer();
  const id = await newDepositUnderReview(bank);
  const change = (await asked(id, { user_id: customer.id, reason: 'Shown' })).as(ChangeAnswer);
  await bank.asOwner(`update crypto_deposits set fault = 'told_otherwise' where id = $1`, [id]);
  const decided = await decideOn(await bank.admin('crypto:write'), change, 'approve');
  expect(decided.body).toMatchObject({ status: 409, code: 'change_stale' });
  expect(await seen(id)).toMatchObject({ status: 'under_review', user_id: null });
});

test('what the watch holds at a release stays under review as the customer’s, and is not released again', async () => {
  const watch = await openWatch(bank);
  try {
    const customer = await bank.customer();
    const id = await newDepositUnderReview(bank);
    const [row] = await bank.asOwner('select source_address from crypto_deposits where id = $1', [id]);
    await watch.liveRule(String(row?.['source_address']), { applies_to: ['crypto_deposit'] });
    const wish = { user_id: customer.id, reason: 'The payer has shown it' };
    const answer = await released(id, wish);
    expect(answer.body).toMatchObject({ status: 'under_review', user_id: customer.id, fault: 'aml_review' });
    expect((await asked(id, wish)).body).toMatchObject({ status: 409, code: 'crypto_deposit_held' });
    expect(await items(customer, '/v1/crypto/deposits')).toMatchObject([{ id, status: 'under_review' }]);
  } finally {
    await watch.close();
  }
});

test('a release that waits is not carried out once the chain has dropped the deposit', async () => {
  const customer = await bank.customer();
  const id = await newDepositUnderReview(bank);
  const change = (await asked(id, { user_id: customer.id, reason: 'Shown' })).as(ChangeAnswer);
  // the custodian has said so, and nobody has asked it again
  await bank.asOwner(
    `update crypto_deposits set custody_status = 'failed', custody_updated = custody_updated + interval '1 hour' where id = $1`,
    [id],
  );
  const checker = await bank.admin('crypto:write');
  const decided = await decideOn(checker, change, 'approve');
  expect(decided.status).not.toBe(200);
  expect(await items(customer, '/v1/crypto/deposits')).toEqual([]);
  // no process looks for it any more
  await bank.asOwner(`update crypto_deposits set custody_status = 'completed' where id = $1`, [id]);
});
