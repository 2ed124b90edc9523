/** Every type of notification was caused by what tells of it, in some other test, and sent. Runs after them; alone it fails. */
import { afterAll, expect, test } from '@jest/globals';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import pg from 'pg';
import { stack } from '../support/stack/stack.ts';

/** What needs days to pass, or a bank of its own, with the test that causes it there. */
const ELSEWHERE: Readonly<Record<string, string>> = {
  account_request_expired: 'workflows/account-request.test.ts',
  account_request_rejected: 'workflows/account-request.test.ts',
  account_request_waits: 'workflows/account-request.test.ts',
  aml_flag_due: 'api/aml/reminders.test.ts',
  card_dispute_due: 'adapters/card-disputes.test.ts',
  announcement: 'adapters/announcements.test.ts',
  change_waits: 'workflows/change.test.ts',
  mail_undeliverable: 'adapters/bounces.test.ts',
};
const read = (path: string): string => readFileSync(join(import.meta.dirname, path), 'utf8');
/** Those of the table, which another test compares with the database. */
const types = [
  ...read('../../docs/notifications.md').matchAll(/^\| `(\w+)` +\| [^|]+\| \w+ +\| (?:yes|no) /gm),
].map(([, code = '']) => code);

const banks = stack.ownerUrls.map((url) => new pg.Pool({ connectionString: url, max: 1 }));
afterAll(() => Promise.all(banks.map((owner) => owner.end())));

test('each type has told somebody in the service that the tests called', async () => {
  const answers = await Promise.all(
    banks.map((owner) =>
      owner.query<{ code: string }>(
        `select distinct n.type_code as code from notifications n
           where exists (select from notification_deliveries d where d.notification_id = n.id and d.status = 'sent')`,
      ),
    ),
  );
  const told = new Set(answers.flatMap(({ rows }) => rows.map(({ code }) => code)));
  expect(types.length).toBeGreaterThan(30);
  expect(types.filter((type) => !told.has(type) && ELSEWHERE[type] === undefined)).toEqual([]);
});

test.each(Object.entries(ELSEWHERE))('%s is caused in %s', (type, path) => {
  expect(read(`../${path}`)).toContain(type);
});
