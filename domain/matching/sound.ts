/** How a Latin spelling sounds, roughly and across languages: Tchaikovsky, Chaikovskiy and Tschaikowski are one. */

const RULES: readonly (readonly [RegExp, string])[] = [
  [/^(o)?u?wu?ld$/g, 'uld'],
  [/^yev/g, 'ev'],
  [/^y?evg/g, 'evg'],
  [/^ye/g, 'e'],
  [/^je(?=[lw])/g, 'e'],
  [/^k?h(?=r)|^ch(?=r)/g, 'k'],
  [/shch|schtsch/g, 'sh'],
  [/tsch|tch|cz(?!$)/g, 'ch'],
  [/sch/g, 'sh'],
  [/ph/g, 'f'],
  [/kh/g, 'h'],
  [/gh/g, 'g'],
  [/dh/g, 'd'],
  [/bh/g, 'b'],
  [/th/g, 't'],
  [/qv/g, 'qu'],
  [/ck|q/g, 'k'],
  [/x/g, 'ks'],
  [/w/g, 'v'],
  [/tz|ts/g, 'c'],
  [/(ov|ev)(itch|ich|itsch|ic|icz|its|yc|ych)$/g, '$1ich'],
  [/i(tch|cz)$/g, 'ich'],
  [/c(?=[eiy])/g, 's'],
  [/c(?!h)/g, 'k'],
  [/ou|oo/g, 'u'],
  [/ee|ij|iy|yi|yy|ey$|ie$/g, 'i'],
  [/ei|ey|ay|ai|aj|ej/g, 'ei'],
  [/[yj](?=[aeou])/g, 'i'],
  [/y/g, 'i'],
  [/ae/g, 'e'],
  [/oe/g, 'o'],
  [/ue/g, 'u'],
  [/(?<=[aeiou])h(?=[^aeiou]|$)/g, ''],
  [/(.)\1+/g, '$1'],
  [/ei$/g, 'i'],
];

const known = new Map<string, string>();

/** The sound of a spelling in lower-case Latin letters. */
export function soundOf(latin: string): string {
  const before = known.get(latin);
  if (before !== undefined) return before;
  let sound = latin;
  for (const [from, to] of RULES) sound = sound.replace(from, to);
  if (known.size > 200_000) known.clear();
  known.set(latin, sound);
  return sound;
}

/** The consonants of a sound in coarse classes: words that are alike share it, or all of it but one letter. */
export function outlineOf(sound: string): string {
  return sound
    .replace(/ch|sh|zh|j|z|s/g, 's')
    .replace(/[kgh]/g, 'k')
    .replace(/[td]/g, 't')
    .replace(/[fvbp]/g, 'p')
    .replace(/[mn]/g, 'n')
    .replace(/(?<=.)[aeiou]/g, '')
    .replace(/^[aeiou]/, 'a')
    .replace(/(.)\1+/g, '$1');
}
