/** What reviewers do about flags, and what becomes of the payments that they held. */
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { z } from 'zod';
import { openBank, TransferAnswer, type Bank, type Person } from '../../support/bank/bank.ts';
import {
  becomes,
  heldPayment as heldBy,
  openWatch,
  payIn,
  payingPair,
  statusOf,
  type HeldPayment,
  type Pair,
  type Watch,
} from '../../support/bank/watch.ts';
import { newKey, type Answered } from '../../support/client.ts';

let bank: Bank;
let watch: Watch;
let reviewer: Person;
let second: Person;
beforeAll(async () => {
  bank = openBank();
  watch = await openWatch(bank);
  [reviewer, second] = [await bank.admin('aml:review', 'aml:read'), await bank.admin('aml:review')];
});
afterAll(async () => {
  await watch.close();
  await bank.close();
});

const note = 'The invoice was shown to us.';
const Flag = z.looseObject({ id: z.uuid(), status: z.string(), report_id: z.uuid().nullable() });
const post = (person: Person, path: string, body: object): Promise<Answered> =>
  person.client.call('POST', `/v1/admin/${path}`, { token: person.token, key: newKey(), body });
const resolve = (person: Person, flag: string, more: object = {}): Promise<Answered> =>
  post(person, `aml/flags/${flag}/resolve`, { resolution: 'cleared', note, ...more });
const confirm = (person: Person, flag: string, more: object = {}): Promise<Answered> =>
  post(person, `aml/flags/${flag}/confirm`, { note, ...more });
const get = (person: Person, path: string): Promise<Answered> =>
  person.client.call('GET', `/v1/admin/${path}`, { token: person.token });

const heldPayment = (...rules: object[]): Promise<HeldPayment> => heldBy(bank, watch, ...rules);

test('a cleared flag lets the payment go, and of two reviewers at once one learns what the other decided', async () => {
  const held = await heldPayment();
  const [flag = ''] = held.flags;
  const answers = await Promise.all([
    resolve(reviewer, flag),
    resolve(second, flag, { resolution: 'false_positive' }),
  ]);
  expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 409]);
  const [won] = answers.filter(({ status }) => status === 200);
  const [lost] = answers.filter(({ status }) => status === 409);
  expect(lost?.body).toMatchObject({
    code: 'already_decided',
    decision: won?.as(Flag).status,
    decided_by: won === answers[0] ? reviewer.id : second.id,
  });
  await becomes(held, 'executed');
  expect(await bank.look(held.payer, held.from)).toMatchObject({ available: { amount: '49975.00' } });
  await bank.expectBooksBalanced();
});

test('a payment that two flags hold goes on when both are resolved', async () => {
  const held = await heldPayment({}, { severity: 'low' });
  const [one = '', other = ''] = held.flags;
  expect((await resolve(reviewer, one)).status).toBe(200);
  const [row] = await bank.asOwner('select status from transfers where id = $1', [held.id]);
  expect(row).toEqual({ status: 'aml_review' });
  expect((await resolve(reviewer, other)).status).toBe(200);
  await becomes(held, 'executed');
});

test('a flag that two reviewers confirm rejects the payment, freezes the account if wanted, and opens a report', async () => {
  const held = await heldPayment();
  const [flag = ''] = held.flags;
  const first = await confirm(second, flag, { freeze: true });
  expect(first.body).toMatchObject({ status: 'open', resolution: null, report_id: null });
  expect(first.body).toMatchObject({ second_review: { first_by: second.id } });
  expect((await confirm(second, flag)).body).toMatchObject({ status: 403, code: 'same_person' });
  expect(await statusOf(held, held.id)).toBe('pending_approval');
  const confirmed = await confirm(reviewer, flag, { freeze: true });
  expect(confirmed.body).toMatchObject({ status: 'confirmed', resolution: 'confirmed' });
  await becomes(held, 'rejected');
  expect(await bank.look(held.payer, held.from)).toMatchObject({ status: 'blocked' });
  const report = `aml/reports/${confirmed.as(Flag).report_id ?? ''}`;
  const draft = await get(reviewer, report);
  expect(draft.body).toMatchObject({ status: 'draft', flag_id: flag, customer_id: held.payer.id });
  expect(draft.as(z.looseObject({ xml: z.string() })).xml).toContain(`<transactionnumber>${held.id}<`);
  const as = (accept: string) =>
    reviewer.client.call('GET', `/v1/admin/${report}`, {
      token: reviewer.token,
      headers: { Accept: accept },
    });
  const xml = await as('application/xml');
  expect(xml.text).toContain('<foreign_amount>25.00</foreign_amount>');
  const pdf = await as('application/pdf');
  expect(pdf.headers.get('content-disposition')).toContain('.pdf');
  expect(pdf.text).toMatch(/^%PDF-1\.7[^]*%%EOF\s*$/);
  expect((await post(reviewer, `${report}/file`, { reference: 'FIU-1' })).body).toMatchObject({
    ...{ status: 'filed', reference: 'FIU-1', filed_by: reviewer.id },
  });
  expect((await post(second, `${report}/file`, { reference: 'FIU-2' })).body).toMatchObject({
    ...{ status: 409, code: 'already_decided', decision: 'filed', decided_by: reviewer.id },
  });
});

test('a critical flag takes two reviewers who come to the same result', async () => {
  const held = await heldPayment({ severity: 'critical' });
  const [flag = ''] = held.flags;
  const first = await resolve(reviewer, flag);
  expect(first.body).toMatchObject({ status: 'open', second_review: { first_by: reviewer.id } });
  expect((await resolve(reviewer, flag)).body).toMatchObject({ status: 403, code: 'same_person' });
  expect((await resolve(second, flag)).body).toMatchObject({ status: 'cleared', second_review: null });
  await becomes(held, 'executed');
});

test('what one reviewer would confirm another one cannot clear alone', async () => {
  const held = await heldPayment();
  const [flag = ''] = held.flags;
  await confirm(reviewer, flag);
  const disagrees = await resolve(second, flag);
  expect(disagrees.body).toMatchObject({ status: 'open', second_review: { first_by: second.id } });
  expect(await statusOf(held, held.id)).toBe('pending_approval');
  expect((await resolve(reviewer, flag)).body).toMatchObject({ status: 'cleared' });
  await becomes(held, 'executed');
});

test('a suspicion that a person has raised is confirmed by one other', async () => {
  const { to } = await payingPair(bank);
  await post(reviewer, `accounts/${to.id}/aml-flag`, { reason: 'odd credits', freeze: false });
  const [row] = await bank.asOwner('select id from aml_flags where subject_id = $1', [to.id]);
  expect((await confirm(second, String(row?.['id']))).body).toMatchObject({ status: 'confirmed' });
});

test('nobody resolves what they have raised', async () => {
  const { to } = await payingPair(bank);
  await post(reviewer, `accounts/${to.id}/aml-flag`, { reason: 'odd credits', freeze: false });
  const [row] = await bank.asOwner('select id from aml_flags where subject_id = $1', [to.id]);
  const flag = String(row?.['id']);
  expect((await resolve(reviewer, flag)).body).toMatchObject({ status: 403, code: 'same_person' });
  expect((await resolve(second, flag)).body).toMatchObject({ status: 'cleared' });
});

test('a flag of an account is a flag of kind manual, and Clear AML flag on account resolves it', async () => {
  const account = await bank.account(await bank.customer());
  const path = `accounts/${account.id}/aml-flag`;
  expect((await post(reviewer, path, { reason: 'many credits', freeze: true })).status).toBe(201);
  const List = z.object({ items: z.array(Flag), next_cursor: z.string().nullable() });
  const [row] = await bank.asOwner('select owner_id from accounts where id = $1', [account.id]);
  const list = `aml/flags?customer_id=${String(row?.['owner_id'])}`;
  const [flag] = (await get(reviewer, list)).as(List).items;
  expect(flag).toMatchObject({
    kind: 'manual',
    status: 'open',
    subject: { type: 'account', id: account.id },
  });
  expect((await post(second, `${path}/clear`, { reason: 'all is well' })).status).toBe(200);
  expect((await get(reviewer, `aml/flags/${flag?.id ?? ''}`)).body).toMatchObject({
    ...{ status: 'cleared', resolved_by: second.id, note: 'all is well' },
  });
});

test('a payment to a flagged account goes on as soon as Clear AML flag on account resolves the flag', async () => {
  const world = await payingPair(bank);
  const path = `accounts/${world.to.id}/aml-flag`;
  await post(reviewer, path, { reason: 'odd credits', freeze: false });
  const { id } = (await payIn(bank, world, '25.00')).as(TransferAnswer);
  expect(await statusOf(world, id)).toBe('pending_approval');
  expect((await post(second, `${path}/clear`, { reason: 'all is well' })).status).toBe(200);
  await becomes({ ...world, id }, 'executed');
});

test('a suppressed rule lets the customer’s payments pass until its time is over, and still records its hits', async () => {
  const held = await heldPayment();
  const [flag = ''] = held.flags;
  const late = new Date(Date.now() + 91 * 86_400_000).toISOString();
  expect((await resolve(reviewer, flag, { suppress: { until: late } })).status).toBe(400);
  const until = new Date(Date.now() + 86_400_000).toISOString();
  expect((await resolve(reviewer, flag, { suppress: { until } })).status).toBe(200);
  expect((await payIn(bank, held, '26.00')).body).toMatchObject({ status: 'executed' });
  const hits = await bank.asOwner('select outcome, held from aml_hits where rule_id = $1 order by id', [
    held.rules[0],
  ]);
  expect(hits).toEqual([
    { outcome: 'hit', held: true },
    { outcome: 'suppressed', held: false },
  ]);
});

const States = z.looseObject({
  states: z.array(
    z.strictObject({ status: z.string(), since: z.iso.datetime(), until: z.iso.datetime().nullable() }),
  ),
});

test('whoever rejects a held payment and may review its flag is the first of two to confirm it', async () => {
  const held = await heldPayment();
  const path = `aml/flags/${held.flags[0] ?? ''}`;
  const admin = await bank.admin('transfers:review', 'aml:review');
  expect((await post(admin, `transfers/${held.id}/reject`, { reason: 'it is forged' })).status).toBe(200);
  const waits = await get(reviewer, path);
  expect(waits.body).toMatchObject({
    ...{ status: 'in_review', resolution: null, second_review: { first_by: admin.id } },
  });
  expect((await confirm(admin, held.flags[0] ?? '')).body).toMatchObject({ code: 'same_person' });
  const done = await confirm(second, held.flags[0] ?? '');
  expect(done.body).toMatchObject({ status: 'confirmed', resolved_by: second.id });
  expect(done.as(Flag).report_id).not.toBeNull();
  const { states } = done.as(States);
  expect(states.map(({ status }) => status)).toEqual(['open', 'in_review', 'confirmed']);
  expect(states.map(({ until }) => until)).toEqual([states[1]?.since, states[2]?.since, null]);
});

test('who may not review flags rejects a held payment, and the flag waits for those who may', async () => {
  const held = await heldPayment();
  const path = `aml/flags/${held.flags[0] ?? ''}`;
  const admin = await bank.admin('transfers:review');
  expect((await post(admin, `transfers/${held.id}/reject`, { reason: 'it is forged' })).status).toBe(200);
  const waits = await get(reviewer, path);
  expect(waits.body).toMatchObject({ status: 'in_review', resolution: null, second_review: null });
  const Events = z.looseObject({ events: z.array(z.looseObject({ kind: z.string() })) });
  expect(waits.as(Events).events.at(-1)).toMatchObject({
    ...{ kind: 'commented', by: admin.id, note: 'it is forged' },
  });
});

test('what a reviewer wrote is not shown to those who may only read transfers', async () => {
  const held = await heldPayment();
  for (const each of [reviewer, second]) await confirm(each, held.flags[0] ?? '');
  await becomes(held, 'rejected');
  const reader = await bank.admin('transfers:read');
  const seen = await get(reader, `transfers/${held.id}`);
  expect(seen.body).toMatchObject({ status: 'rejected', decision_reason: null });
  expect(seen.text).not.toContain(note);
});

test('a flag is assigned, escalated and commented on, which its history keeps', async () => {
  const { flags } = await heldPayment();
  const path = `aml/flags/${flags[0] ?? ''}`;
  expect((await post(reviewer, `${path}/assign`, { assignee_id: second.id })).body).toMatchObject({
    ...{ status: 'in_review', assignee_id: second.id },
  });
  const stranger = await bank.admin('aml:read');
  expect((await post(reviewer, `${path}/assign`, { assignee_id: stranger.id })).status).toBe(400);
  expect((await post(reviewer, `${path}/escalate`, { note: 'odd' })).body).toMatchObject({
    status: 'escalated',
  });
  expect((await post(reviewer, `${path}/comments`, { text: 'asked the customer' })).status).toBe(201);
  expect((await resolve(second, flags[0] ?? '')).status).toBe(200);
  expect((await post(reviewer, `${path}/escalate`, { note: 'too late' })).status).toBe(409);
  expect((await post(reviewer, `${path}/comments`, { text: 'for the file' })).status).toBe(201);
  const { events } = (await get(reviewer, path)).as(
    z.looseObject({ events: z.array(z.looseObject({ kind: z.string(), note: z.string().nullable() })) }),
  );
  expect(events.map(({ kind }) => kind)).toEqual([
    ...['opened', 'assigned', 'escalated', 'commented', 'resolved', 'commented'],
  ]);
});

test('a count says how many the list has, whatever the filter', async () => {
  const held = await heldPayment({}, { severity: 'low' });
  await post(reviewer, `aml/flags/${held.flags[0] ?? ''}/assign`, { assignee_id: reviewer.id });
  const of = `customer_id=${held.payer.id}`;
  const filters = ['', '&status=open', '&severity=low', '&kind=rule', '&overdue=false', '&overdue=true'];
  const ruleFilter = `&rule_id=${held.rules[0] ?? ''}`;
  for (const more of [
    ...filters,
    ruleFilter,
    `&assignee_id=${reviewer.id}`,
    '&created_from=2026-01-01T00:00:00Z',
  ]) {
    const { items } = (await get(reviewer, `aml/flags?${of}${more}`)).as(
      z.object({ items: z.array(Flag), next_cursor: z.null() }),
    );
    const { count } = (await get(reviewer, `aml/flags/count?${of}${more}`)).as(
      z.looseObject({ count: z.int() }),
    );
    expect({ more, count }).toEqual({ more, count: items.length });
  }
});

/** What an answer says, byte for byte, but for what differs between any two payments. */
const bytes = ({ status, text, headers }: Answered): object => ({
  status,
  headers: [...headers.keys()].toSorted(),
  text: text
    .replaceAll(/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g, '<id>')
    .replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, '<time>')
    .replaceAll(/"(?:number|iban|account_number|destination_account_number)":"[^"]*"/g, '<number>')
    .replaceAll(/DE\d{20}/g, '<iban>'),
});

test('a payment that a flag holds looks to its payer, byte for byte, like one that waits for an approval', async () => {
  const [waiting, flagged] = [await payingPair(bank, '90000.00'), await payingPair(bank, '90000.00')];
  await watch.liveRule(flagged.counterparty, {});
  const shown = async (world: Pair, amount: string): Promise<string[]> => {
    const made = await payIn(bank, world, amount);
    const { id } = made.as(TransferAnswer);
    const look = (path: string) => world.payer.client.call('GET', path, { token: world.payer.token });
    const paths = [`/v1/transfers/${id}`, '/v1/transfers', '/v1/transfers?status=pending_approval'];
    const more = [
      `/v1/accounts/${world.from.id}`,
      '/v1/accounts',
      `/v1/accounts/${world.from.id}/transactions`,
    ];
    const all = [made];
    for (const path of [...paths, ...more]) all.push(await look(path));
    return all.map((answer) =>
      JSON.stringify(bytes(answer))
        .replaceAll(amount, '<amount>')
        .replaceAll(String(90000 - Number(amount)), '<rest>'),
    );
  };
  expect(await shown(flagged, '2345.00')).toEqual(await shown(waiting, '23456.00'));
});
