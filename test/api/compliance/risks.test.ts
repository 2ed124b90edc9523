/** How customers are rated, at the back office: seen with its reasons, overridden by two, and never shown to the customer. */
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { z } from 'zod';
import { UserId } from '../../../domain/ids.ts';
import { call } from '../../support/bank/accounts.ts';
import { openBank, type Bank, type Person } from '../../support/bank/bank.ts';
import {
  applied,
  approved,
  caseOf,
  KYC_FORM,
  refused,
  statusOf,
  submit,
  Submitted,
} from '../../support/bank/kyc.ts';
import { approvedCall, ChangeAnswer, decideOn } from '../../support/bank/second-person.ts';
import { until } from '../../support/until.ts';

let bank: Bank;
let reviewer: Person;
beforeAll(async () => {
  bank = openBank();
  reviewer = await bank.admin('compliance:read', 'compliance:review');
});
afterAll(() => bank.close());

const Rated = z.looseObject({ assessed_at: z.string().nullable() });
const DAY_MS = 86_400_000;
const inDays = (days: number) => new Date(Date.now() + days * DAY_MS).toISOString();
const pathOf = ({ id }: Pick<Person, 'id'>) => `/v1/admin/users/${id}/risk`;
const riskOf = (person: Person) => call(reviewer, 'GET', pathOf(person));
const override = (person: Person, level: string, by = reviewer) =>
  approvedCall(bank, by, 'PUT', `${pathOf(person)}/override`, {
    body: { level, until: inDays(30), reason: 'The turnover is from the sale of a house' },
  });

test('a customer is a low risk once their identity is checked, and only the staff sees it', async () => {
  const applicant = await approved(bank);
  expect((await riskOf(applicant.person)).body).toMatchObject({
    ...{ user_id: applicant.person.id, level: 'low', rated: 'low', points: 0, factors: [], override: null },
    history: [{ level: 'low' }, { level: 'medium', factors: [{ code: 'not_identified' }] }],
  });
  expect(await caseOf(reviewer, applicant)).toMatchObject({ risk: 'low' });
  expect(JSON.stringify(await statusOf(applicant))).not.toMatch(/risk|rated/);
});

test('whoever is a high risk shows where their money comes from, and two people decide', async () => {
  const applicant = await applied(bank, { ...KYC_FORM, tax_residencies: [{ country: 'MM' }] });
  const { required_documents: needed } = z
    .looseObject({ required_documents: z.array(z.looseObject({ document_type: z.string() })) })
    .parse(await statusOf(applicant));
  expect(needed.map(({ document_type: type }) => type)).toContain('source_of_funds');
  expect(await caseOf(reviewer, applicant)).toMatchObject({ risk: 'high', needs_second: true });
  expect((await riskOf(applicant.person)).body).toMatchObject({
    factors: [
      { code: 'high_risk_country', points: 50, evidence: 'MM' },
      { code: 'not_identified', points: 0, evidence: 'submitted' },
    ],
  });
});

test('an override waits for a second administrator, and then counts for what the customer does next', async () => {
  const person = await bank.customer();
  expect((await override(person, 'high')).body).toMatchObject({
    ...{ level: 'high', rated: 'medium', history: [{ level: 'high' }] },
    override: { level: 'high', by: reviewer.id, reason: 'The turnover is from the sale of a house' },
  });
  const { required_documents: needed } = (await submit(person)).as(Submitted);
  expect(needed.map(({ document_type: type }) => type)).toContain('source_of_funds');
  const lifted = await approvedCall(bank, reviewer, 'PUT', `${pathOf(person)}/override`, {
    body: { level: null, reason: 'The sale is over' },
  });
  expect(lifted.body).toMatchObject({ level: 'medium', override: null });
});

test('nobody goes below the law, or rates themselves', async () => {
  const { person } = await applied(bank, { ...KYC_FORM, pep_declared: true });
  expect(await override(person, 'medium')).toMatchObject(refused('below_law'));
  expect((await call(reviewer, 'GET', pathOf(reviewer))).status).toBe(403);
  expect((await call(reviewer, 'GET', pathOf({ id: UserId.parse(randomUUID()) }))).status).toBe(404);
  const customer = await bank.customer();
  expect((await call(customer, 'GET', pathOf(customer))).status).toBe(403);
});

test('what is wrong with an override is said at its field', async () => {
  const person = await bank.customer();
  const reason = 'Looked at again';
  for (const [body, pointer] of [
    [{ level: 'low', reason }, '/until'],
    [{ level: null, until: inDays(1), reason }, '/until'],
    [{ level: 'low', until: inDays(-1), reason }, '/until'],
    [{ level: 'low', until: inDays(400), reason }, '/until'],
    [{ level: 'none', until: inDays(1), reason }, '/level'],
    [{ level: 'low', until: inDays(1) }, '/reason'],
  ] as const)
    expect(await call(reviewer, 'PUT', `${pathOf(person)}/override`, body)).toMatchObject({
      status: 400,
      body: { errors: [{ pointer }] },
    });
});

test('other weights wait for a second administrator, and the law keeps its own', async () => {
  const office = await bank.admin('compliance:read', 'aml:write');
  await bank.admin('aml:write');
  const path = '/v1/admin/compliance/risk-factors';
  const { items } = (await call(office, 'GET', `${path}?limit=100`)).as(
    z.looseObject({ items: z.array(z.looseObject({ code: z.string(), by_law: z.boolean() })) }),
  );
  expect(items.filter(({ by_law: isByLaw }) => isByLaw).map(({ code }) => code)).toEqual([
    ...['high_risk_country', 'politically_exposed'],
  ]);
  const reason = 'Annual review';
  const asked = await call(office, 'PATCH', `${path}/suspicions`, { points: 15, threshold: '2.5', reason });
  expect(asked).toMatchObject({
    status: 202,
    body: { before: { points: 20, threshold: '3' }, after: { points: 15, threshold: '2.5' } },
  });
  const rejecter = await bank.admin('aml:write');
  expect((await decideOn(rejecter, asked.as(ChangeAnswer), 'reject')).status).toBe(200);
  const lax = { enabled: false, reason };
  expect(await call(office, 'PATCH', `${path}/politically_exposed`, lax)).toMatchObject(
    refused('factor_by_law'),
  );
  expect(await call(office, 'PATCH', `${path}/industry`, { threshold: '1', reason })).toMatchObject({
    status: 400,
    body: { errors: [{ pointer: '/threshold', code: 'not_applicable' }] },
  });
  expect((await call(office, 'PATCH', `${path}/nothing`, lax)).status).toBe(404);
});

test('a worker rates whoever opens an account', async () => {
  const person = await bank.customer();
  await bank.fundedAccount(person, '1.00');
  await until(async () => (await riskOf(person)).as(Rated).assessed_at !== null);
});
