/** Processes that are killed at the worst moment: what was asked ends, and money moves once. */
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { setTimeout as sleep } from 'node:timers/promises';
import { openBranch, type Branch } from '../support/stack/branch.ts';
import { TransferAnswer, type AccountAnswer, type Person } from '../support/bank/bank.ts';
import { z } from 'zod';
import { openBooks } from '../support/bank/books.ts';
import { deliveriesOf, happen, newEvent, passLeases } from '../support/bank/events.ts';
import { insist, newKey } from '../support/client.ts';
import { until } from '../support/stack/processes.ts';
import { countMailsTo } from '../support/stack/inbox.ts';

let branch: Branch;
beforeAll(async () => {
  branch = await openBranch({ settings: { PROCESS_ANSWER_SECONDS: '1' } });
  await Promise.all([branch.startApi(), branch.startWorker()]);
});
afterAll(async () => {
  await branch.bank.expectBooksBalanced();
  await branch.close();
});

interface Wish {
  readonly from: string;
  readonly to: string;
  readonly amount: string;
  readonly key: string;
}

async function pair(amount: string): Promise<{ customer: Person; from: AccountAnswer; to: AccountAnswer }> {
  const { bank } = branch;
  const customer = await bank.customer();
  return { customer, from: await bank.fundedAccount(customer, amount), to: await bank.account(customer) };
}

const transfer = (customer: Person, wish: Wish) => insist(() => branch.bank.transfer(customer, wish));

test('the worker is killed while forty transfers are under way: each ends executed, each moves its money once', async () => {
  const { customer, from, to } = await pair('100.00');
  const wishes = Array.from({ length: 40 }, () => ({
    from: from.id,
    to: to.id,
    amount: '1.00',
    key: newKey(),
  }));
  const asked = Promise.all(wishes.map((wish) => transfer(customer, wish)));
  await sleep(150);
  await branch.killWorker();
  await sleep(500);
  await branch.startWorker();
  const answers = await asked;
  expect(answers.map(({ body }) => TransferAnswer.parse(body).status)).toEqual(Array(40).fill('executed'));
  expect(await branch.bank.look(customer, to)).toMatchObject({ balance: { amount: '40.00' } });
  expect(await branch.bank.look(customer, from)).toMatchObject({
    balance: { amount: '60.00' },
    held: { amount: '0.00' },
  });
});

test('the worker dies between an administrator’s decision and its execution: the decision is carried out once', async () => {
  const { customer, from, to } = await pair('20000.00');
  const asked = await branch.bank.transfer(customer, { from: from.id, to: to.id, amount: '15000.00' });
  const { id } = asked.as(TransferAnswer);
  const admin = await branch.bank.admin('transfers:review');
  await branch.killWorker();
  const key = newKey();
  const decide = () =>
    insist(() =>
      admin.client.call('POST', `/v1/admin/transfers/${id}/execute`, { token: admin.token, key, body: {} }),
    );
  // nobody carries it out, and the answer says so; it is kept all the same
  expect((await decide()).body).toMatchObject({
    status: 'pending_approval',
    decision: { kind: 'execute', by: admin.id, state: 'accepted' },
  });
  await branch.startWorker();
  await until(async () => (await decide()).as(z.looseObject({ status: z.string() })).status === 'executed');
  expect((await decide()).body).toMatchObject({
    decided_by: admin.id,
    decision: { kind: 'execute', by: admin.id, state: 'done' },
  });
  expect(await branch.bank.look(customer, to)).toMatchObject({ balance: { amount: '15000.00' } });
});

test('fifty calls with one key, API and worker killed between them: one transfer, one movement', async () => {
  const { customer, from, to } = await pair('100.00');
  const wish = { from: from.id, to: to.id, amount: '9.00', key: newKey() };
  const first = Array.from({ length: 25 }, () => transfer(customer, wish));
  await sleep(30);
  await Promise.all([branch.killApi(), branch.killWorker()]);
  await Promise.all([branch.startApi(), branch.startWorker()]);
  const second = Array.from({ length: 25 }, () => transfer(customer, wish));
  const answers = await Promise.all([...first, ...second]);
  expect(new Set(answers.map((answer) => answer.as(TransferAnswer).id)).size).toBe(1);
  expect(await branch.bank.look(customer, to)).toMatchObject({ balance: { amount: '9.00' } });
});

test('the worker is killed while it tells a person of a hundred copies of one event: one row in the app, at most one mail', async () => {
  const books = openBooks({
    url: branch.env['DATABASE_URL'] ?? '',
    ownerUrl: branch.env['DATABASE_OWNER_URL'] ?? '',
  });
  try {
    const [user, eventId] = [await books.user(), newEvent()];
    const copies = () =>
      Promise.all(Array.from({ length: 100 }, () => happen(books.em(), user, { eventId })));
    const begun = until(async () => {
      const found = await books.asOwner(
        `select 1 from notification_deliveries d join notifications n on n.id = d.notification_id
          where n.user_id = $1 and d.channel = 'email' and (d.begun_at is not null or d.status <> 'queued')`,
        [user],
      );
      return found.length > 0;
    });
    const written = await copies();
    await begun;
    await branch.killWorker();
    expect(written.filter(Boolean)).toHaveLength(1);
    // as if its leases were over
    await passLeases(books);
    await branch.startWorker();
    expect((await copies()).filter(Boolean)).toEqual([]);
    await until(async () =>
      Object.values(await deliveriesOf(books, user)).every(({ status }) => status !== 'queued'),
    );
    const { email, in_app: inApp } = await deliveriesOf(books, user);
    expect(inApp).toMatchObject({ status: 'sent' });
    const shown = 'select 1 from notifications where user_id = $1 and shown_at is not null';
    expect(await books.asOwner(shown, [user])).toHaveLength(1);
    const isSent = email?.['status'] === 'sent';
    const mails = await countMailsTo(`${user}@books.test`, isSent ? 1 : 0);
    // what nobody can know is not sent again
    expect(isSent ? [1] : [0, 1]).toContain(mails);
    expect(['sent', 'unknown']).toContain(email?.['status']);
  } finally {
    await books.close();
  }
});
