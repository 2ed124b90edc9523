/** A request to open an account, with the processes around it killed: it is decided once and opens one account. */
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import type { Person } from '../support/bank/bank.ts';
import { openBranch, type Branch } from '../support/stack/branch.ts';
import { insist, newKey, type Answered } from '../support/client.ts';

const Asked = z.looseObject({ id: z.uuid() });
const Listed = z.looseObject({ items: z.array(z.looseObject({ id: z.uuid() })) });

let branch: Branch;
beforeAll(async () => {
  branch = await openBranch();
  await Promise.all([branch.startApi(), branch.startWorker()]);
});
afterAll(() => branch.close());

async function asked(): Promise<{ customer: Person; id: string }> {
  const customer = await branch.bank.customer();
  const [type] = await branch.bank.asOwner(`select id from account_types where code = 'business_eur'`);
  const call = { token: customer.token, key: newKey(), body: { account_type_id: type?.['id'] } };
  const answer = await insist(() => customer.client.call('POST', '/v1/account-requests', call));
  return { customer, id: answer.as(Asked).id };
}

function approve(admin: Person, id: string): Promise<Answered> {
  const call = { token: admin.token, key: newKey(), body: { decision: 'approve' } };
  return insist(() => admin.client.call('POST', `/v1/admin/account-requests/${id}/review`, call));
}

async function accountsOf(customer: Person): Promise<number> {
  const answer = await customer.client.call('GET', '/v1/accounts', { token: customer.token });
  return answer.as(Listed).items.length;
}

test('the worker is killed around an approval: the account is opened once', async () => {
  const { customer, id } = await asked();
  const admin = await branch.bank.admin('accounts:review');
  await branch.killWorker();
  const reviewed = approve(admin, id);
  await sleep(1_000);
  await branch.startWorker();
  expect((await reviewed).body).toMatchObject({ status: 'approved', decided_by: admin.id });
  expect(await accountsOf(customer)).toBe(1);
});

test('the API is killed right after a request was taken, and again under its approval: nothing is lost or doubled', async () => {
  const { customer, id } = await asked();
  await branch.killApi();
  await branch.startApi();
  const admin = await branch.bank.admin('accounts:review');
  const reviewed = approve(admin, id);
  await sleep(30);
  await branch.killApi();
  await branch.startApi();
  expect((await reviewed).body).toMatchObject({ status: 'approved' });
  expect(await accountsOf(customer)).toBe(1);
});
