/** Codes of countries by the names that lists use. */
import { isCountry } from '../standards/countries.ts';

const ALSO: readonly (readonly [string, string])[] = [
  ['democratic republic of the congo', 'CD'],
  ['congo, democratic republic of the', 'CD'],
  ['iran (islamic republic of)', 'IR'],
  ['islamic republic of iran', 'IR'],
  ["democratic people's republic of korea", 'KP'],
  ['korea, north', 'KP'],
  ['korea, south', 'KR'],
  ['republic of korea', 'KR'],
  ['syrian arab republic', 'SY'],
  ['russian federation', 'RU'],
  ['united kingdom of great britain and northern ireland', 'GB'],
  ['united states of america', 'US'],
  ['united republic of tanzania', 'TZ'],
  ['viet nam', 'VN'],
  ['burma', 'MM'],
  ['ivory coast', 'CI'],
  ['turkey', 'TR'],
  ['cape verde', 'CV'],
  ['bosnia and herzegovina', 'BA'],
  ['trinidad and tobago', 'TT'],
  ['venezuela (bolivarian republic of)', 'VE'],
  ['state of palestine', 'PS'],
  ['palestinian', 'PS'],
  ['macedonia, the former yugoslav republic of', 'MK'],
];

const english = new Intl.DisplayNames(['en'], { type: 'region' });
const LETTERS = [...'ABCDEFGHIJKLMNOPQRSTUVWXYZ'];
const codes = new Map<string, string>(ALSO);
for (const first of LETTERS)
  for (const second of LETTERS) {
    const code = first + second;
    if (isCountry(code)) codes.set(plain(english.of(code) ?? code), code);
  }

function plain(text: string): string {
  return text.trim().toLowerCase().replace(/&/g, 'and').replace(/^the /, '').replaceAll('’', "'");
}

/** The code of a country that a list names or codes; null for one that is not known. */
export function countryIn(text: string | undefined): string | null {
  if (text === undefined) return null;
  const code = text.trim().toUpperCase();
  return isCountry(code) ? code : (codes.get(plain(text)) ?? null);
}
