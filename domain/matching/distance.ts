/** How far two spellings are apart, in whole letters: vowels and letters that are mixed up often cost less than one. */

const CLOSE: Readonly<Record<string, number>> = {
  ...{ ou: 0.3, ei: 0.3, iy: 0.2, ae: 0.4, ck: 0.2, kq: 0.2, cs: 0.5, sz: 0.4, vw: 0.2, fv: 0.5, bp: 0.6 },
  ...{ dt: 0.5, gk: 0.6, ij: 0.3, jy: 0.3, gj: 0.5, mn: 0.7, bv: 0.6, hk: 0.6, gh: 0.5 },
};
const VOWELS = 'aeiouy';
const CODES = 128;

const isVowel = (code: number): boolean => VOWELS.includes(String.fromCharCode(code));

/** What it costs to replace one letter by another, by their codes. */
const REPLACING = new Float64Array(CODES * CODES).fill(1);
/** What a letter more costs: little for an h. */
const ADDING = new Float64Array(CODES).fill(1);
for (let a = 0; a < CODES; a++) {
  if (isVowel(a)) ADDING[a] = 0.7;
  for (let b = 0; b < CODES; b++) {
    const cost = isVowel(a) && isVowel(b) ? 0.5 : isVowel(a) === isVowel(b) ? 1 : 1.2;
    REPLACING[a * CODES + b] = a === b ? 0 : cost;
  }
}
for (const [pair, cost] of Object.entries(CLOSE)) {
  const [a, b] = [pair.charCodeAt(0), pair.charCodeAt(1)];
  REPLACING[a * CODES + b] = cost;
  REPLACING[b * CODES + a] = cost;
}
ADDING['h'.charCodeAt(0)] = 0.4;
for (const digit of '0123456789') ADDING[digit.charCodeAt(0)] = 1.5;

const DOUBLED = 0.2;
const SWAPPED = 0.8;
const MOST_LETTERS = 64;
let two = new Float64Array(MOST_LETTERS + 1);
let one = new Float64Array(MOST_LETTERS + 1);
let row = new Float64Array(MOST_LETTERS + 1);

const codeAt = (word: string, at: number): number => word.charCodeAt(at) % CODES;

function adding(word: string, at: number): number {
  const code = codeAt(word, at);
  const doubled = code === codeAt(word, at - 1) || code === codeAt(word, at + 1);
  return doubled ? DOUBLED : (ADDING[code] ?? 1);
}

/** The cheapest way from one spelling to the other; more than `most` is given up as infinite. */
export function distance(a: string, b: string, most: number): number {
  if (a === b) return 0;
  if (a.length > MOST_LETTERS || b.length > MOST_LETTERS) return Infinity;
  // a letter more costs at least 0.2, and rarely less than 0.4
  if (Math.abs(a.length - b.length) * 0.4 > most) return Infinity;
  one[0] = 0;
  for (let j = 0; j < b.length; j++) one[j + 1] = (one[j] ?? 0) + adding(b, j);
  for (let i = 0; i < a.length; i++) if (nextRow(a, b, i) > most) return Infinity;
  return one[b.length] ?? Infinity;
}

/** The least cost in the next row of the table. */
function nextRow(a: string, b: string, i: number): number {
  const more = adding(a, i);
  const code = codeAt(a, i);
  let least = (one[0] ?? 0) + more;
  row[0] = least;
  for (let j = 0; j < b.length; j++) {
    const other = codeAt(b, j);
    let cost = (one[j] ?? 0) + (REPLACING[code * CODES + other] ?? 1);
    cost = Math.min(cost, (one[j + 1] ?? 0) + more, (row[j] ?? 0) + adding(b, j));
    const swapped =
      i > 0 && j > 0 && code !== other && code === codeAt(b, j - 1) && other === codeAt(a, i - 1);
    if (swapped) cost = Math.min(cost, (two[j - 1] ?? 0) + SWAPPED);
    row[j + 1] = cost;
    if (cost < least) least = cost;
  }
  [two, one, row] = [one, row, two];
  return least;
}

/** Endings that many family names share: they are no likeness. */
const ENDING =
  /(?:ov|ev)(?:ich|ic|a|sky|ski)?$|(?:enko|nko|yan|ian|sky|ski|son|sen|escu|idis|poulos|shvili|dze|zadeh|pur)$/;

/** How much two spellings may differ: nothing below three letters, then by the logarithm of the length without a shared ending. */
export function budgetOf(a: string, b: string): number {
  const [longer, shorter] = a.length >= b.length ? [a, b] : [b, a];
  const ending = ENDING.exec(longer)?.[0] ?? '';
  const length = shorter.endsWith(ending) ? Math.max(3, longer.length - ending.length) : longer.length;
  return length < 3 ? 0 : 1.15 * Math.log(length - 1) - 0.65;
}
