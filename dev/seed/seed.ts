/** What a fresh service holds for trying it out: one customer, two admins, and prices. */
import type { EntityManager } from '@mikro-orm/postgresql';
import { permissionCatalogue } from '../../api/derived/permissions.ts';
import { createAdmin, grantByCommand } from '../../services/identity/people/admins.ts';
import { createPasswords, type Passwords } from '../../services/identity/passwords/passwords.ts';
import { operations } from '../../api/operations.ts';
import { clockAhead } from '../../db/queries/platform/clock.ts';
import { setClockAhead } from '../../domain/time/now.ts';
import { loadConfig } from '../../config.ts';
import { openOrm } from '../../db/orm.ts';
import { saveToggles } from '../../db/queries/identity/factors/factors.ts';
import { insertUser } from '../../db/queries/identity/people/people.ts';
import { newUuid } from '../../adapters/new-id.ts';
import { query } from '../../db/rows/query.ts';
import { UserId } from '../../domain/ids.ts';
import { addPrices } from './demo-prices.ts';
import { demoAdmins, demoCustomer, type DemoUser } from './demo-users.ts';
import { transaction } from '../../db/transaction.ts';

const CODES_BY_EMAIL = {
  emailOtpEnabled: true,
  smsOtpEnabled: false,
  preferredMethod: 'email_otp',
} as const;

/**
 * Makes the demo users where they are missing, in the database that `env` names; answers them to be printed. Their passwords
 * are published, so outside NODE_ENV=development it does nothing, nor without the owner's address. Admins get whatever actions there are by now.
 */
export async function seed(env: NodeJS.ProcessEnv): Promise<readonly DemoUser[]> {
  const config = loadConfig(env);
  const { DATABASE_OWNER_URL: ownerUrl } = config;
  if (config.NODE_ENV !== 'development' || ownerUrl === undefined) return [];
  // rights are given by the owner of the tables
  const orm = openOrm({ ...config, DATABASE_URL: ownerUrl });
  const passwords = createPasswords();
  try {
    // prices are for the time of the bank
    setClockAhead((await clockAhead.one(orm.em.fork())).seconds);
    await addCustomer(orm.em.fork(), passwords);
    for (const admin of demoAdmins) await transaction(orm.em.fork(), (em) => addAdmin(em, passwords, admin));
    await transaction(orm.em.fork(), addPrices);
    await transaction(orm.em.fork(), enableCoins);
    return [demoCustomer, ...demoAdmins];
  } finally {
    await orm.close(true);
  }
}

/** All coins on all networks; what an administrator has switched off stays off. */
async function enableCoins(em: EntityManager): Promise<void> {
  const db = query(em);
  await db.updateTable('crypto_assets').set({ enabled: true }).where('updatedBy', 'is', null).execute();
  await db.updateTable('asset_networks').set({ enabled: true }).where('updatedBy', 'is', null).execute();
}

async function addCustomer(em: EntityManager, passwords: Passwords): Promise<void> {
  const { identifier: email, password } = demoCustomer;
  if ((await idOf(em, email)) !== undefined) return;
  const id = UserId.parse(newUuid());
  await insertUser.run(em, {
    id,
    email,
    passwordHash: await passwords.hash(password),
    ...{ firstName: 'Ann', lastName: 'Demo', dateOfBirth: '1990-04-02', country: 'DE', locale: 'en' },
    ...{ phone: null, phoneVerifiedAt: null, address: null, role: 'customer' as const },
  });
}

async function addAdmin(em: EntityManager, passwords: Passwords, admin: DemoUser): Promise<void> {
  const permissions = permissionCatalogue(operations).map(({ action }) => action);
  const { identifier: email, password } = admin;
  const known = await idOf(em, email);
  if (known !== undefined) {
    await saveToggles(em, known, CODES_BY_EMAIL);
    return grantByCommand(em, known, permissions);
  }
  const [local = ''] = email.split('@');
  const firstName = local.charAt(0).toUpperCase() + local.slice(1);
  const passwordHash = await passwords.hash(password);
  // an admin without a second factor may do nothing; the codes are in the inbox
  await createAdmin(em, {
    ...{ email, firstName, lastName: 'Demo', locale: 'en', passwordHash, permissions, emailOtp: true },
  });
}

async function idOf(em: EntityManager, email: string): Promise<UserId | undefined> {
  const users = query(em).selectFrom('users').select('id').where('email', '=', email);
  return (await users.executeTakeFirst())?.id;
}
