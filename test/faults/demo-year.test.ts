/** The demo of a bank in development lets a year pass, so that its accounts have a past. */
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { fillBank } from '../../dev/demo/fill.ts';
import { seed } from '../../dev/seed/seed.ts';
import { demoAdmins } from '../../dev/seed/demo-users.ts';
import { openBranch, type Branch } from '../support/stack/branch.ts';
import { stack } from '../support/stack/stack.ts';

/** As many as there are stories, so that each of them is played. */
const COUNT = 16;

let branch: Branch;
beforeAll(async () => {
  branch = await openBranch({ settings: { NODE_ENV: 'development' } });
  await seed(branch.env);
  await Promise.all([branch.startApi(), branch.startWorker()]);
});
afterAll(() => branch.close());

test('the demo spreads over a year, month by month, and its books are sound', async () => {
  const service = { api: branch.api, inbox: stack.inboxUrl };
  const demo = { service, admins: demoAdmins, count: COUNT, seed: 77, timeZone: 'Europe/Berlin' } as const;
  const { tally } = await fillBank({ ...demo, say: () => undefined });
  expect(Object.fromEntries(tally.counts())).toMatchObject({ customers: COUNT });
  const [spread] = await branch.bank.asOwner(
    `select count(distinct date_trunc('month', created_at))::int as months, max(created_at) - min(created_at) > interval '360 days' as year,
            count(*) filter (where status in ('failed', 'expired'))::int as unwanted
       from transfers`,
  );
  expect(spread).toMatchObject({ year: true, unwanted: 0 });
  expect(spread?.['months']).toBeGreaterThanOrEqual(12);
  await branch.bank.expectBooksBalanced();
}, 300_000);
