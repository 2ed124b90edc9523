/** Machine-readable zones for tests, with check digits calculated as ICAO 9303 part 3 section 4.9 says. */

export interface Person {
  readonly code?: string;
  readonly issuer?: string;
  /** "MUSTERMANN<<ERIKA". */
  readonly names?: string;
  readonly number?: string;
  readonly nationality?: string;
  /** yymmdd. */
  readonly birth?: string;
  readonly sex?: string;
  /** yymmdd. */
  readonly expiry?: string;
  readonly optional?: string;
}

const WEIGHTS = [7, 3, 1] as const;

export function checkDigit(text: string): string {
  const sum = [...text].reduce((total, character, at) => {
    const value = character === '<' ? 0 : Number.parseInt(character, 36);
    return total + value * (WEIGHTS[at % WEIGHTS.length] ?? 0);
  }, 0);
  return String(sum % 10);
}

const filled = (text: string, length: number): string => text.padEnd(length, '<').slice(0, length);
const checked = (text: string): string => text + checkDigit(text);

function partsOf({ number = 'X1234567', birth = '800101', expiry = '330101', ...others }: Person) {
  const { issuer = 'D', nationality = 'D', names = 'MUSTERMANN<<ERIKA' } = others;
  const { sex = 'F', optional = '', code } = others;
  const states = { issuer: filled(issuer, 3), nationality: filled(nationality, 3) };
  return { ...states, names, sex, optional, code, number, birth: checked(birth), expiry: checked(expiry) };
}

/** A passport. */
export function td3(person: Person = {}): string[] {
  const { code = 'P', issuer, names, number, nationality, birth, sex, expiry, optional } = partsOf(person);
  const numbered = checked(filled(number, 9));
  const personal = checked(filled(optional, 14));
  const check = checkDigit(numbered + birth + expiry + personal);
  return [
    filled(`${filled(code, 2)}${issuer}${names}`, 44),
    `${numbered}${nationality}${birth}${sex}${expiry}${personal}${check}`,
  ];
}

/** A card of two lines. */
export function td2(person: Person = {}): string[] {
  const { code = 'I', issuer, names, number, nationality, birth, sex, expiry, optional } = partsOf(person);
  const [numbered, more] = longNumber(number, optional);
  const data = filled(more, 7);
  const check = checkDigit(numbered + birth + expiry + data);
  return [
    filled(`${filled(code, 2)}${issuer}${names}`, 36),
    `${numbered}${nationality}${birth}${sex}${expiry}${data}${check}`,
  ];
}

/** A card of three lines. */
export function td1(person: Person = {}): string[] {
  const { code = 'I', issuer, names, number, nationality, birth, sex, expiry, optional } = partsOf(person);
  const [numbered, more] = longNumber(number, optional);
  const data = filled(more, 15);
  const last = filled('', 11);
  const check = checkDigit(numbered + data + birth + expiry + last);
  return [
    `${filled(code, 2)}${issuer}${numbered}${data}`,
    `${birth}${sex}${expiry}${nationality}${last}${check}`,
    filled(names, 30),
  ];
}

/** What does not fit into nine characters goes on in the optional data. */
function longNumber(number: string, optional: string): [string, string] {
  if (number.length <= 9) return [checked(filled(number, 9)), optional];
  return [`${number.slice(0, 9)}<`, `${number.slice(9)}${checkDigit(number)}<${optional}`];
}
