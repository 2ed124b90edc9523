/** The keys that sign tokens: one set for all replicas, sealed, rotated without anybody being signed out. In a schema of its own. */
import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals';
import { MikroORM } from '@mikro-orm/postgresql';
import { randomUUID } from 'node:crypto';
import { signingKeyActivities } from '../../../activities/signing-keys.ts';
import { replaceSigningKeys, rotateSigningKeys } from '../../../services/identity/sessions/key-rotation.ts';
import { createSigningKeys, type SigningKeys } from '../../../services/identity/sessions/signing-keys.ts';
import { createTokens } from '../../../services/identity/sessions/tokens.ts';
import { SessionId, UserId } from '../../../domain/ids.ts';
import { openVault, type Vault } from '../../support/stack/vault.ts';

const SCHEMA = 'keys_test';
let vault: Vault;
let orm: MikroORM;

beforeAll(async () => {
  vault = openVault();
  await vault.sql(`create schema ${SCHEMA}`);
  await vault.sql(`create table ${SCHEMA}.signing_keys (like public.signing_keys including all)`);
  await vault.sql(`grant usage on schema ${SCHEMA} to teller_app`);
  await vault.sql(`grant select, insert, update, delete on ${SCHEMA}.signing_keys to teller_app`);
  orm = new MikroORM({
    clientUrl: vault.config.DATABASE_URL,
    entities: [],
    discovery: { warnWhenNoEntities: false },
    driverOptions: { options: `-c search_path=${SCHEMA},public` },
    pool: { min: 0, max: 8 },
  });
});
beforeEach(() => vault.sql(`truncate ${SCHEMA}.signing_keys`));
afterAll(async () => {
  await orm.close(true);
  await vault.sql(`drop schema ${SCHEMA} cascade`);
  await vault.close();
});

const replica = (): SigningKeys => createSigningKeys({ em: () => orm.em.fork(), cipher: vault.cipher });
const rotate = (minimumDays = 0): Promise<boolean> =>
  orm.em.fork().transactional((em) => rotateSigningKeys(em, vault.cipher, { minimumDays, reason: 'a test' }));
/** Lets so many days pass for the keys. */
const age = (days: number): Promise<unknown> =>
  vault.sql(
    `update ${SCHEMA}.signing_keys set signing_since = signing_since - make_interval(days => $1), created_at = created_at - make_interval(days => $1)`,
    [days],
  );
const tokensOf = (keys: SigningKeys) => createTokens({ config: vault.config, keys });
const issue = async (keys: SigningKeys): Promise<string> => {
  const subject = { userId: UserId.parse(randomUUID()), sessionId: SessionId.parse(randomUUID()) };
  return (await tokensOf(keys).issueAccess({ ...subject, amr: ['pwd'], authenticatedAt: new Date() })).token;
};
const states = async (): Promise<string[]> => {
  const stored = await vault.sql(`select state from ${SCHEMA}.signing_keys order by state`);
  return stored.map(({ state }) => String(state));
};

test('replicas that start together agree on one key to sign with, and on the next', async () => {
  const current = await Promise.all(Array.from({ length: 6 }, async () => (await replica().current()).kid));
  expect(new Set(current).size).toBe(1);
  expect(await states()).toEqual(['current', 'next']);
});

test('forty calls at once read the keys once', async () => {
  await replica().current();
  let reads = 0;
  const em = () => {
    reads += 1;
    return orm.em.fork();
  };
  const keys = createSigningKeys({ em, cipher: vault.cipher });
  await Promise.all(Array.from({ length: 40 }, () => keys.current()));
  expect(reads).toBe(1);
});

test('a rotation signs with what was published as next, and older tokens still verify', async () => {
  const before = replica();
  const token = await issue(before);
  const published = (await before.published()).map(({ kid }) => kid);
  await rotate();
  const after = replica();
  expect(published).toContain((await after.current()).kid);
  expect((await after.current()).kid).not.toBe((await before.current()).kid);
  expect(await tokensOf(after).verifyAccess(token)).not.toBeNull();
  expect((await after.published()).length).toBe(3);
});

test('a replica that has not heard of the rotation takes tokens of the new key at once', async () => {
  const late = replica();
  await late.current();
  await rotate();
  await rotate();
  const token = await issue(replica());
  await new Promise((resolve) => setTimeout(resolve, 1_100));
  expect(await tokensOf(late).verifyAccess(token)).not.toBeNull();
});

test('two rotations at once leave one current and one next key', async () => {
  await replica().current();
  await Promise.all([rotate(), rotate()]);
  expect(await states()).toEqual(['current', 'next', 'retiring', 'retiring']);
});

test('a key past its retirement verifies nothing, is not published, and goes with the next rotation', async () => {
  const token = await issue(replica());
  await rotate();
  await vault.sql(`update ${SCHEMA}.signing_keys set retires_at = now() where state = 'retiring'`);
  const after = replica();
  expect(await tokensOf(after).verifyAccess(token)).toBeNull();
  expect((await after.published()).length).toBe(2);
  await rotate();
  expect(await states()).toEqual(['current', 'next', 'retiring']);
});

test('private keys are sealed, and what is published holds no private part', async () => {
  const keys = replica();
  await keys.current();
  const stored = JSON.stringify(await vault.sql(`select t::text from ${SCHEMA}.signing_keys t`));
  expect(stored).not.toMatch(/\\?"d\\?":/);
  expect(stored).not.toContain(Buffer.from('"d":').toString('hex'));
  for (const key of await keys.published())
    expect(Object.keys(key).sort()).toEqual(['alg', 'crv', 'kid', 'kty', 'use', 'x', 'y']);
  const moved = vault.sql(
    `update ${SCHEMA}.signing_keys set public_jwk = public_jwk || '{"d":"x"}' where state = 'current'`,
  );
  await expect(moved).rejects.toMatchObject({ constraint: 'signing_keys_public_is_public' });
});

test('the schedule rotates once the days are over, and a repeat after a crash not again', async () => {
  await replica().current();
  const days = { em: () => orm.em.fork(), cipher: vault.cipher, keyRotationDays: 30 };
  const { rotateSigningKeysIfDue } = signingKeyActivities(days);
  expect(await rotateSigningKeysIfDue()).toBe(false);
  await age(29);
  expect(await rotateSigningKeysIfDue()).toBe(false);
  await age(1);
  const outcomes = await Promise.all([rotateSigningKeysIfDue(), rotateSigningKeysIfDue()]);
  expect(outcomes.sort()).toEqual([false, true]);
  expect(await states()).toEqual(['current', 'next', 'retiring']);
});

test('the whole life of a key: published, signing, retiring while its last token lives, gone', async () => {
  const first = replica();
  const token = await issue(first);
  const [next = ''] = (await first.published())
    .map(({ kid }) => kid)
    .filter((kid) => !token.startsWith(headerStart(kid)));
  await age(30);
  expect(await rotate(30)).toBe(true);
  expect((await replica().current()).kid).toBe(next);

  // the last token of the old key dies ten minutes after the rotation; the key is still there, five more it is not
  const back = (minutes: number) =>
    vault.sql(
      `update ${SCHEMA}.signing_keys set retires_at = retires_at - make_interval(mins => $1) where state = 'retiring'`,
      [minutes],
    );
  await back(11);
  expect(await tokensOf(replica()).verifyAccess(token)).not.toBeNull();
  await back(5);
  expect(await tokensOf(replica()).verifyAccess(token)).toBeNull();
  await age(30);
  expect(await rotate(30)).toBe(true);
  expect(await states()).toEqual(['current', 'next', 'retiring']);
});

test('after a leak all keys are fresh, and no older token is taken', async () => {
  const before = replica();
  const token = await issue(before);
  const old = (await before.published()).map(({ kid }) => kid);
  await orm.em.fork().transactional((em) => replaceSigningKeys(em, vault.cipher));
  expect(await tokensOf(replica()).verifyAccess(token)).toBeNull();
  const fresh = (await replica().published()).map(({ kid }) => kid);
  expect(fresh.filter((kid) => old.includes(kid))).toEqual([]);
});

test('a token that is being checked while its key is revoked is not remembered', async () => {
  const keys = replica();
  const token = await issue(keys);
  const revoke = () => orm.em.fork().transactional((em) => replaceSigningKeys(em, vault.cipher));
  let revoked = false;
  const tokens = tokensOf({
    ...keys,
    find: async (kid) => {
      const key = await keys.find(kid);
      if (!revoked) {
        revoked = true;
        await revoke();
        tokens.forget();
      }
      return key;
    },
  });
  await tokens.verifyAccess(token);
  expect([revoked, await tokens.verifyAccess(token)]).toEqual([true, null]);
});

/** How a token begins that names this key. */
function headerStart(kid: string): string {
  return Buffer.from(JSON.stringify({ alg: 'ES256', typ: 'at+jwt', kid })).toString('base64url');
}
