/** Passwords as the service keeps them, and what hashing costs everybody else. */
import { describe, expect, test } from '@jest/globals';
import { parseOptions } from '@node-rs/argon2';
import { setTimeout as wait } from 'node:timers/promises';
import { weaknessOf } from '../../../services/identity/passwords/password-policy.ts';
import { createPasswords, HASH_OF_NOBODY } from '../../../services/identity/passwords/passwords.ts';
import { openVault } from '../../support/stack/vault.ts';
import { registered } from '../../support/bank/people.ts';

const own = {
  email: 'ann.smith@example.com',
  phone: '+491711234567',
  firstName: 'Ann',
  lastName: 'Smith',
  dateOfBirth: '1990-04-02',
};

test('a stored hash is Argon2id with at least 19 MiB, two passes and a salt of 16 bytes of its own', async () => {
  const [one, other] = [await registered(), await registered()];
  const vault = openVault();
  const stored = await vault.sql('select password_hash as hash from users where email = any($1)', [
    [one.email, other.email],
  ]);
  await vault.close();
  const hashes = stored.map(({ hash }) => String(hash));
  expect(new Set(hashes).size).toBe(2);
  for (const hash of hashes) {
    expect(hash).toMatch(/^\$argon2id\$v=19\$/);
    const { memoryCost, timeCost, parallelism, saltLen, outputLen } = parseOptions(hash);
    expect(memoryCost).toBeGreaterThanOrEqual(19_456);
    expect(timeCost).toBeGreaterThanOrEqual(2);
    expect([parallelism, saltLen, outputLen]).toEqual([1, 16, 32]);
  }
});

describe('hashing', () => {
  const passwords = createPasswords(2);

  test('the right password matches, and nothing matches where there is no user', async () => {
    const hashed = await passwords.hash('seven quiet otters');
    expect(await passwords.verify(hashed, 'seven quiet otters')).toBe(true);
    expect(await passwords.verify(hashed, 'seven quiet otter')).toBe(false);
    expect(await passwords.verify(null, 'nobody')).toBe(false);
  });

  test('of an unknown user costs what that of a known one does: same parameters, same queue', async () => {
    const hashed = await passwords.hash('seven quiet otters');
    expect(parseOptions(HASH_OF_NOBODY)).toEqual(parseOptions(hashed));
    // what waits for its turn hashes; what does not would answer before all that came earlier
    const narrow = createPasswords(1);
    const order: string[] = [];
    await Promise.all([
      narrow.verify(hashed, 'first').then(() => order.push('known')),
      narrow.verify(null, 'second').then(() => order.push('unknown')),
      narrow.verify(hashed, 'third').then(() => order.push('known')),
    ]);
    expect(order).toEqual(['known', 'unknown', 'known']);
    const crowded = Array.from({ length: 300 }, () => narrow.verify(null, 'x'));
    const outcomes = await Promise.allSettled(crowded);
    expect(outcomes.filter(({ status }) => status === 'rejected')).toHaveLength(300 - 257);
  });

  test('forty at once leave the event loop free, and all are served', async () => {
    const hashed = await passwords.hash('seven quiet otters');
    const verdicts = Promise.all(
      Array.from({ length: 40 }, () => passwords.verify(hashed, 'seven quiet otters')),
    );
    let turns = 0;
    let busy = true;
    void verdicts.finally(() => (busy = false));
    while (busy) {
      await wait(1);
      turns += 1;
    }
    expect(await verdicts).toEqual(Array<boolean>(40).fill(true));
    // hashed on the event loop they would leave it a turn each at most; how long a turn takes is measured by the bench
    expect(turns).toBeGreaterThan(40);
  });

  test('where too many wait the next is told to come back', async () => {
    const narrow = createPasswords(1);
    const hashed = await narrow.hash('seven quiet otters');
    const waiting = Array.from({ length: 300 }, () => narrow.verify(hashed, 'x'));
    const outcomes = await Promise.allSettled(waiting);
    const refused = outcomes.filter(({ status }) => status === 'rejected');
    expect(refused.length).toBe(300 - 257);
    expect(refused[0]).toMatchObject({ reason: { code: 'unavailable' } });
  });
});

describe('what is too weak', () => {
  test.each([
    ['qwerty123456', 'common'],
    ['1qaz2wsx3edc', 'common'],
    ['P@ssw0rd2026!!', 'common'],
    ['passwordpassword', 'common'],
    ['iloveyou123456', 'common'],
    ['aaaaaaaaaaaa', 'repetitive'],
    ['abcdefghijkl', 'repetitive'],
    ['zyxwvutsrqpo', 'repetitive'],
    ['ab1ab1ab1ab1', 'repetitive'],
    ['i am Smith the first', 'personal'],
    ['1711234567 is mine +491711234567', 'personal'],
    ['tellerteller bank', 'personal'],
    ['born 02041990 here', 'personal'],
  ])('%s is %s', (password, weakness) => {
    expect(weaknessOf(password, own)).toBe(weakness);
  });

  test.each([
    'seven quiet otters',
    'correct horse battery staple',
    'xk3!kd92mmQp',
    'тихая выдра у реки',
    '漢字の長い合言葉です今日は',
  ])('%s is not', (password) => {
    expect(weaknessOf(password, own)).toBeNull();
  });
});
