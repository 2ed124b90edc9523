/** Identifiers that a person types: email addresses and phone numbers, each brought into one form, once. */
import { domainToASCII } from 'node:url';
import { parsePhoneNumberFromString } from 'libphonenumber-js/max';
import { isReadableLine } from '../text.ts';

const LOCAL_PART_BYTES = 64;
const ADDRESS_CHARACTERS = 254;
// RFC 5321 §4.1.2 atoms, and letters of any script beyond ASCII (RFC 6531); no quoted strings: nobody has them, and they hide things
const LOCAL_PART =
  /^(?:[a-z0-9!#$%&'*+/=?^_`{|}~-]|[^\p{ASCII}\s])+(?:\.(?:[a-z0-9!#$%&'*+/=?^_`{|}~-]|[^\p{ASCII}\s])+)*$/u;
const DOMAIN = /^(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z0-9][a-z0-9-]{0,61}[a-z0-9]$/;

/**
 * One form for an email address: NFC, lower case, the domain as ASCII (IDNA). Undefined where it is no address.
 * The local part is folded too: no provider of note tells `Ann` from `ann`, and two logins that look alike invite fraud.
 */
export function normaliseEmail(text: string): string | undefined {
  const folded = text.normalize('NFC').toLowerCase();
  const at = folded.lastIndexOf('@');
  const local = folded.slice(0, Math.max(at, 0));
  if (Buffer.byteLength(local) > LOCAL_PART_BYTES || !LOCAL_PART.test(local) || !isReadableLine(local))
    return undefined;
  const domain = domainToASCII(folded.slice(at + 1));
  if (!DOMAIN.test(domain)) return undefined;
  const address = `${local}@${domain}`;
  return address.length <= ADDRESS_CHARACTERS ? address : undefined;
}

/** E.164 of a phone number in international form (`+49 171 …`). Undefined where no such number can exist. */
export function normalisePhone(text: string): string | undefined {
  if (!text.startsWith('+')) return undefined;
  const parsed = parsePhoneNumberFromString(text);
  return parsed?.isValid() === true && parsed.ext === undefined ? parsed.number : undefined;
}

const COSTLY: readonly unknown[] = ['PREMIUM_RATE', 'SHARED_COST', 'UAN', 'VOICEMAIL', 'PAGER'];

/** Whether a number earns by being called or written to: whoever gives such a one as theirs is after the bank's money. */
export function isCostlyNumber(number: string): boolean {
  return COSTLY.includes(parsePhoneNumberFromString(number)?.getType());
}

/** What somebody typed to log in: an address or a number, in one form. Undefined where it can be neither. */
export function normaliseIdentifier(text: string): string | undefined {
  return text.includes('@') ? normaliseEmail(text) : normalisePhone(text);
}
