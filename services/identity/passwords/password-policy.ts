/**
 * What makes a password too weak beyond its length: OWASP ASVS 5.0 6.2.4 (common ones), 6.2.11 (words of the context).
 * No rule of composition (6.2.5), and nothing is asked over the network.
 */
import { dictionary } from '@zxcvbn-ts/language-common';
import type { User } from '../../../db/schema/identity.ts';
import type { Refusing } from '../../callers.ts';

export const PASSWORD_MIN = 12;
export const PASSWORD_MAX = 128;
const DISTINCT_MIN = 5;
/** Shorter words occur by chance. */
const WORD_MIN = 4;
const OUR_WORDS = ['teller'];

const LEET: Readonly<Record<string, string>> = {
  '0': 'o',
  '1': 'i',
  '3': 'e',
  '4': 'a',
  '5': 's',
  '7': 't',
  '@': 'a',
  $: 's',
  '!': 'i',
};
const common: ReadonlySet<string> = new Set(dictionary['passwords-common']);

/** What a password must not contain. */
export interface OwnWords {
  readonly email: string;
  readonly phone: string | null;
  readonly firstName: string;
  readonly lastName: string;
  /** ISO 8601. */
  readonly dateOfBirth: string | null;
}

type Weakness = 'common' | 'repetitive' | 'personal';

const DETAILS: Readonly<Record<Weakness, string>> = {
  common: 'is among the passwords that are tried first',
  repetitive: 'repeats itself or runs along the alphabet',
  personal: 'contains your own data or the name of this service',
};

/** Refuses `weak_password`, pointing at the field. Without the user's own words where nobody has proven yet to be the user. */
export function refuseWeak(
  { refusal }: Refusing<'weak_password'>,
  password: string,
  own: OwnWords | null,
  pointer: string,
): void {
  const code = weaknessOf(password, own);
  if (code === null) return;
  throw refusal('weak_password', { errors: [{ pointer, code, detail: DETAILS[code] }] });
}

/** Why a password is too weak, or null. The comparison folds case; the password itself is never changed. */
export function weaknessOf(password: string, own: OwnWords | null): Weakness | null {
  const folded = password.normalize('NFKC').toLowerCase();
  if (isRepetitive(folded)) return 'repetitive';
  if (isCommon(folded)) return 'common';
  const words = own === null ? OUR_WORDS : ownWords(own);
  return words.some((word) => folded.includes(word)) ? 'personal' : null;
}

/** What a user's password must not contain. */
export function ownWordsOf({ email, phone, firstName, lastName, dateOfBirth }: User): OwnWords {
  return { email, phone: phone ?? null, firstName, lastName, dateOfBirth: dateOfBirth ?? null };
}

/** In the list, or a word of the list dressed up: `P@ssw0rd2026!`, twice in a row. */
function isCommon(folded: string): boolean {
  const core = folded.replace(/^[^\p{L}]+/u, '').replace(/[^\p{L}]+$/u, '');
  const plain = [...core].map((character) => LEET[character] ?? character).join('');
  const [, unit = ''] = /^(.+?)\1+$/su.exec(plain) ?? [];
  return [folded, core, plain, unit].some((word) => word.length >= WORD_MIN && common.has(word));
}

function isRepetitive(folded: string): boolean {
  const points = [...folded].map((character) => character.codePointAt(0) ?? 0);
  if (new Set(points).size < DISTINCT_MIN) return true;
  if (/^(.{1,5}?)\1+$/su.test(folded)) return true;
  const steps = points.slice(1).map((point, index) => point - (points[index] ?? 0));
  return steps.every((step) => step === 1) || steps.every((step) => step === -1);
}

function ownWords(own: OwnWords): string[] {
  const [local = '', domain = ''] = own.email.split('@');
  const [year = '', month = '', day = ''] = own.dateOfBirth?.split('-') ?? [];
  const dates = year === '' ? [] : [year + month + day, day + month + year, month + day + year];
  const names = `${own.firstName} ${own.lastName} ${local.replaceAll(/[._+-]/g, ' ')}`.split(/\s+/);
  const words = [
    ...names,
    local,
    domain.split('.')[0] ?? '',
    own.phone?.slice(1) ?? '',
    ...dates,
    ...OUR_WORDS,
  ];
  return words.map((word) => word.normalize('NFKC').toLowerCase()).filter((word) => word.length >= WORD_MIN);
}
