/** The first administrator is made with what docker-compose.yml gives the service that the handbook names. */
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT, startProcess } from '../../../dev/service/process.ts';
import { openBooks, type Books } from '../../support/bank/books.ts';
import { environmentOf } from '../../support/compose.ts';
import { ownBank, type Database } from '../../support/stack/database.ts';
import { stack } from '../../support/stack/stack.ts';

let database: Database;
let books: Books;
beforeAll(async () => {
  database = await ownBank();
  books = openBooks(database);
});
afterAll(() => books.close());

/** The command as the handbook writes it: the service, the script, its arguments. */
function documented(): { service: string; script: string; args: string[] } {
  const handbook = readFileSync(join(ROOT, 'docs/operate.md'), 'utf8').replaceAll('\\\n', ' ');
  const [, service = '', script = '', rest = ''] =
    /docker compose run --rm (\S+) node (\S+) (.*)/.exec(handbook) ?? [];
  return { service, script, args: rest.trim().split(/\s+/) };
}

/** As compose gives them: what is only in .env is not set. */
function given(service: string): NodeJS.ProcessEnv {
  const names = Object.entries(environmentOf(service)).filter(([, value]) => value !== null);
  return Object.fromEntries(
    names.map(([name, value]) => [name, name === 'DATABASE_OWNER_URL' ? database.ownerUrl : String(value)]),
  );
}

async function run(args: readonly string[]): Promise<{ outcome: unknown; said: string }> {
  const { service, script } = documented();
  const lines: string[] = [];
  const child = await startProcess(script, given(service), {
    ...{ name: 'first-admin', runFolder: stack.runFolder, args },
    output: { line: (line) => void lines.push(line) },
  });
  return { outcome: await child.ended, said: lines.join('\n') };
}

test('the documented command makes an administrator with all permissions, and shows a password once', async () => {
  const { outcome, said } = await run(documented().args);
  expect({ outcome, said }).toEqual({
    outcome: 0,
    said: expect.stringMatching(/Password, shown once: \S{20}/),
  });
  const [admin] = await books.asOwner(
    `select role, (select count(*)::int from user_permissions p where p.user_id = u.id) as permissions
       from users u where email = 'ann@bank.example'`,
  );
  expect(admin).toMatchObject({ role: 'admin' });
  expect(Number(admin?.['permissions'])).toBeGreaterThan(20);
});

test('a repeat changes nothing and says so', async () => {
  const { outcome, said } = await run(documented().args);
  expect(outcome).toBe(1);
  expect(said).toContain('has a login already');
});
