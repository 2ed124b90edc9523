/**
 * `npm run admin:create -- --email ann@bank.example --first-name Ann --last-name Smith --permissions users:read,users:write`
 * Makes an administrator; `--permissions all` grants every action there is now. A password is made and shown once, or read
 * from the standard input with `--password-stdin`. Logins of the new admin need a code by email from the start.
 */
import { randomBytes } from 'node:crypto';
import { text } from 'node:stream/consumers';
import { parseArgs } from 'node:util';
import { loadOwnerUrl } from '../../config.ts';
import { openOrm } from '../../db/orm.ts';
import { normaliseEmail } from '../../domain/identity/contact.ts';
import { isRefusal, refuse } from '../../domain/refusals.ts';
import { permissionCatalogue } from '../derived/permissions.ts';
import { createAdmin } from '../../services/identity/people/admins.ts';
import { refuseWeak } from '../../services/identity/passwords/password-policy.ts';
import { createPasswords } from '../../services/identity/passwords/passwords.ts';
import { operations } from '../operations.ts';
import { transaction } from '../../db/transaction.ts';
import { runCommand } from './command.ts';

/** 120 bits: nobody is meant to remember it. */
const PASSWORD_BYTES = 15;

/** The command cannot be carried out as it was given; the message is for the operator. */
class UsageError extends Error {
  override readonly name = 'UsageError';
}

async function main(): Promise<void> {
  const options = readOptions();
  const { email, firstName, lastName, permissions } = options;
  const password = options.fromStdin
    ? (await text(process.stdin)).replace(/\r?\n$/, '')
    : randomBytes(PASSWORD_BYTES).toString('base64url');
  refuseWeak(
    { refusal: refuse },
    password,
    { email, firstName, lastName, phone: null, dateOfBirth: null },
    '/password',
  );
  // rights are given by the owner of the tables: the application's own role can give none of its own accord
  const orm = openOrm({ DATABASE_URL: loadOwnerUrl(), DATABASE_POOL_MAX: 1 });
  try {
    const passwordHash = await createPasswords().hash(password);
    const admin = { email, firstName, lastName, permissions, passwordHash, locale: 'en', emailOtp: true };
    const id = await transaction(orm.em.fork(), (em) => createAdmin(em, admin));
    if (id === null) throw new UsageError(`--email: ${email} has a login already; nothing was changed`);
    process.stdout.write(`Made the admin ${email} (${id}) with: ${permissions.join(', ')}\n`);
    if (!options.fromStdin) process.stdout.write(`Password, shown once: ${password}\n`);
  } finally {
    await orm.close(true);
  }
}

function readOptions() {
  const { values } = parseArgs({
    options: {
      email: { type: 'string' },
      'first-name': { type: 'string' },
      'last-name': { type: 'string' },
      permissions: { type: 'string' },
      'password-stdin': { type: 'boolean', default: false },
    },
  });
  const email = normaliseEmail(values.email ?? '');
  if (email === undefined) throw new UsageError('--email: give an email address');
  const { 'first-name': firstName, 'last-name': lastName } = values;
  if (!firstName || !lastName) throw new UsageError('--first-name and --last-name: give both');
  const known = permissionCatalogue(operations).map(({ action }) => action);
  const wished = values.permissions === 'all' ? known : (values.permissions?.split(',') ?? []);
  const unknown = wished.filter((action) => !known.some((other) => other === action));
  if (wished.length === 0 || unknown.length > 0)
    throw new UsageError(`--permissions: ${unknown.join(', ') || 'none'}; known are ${known.join(', ')}`);
  return { email, firstName, lastName, permissions: wished, fromStdin: values['password-stdin'] };
}

await runCommand(main, (error) => {
  if (isRefusal(error)) return `The password ${String(error.options.errors?.[0]?.detail)}.`;
  return error instanceof UsageError ? error.message : undefined;
});
