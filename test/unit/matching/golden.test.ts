/** The golden files of names: which pairs are one person or company, and what the matcher says. */
import { describe, expect, test } from '@jest/globals';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { compare, prepareAsked, prepareEntry, type Quality } from '../../../domain/matching/compare.ts';
import type { NameKind } from '../../../domain/matching/words.ts';

/** The second one is by somebody who had seen neither the matcher nor the first. */
const FILES = ['golden.tsv', 'golden-second-reader.tsv'];
const FOLDER = join(import.meta.dirname, '../../fixtures/matching');
const THRESHOLD = 70;
const details = { birthDates: [], gender: null, nationalities: [], countries: [], identifiers: [] };

interface Pair {
  readonly kind: NameKind;
  readonly group: string;
  readonly hit: boolean;
  readonly asked: string;
  readonly listed: string;
  readonly quality: Quality;
}

const pairs: readonly Pair[] = FILES.flatMap((file) => readFileSync(join(FOLDER, file), 'utf8').split('\n'))
  .filter((line) => line !== '' && !line.startsWith('#'))
  .map((line) => {
    const [kind = '', group = '', verdict = '', asked = '', listed = ''] = line.split('\t');
    return {
      kind: kind === 'company' ? 'company' : 'person',
      group,
      hit: verdict.startsWith('hit'),
      asked,
      listed: listed.replace(/^~/, ''),
      quality: listed.startsWith('~') ? 'weak' : 'primary',
    };
  });

function score(pair: Pair): number {
  const { kind, asked, listed, quality } = pair;
  return compare(
    prepareAsked({ kind, name: asked, details }),
    prepareEntry({ kind, names: [{ name: listed, quality }], details }),
  ).score;
}

describe('the golden files of names', () => {
  test('hold at least 150 pairs, each once', () => {
    expect(pairs.length).toBeGreaterThanOrEqual(150);
    expect(new Set(pairs.map((pair) => `${pair.asked}|${pair.listed}|${pair.quality}`)).size).toBe(
      pairs.length,
    );
  });

  test('their confusion matrix has no miss and no false alarm', () => {
    const counts = { hits: 0, misses: 0, falseAlarms: 0, passes: 0 };
    const wrong: string[] = [];
    for (const pair of pairs) {
      const found = score(pair) >= THRESHOLD;
      if (found === pair.hit) counts[found ? 'hits' : 'passes'] += 1;
      else {
        counts[found ? 'falseAlarms' : 'misses'] += 1;
        wrong.push(`${pair.group}: ${pair.asked} | ${pair.listed} has ${String(score(pair))}`);
      }
    }
    process.stdout.write(`golden files of names: ${JSON.stringify(counts)}\n`);
    expect(wrong).toEqual([]);
  });

  test('turning a pair round changes little: the order of the sides decides only what may be left out', () => {
    const changed = pairs
      .filter((pair) => pair.quality === 'primary')
      .filter(
        (pair) => Math.abs(score(pair) - score({ ...pair, asked: pair.listed, listed: pair.asked })) > 25,
      );
    expect(changed).toEqual([]);
  });
});
