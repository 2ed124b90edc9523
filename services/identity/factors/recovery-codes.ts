/** Recovery codes: ten for a lost authenticator, each used once, shown once. */
import { randomInt } from 'node:crypto';
import type { EntityManager } from '@mikro-orm/postgresql';
import type { Cipher } from '../../../adapters/cipher.ts';
import {
  deleteRecoveryCodes,
  insertRecoveryCodes,
  unusedRecoveryCodes,
  useUpRecoveryCode,
} from '../../../db/queries/identity/factors/recovery-codes.ts';
import type { UserId } from '../../../domain/ids.ts';

const COUNT = 10;
/** 24 characters of 5 bits: 120 bits, so that a keyed hash does where fewer would need a slow one (OWASP ASVS 5.0 6.5.2). */
const GROUPS = 4;
const GROUP_CHARACTERS = 6;
/** Crockford's base 32: no I, L, O, U to misread. */
const ALPHABET = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';

/** Gives a user ten new codes; all older ones stop working. */
export async function renewRecoveryCodes(
  em: EntityManager,
  cipher: Cipher,
  userId: UserId,
): Promise<string[]> {
  const codes = Array.from({ length: COUNT }, newCode);
  await deleteRecoveryCodes(em, userId);
  const codeMacs = codes.map((code) => macOf(cipher, userId, code));
  await insertRecoveryCodes.run(em, { userId, codeMacs });
  return codes;
}

/** Uses up a code. False where it is wrong or used, or the authenticator it stands in for is not on. */
export async function useRecoveryCode(
  em: EntityManager,
  cipher: Cipher,
  userId: UserId,
  typed: string,
): Promise<boolean> {
  const unused = await unusedRecoveryCodes.all(em, { userId });
  const code = readable(typed);
  const found = unused.find(({ codeMac }) => cipher.macMatches(codeMac, 'recovery-code', userId, code));
  if (found === undefined) return false;
  await useUpRecoveryCode(em, found.id);
  return true;
}

function newCode(): string {
  const group = () =>
    Array.from({ length: GROUP_CHARACTERS }, () => ALPHABET[randomInt(ALPHABET.length)]).join('');
  return Array.from({ length: GROUPS }, group).join('-');
}

function macOf(cipher: Cipher, userId: UserId, code: string): Buffer {
  return cipher.mac('recovery-code', userId, readable(code));
}

/** What people type: small letters, spaces, O for zero, I and L for one. */
function readable(code: string): string {
  return code.toUpperCase().replaceAll(/[\s-]/g, '').replaceAll('O', '0').replaceAll(/[IL]/g, '1');
}
