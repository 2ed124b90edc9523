/**
 * IBANs (ISO 13616: country, two check digits by ISO 7064 mod 97-10, and the country's own account number, the BBAN) and BICs
 * (ISO 9362). Formats, lengths and national check digits of each country are the library's, which follows SWIFT's registry.
 */
import {
  composeIBAN,
  countrySpecs,
  electronicFormatIBAN,
  friendlyFormatIBAN,
  isSEPACountry,
  isValidBBAN,
  isValidBIC,
  isValidIBAN,
} from 'ibantools';

/** In the registry (release 100) and known to the library, which does not yet mark them so. */
const REGISTERED_SINCE: ReadonlySet<string> = new Set(['BI', 'DJ', 'FK', 'HN']);

/** Their accounts have IBANs of France and Finland; the library takes their own codes too, which the registry does not have. */
const UNDER_ANOTHER_CODE: ReadonlySet<string> = new Set([
  'AX',
  'BL',
  'GF',
  'GP',
  'MF',
  'MQ',
  'NC',
  'PF',
  'PM',
  'RE',
  'TF',
  'WF',
  'YT',
]);

/** Joined the area of the SEPA schemes in 2025 and 2026 (EPC409-09, list of countries), after the library's list. */
const SEPA_SINCE: ReadonlySet<string> = new Set(['AL', 'MD', 'ME', 'MK', 'RS']);

/** What the bank's own IBANs are made of. */
export interface IbanIssuer {
  /** ISO 3166-1 alpha-2. */
  readonly country: string;
  /** All that stands before the account's part in the country's BBAN: bank, and branch where there is one. */
  readonly bankCode: string;
}

/** Reads an IBAN as people write it (spaces, lower case); undefined where it is none. */
export function readIban(text: string): string | undefined {
  const iban = electronicFormatIBAN(text);
  return iban !== null && isRegistered(iban) && isValidIBAN(iban) ? iban : undefined;
}

/** In groups of four, as it is printed. */
export function printIban(iban: string): string {
  return friendlyFormatIBAN(iban) ?? iban;
}

/** ISO 3166-1 alpha-2 of where the account is kept. */
export function countryOfIban(iban: string): string {
  return iban.slice(0, 2);
}

/** True where the account would be kept by this bank, whether there is one or not. */
export function isIssuedBy({ country, bankCode }: IbanIssuer, iban: string): boolean {
  return countryOfIban(iban) === country && iban.startsWith(bankCode, COUNTRY_AND_CHECK);
}

/** True where SEPA credit transfers reach. */
export function isInSepa(iban: string): boolean {
  const country = countryOfIban(iban);
  return isSEPACountry(country) || SEPA_SINCE.has(country);
}

/** Reads a BIC of 8 or 11 characters; undefined where it is none. */
export function readBic(text: string): string | undefined {
  const bic = text.replace(/\s/g, '').toUpperCase();
  return isValidBIC(bic) ? bic : undefined;
}

/** Digits of an account number before its own two check digits. */
const SERIAL_DIGITS = 10;
/** Letters of the country and the IBAN's own check digits. */
const COUNTRY_AND_CHECK = 4;
const NATIONAL_CHECK = 2;
const FIRST_SERIAL = '1' + '0'.repeat(SERIAL_DIGITS - 1);

/**
 * The IBAN of the account with this number, which is its serial and two check digits of our own. Where the country's BBAN has
 * less room, the serial's leading `1` and zeros are left out. Throws where the country has no IBAN, the bank's code does not fit
 * it, or the serial has outgrown it.
 */
export function ibanOf(issuer: IbanIssuer, accountNumber: string): string {
  const { country, bankCode } = issuer;
  const { chars, bban_validation_func: nationalCheck, ...parts } = countrySpecs[country] ?? {};
  if (chars === undefined || !isRegistered(country)) throw new Error(`there are no IBANs in ${country}`);
  const wanted = endOf(parts.branch_indentifier ?? parts.bank_identifier);
  // with national check digits the code may go on with one of its own
  if (bankCode.length < wanted || (wanted > 0 && nationalCheck === undefined && bankCode.length > wanted))
    throw new Error(`a bank code of ${country} has ${wanted} characters`);
  const room = chars - COUNTRY_AND_CHECK - bankCode.length;
  const serial = accountNumber.slice(0, SERIAL_DIGITS);
  const accounts = nationalCheck === undefined ? plain(serial, room) : checked(serial, room);
  for (const account of accounts) {
    const bban = bankCode + account;
    const iban = isValidBBAN(bban, country) ? composeIBAN({ countryCode: country, bban }) : null;
    if (iban !== null && isValidIBAN(iban)) return iban;
  }
  throw new Error(`no IBAN of ${country} can be made of the bank code ${bankCode} and the account ${serial}`);
}

/** How many characters of the BBAN a part such as `4-7` ends after; 0 where the library does not say. */
function endOf(places: string | undefined): number {
  const last = places?.split('-')[1];
  return last === undefined ? 0 : Number(last) + 1;
}

function plain(serial: string, room: number): string[] {
  const account = fitted(serial, room);
  return account === undefined ? [] : [account];
}

/** To try where there are national check digits: the library proves them and cannot make them. They stand last, or before the account. */
function checked(serial: string, room: number): string[] {
  const account = fitted(serial, room - NATIONAL_CHECK);
  if (account === undefined) return [];
  const checks = Array.from({ length: 10 ** NATIONAL_CHECK }, (_none, check) =>
    String(check).padStart(NATIONAL_CHECK, '0'),
  );
  return [...checks.map((check) => account + check), ...checks.map((check) => check + account)];
}

/** The serial in just so many digits; undefined where a digit that tells accounts apart would be lost. */
function fitted(serial: string, digits: number): string | undefined {
  if (digits >= serial.length) return serial.padStart(digits, '0');
  const lost = serial.length - digits;
  return digits > 0 && serial.startsWith(FIRST_SERIAL.slice(0, lost)) ? serial.slice(lost) : undefined;
}

function isRegistered(iban: string): boolean {
  const country = countryOfIban(iban);
  if (UNDER_ANOTHER_CODE.has(country)) return false;
  return countrySpecs[country]?.IBANRegistry === true || REGISTERED_SINCE.has(country);
}

/** Countries whose IBANs are read: those of the registry. */
export const ibanCountries: readonly string[] = Object.keys(countrySpecs).filter(isRegistered);
