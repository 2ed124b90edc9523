/** What screening would have raised at other thresholds, so that one is chosen by what it costs. */
import type { EntityManager } from '@mikro-orm/postgresql';
import { isKnownPair, partiesSince, type PartyRow } from '../../db/queries/aml/parties.ts';
import type { PartyMatch } from '../../domain/screening/parties.ts';
import { refreshedLists } from './lists-in-memory.ts';
import { partyMatches } from './screening.ts';

const PAGE = 500;
const FIRST = '00000000-0000-0000-0000-000000000000';

/** What a threshold would have raised: pairs of a name and an entry, people with such a pair, and payments to them that would have waited. */
export interface Raised {
  readonly threshold: number;
  readonly pairs: number;
  readonly people: number;
  readonly payments: number;
}

/**
 * Compares who came, or was paid, since a moment with the lists in force. Pairs that somebody has decided to be two do not count.
 * @param thresholds - scores from 0 to 100
 */
export async function previewThresholds(
  em: () => EntityManager,
  since: Date,
  thresholds: readonly number[],
): Promise<readonly Raised[]> {
  const lists = await refreshedLists(em());
  const raised = thresholds.map((threshold) => ({ threshold, pairs: 0, people: 0, payments: 0 }));
  const least = Math.min(...thresholds);
  let after: Pick<PartyRow, 'partyType' | 'partyId'> = { partyType: 'beneficiary', partyId: FIRST };
  for (;;) {
    const page = await partiesSince.all(em(), { ...after, since, most: PAGE });
    for (const { payments, ...party } of page) {
      const open: PartyMatch[] = [];
      for (const match of partyMatches(lists, party.asked, least))
        if (!(await isKnownPair.one(em(), { ...party, entry: match.entry })).known) open.push(match);
      for (const each of raised) {
        const pairs = open.filter(({ score }) => score >= each.threshold).length;
        if (pairs === 0) continue;
        each.pairs += pairs;
        each.people += 1;
        each.payments += payments;
      }
    }
    const last = page.at(-1);
    if (last === undefined) return raised;
    after = last;
  }
}
