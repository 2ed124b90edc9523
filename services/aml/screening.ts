/** Comparing people with the lists in force: payees before a payment is booked, and everybody else beside it. */
import type { EntityManager } from '@mikro-orm/postgresql';
import type { Config } from '../../config.ts';
import { payeeOfTransfer, recordScreening, type PartyRow } from '../../db/queries/aml/parties.ts';
import type { TransferId } from '../../domain/ids.ts';
import { prepareAsked, type PreparedAsked } from '../../domain/matching/compare.ts';
import type { Found } from '../../domain/matching/list-index.ts';
import type { PartyAsked, PartyMatch, Screened } from '../../domain/screening/parties.ts';
import type { ListSource } from '../../domain/screening/lists.ts';
import { now } from '../../domain/time/now.ts';
import { listsAtHand, refreshedLists, type EntryInMemory, type ListsInMemory } from './lists-in-memory.ts';

/** What screening goes by. */
export type ScreeningSettings = Pick<
  Config,
  'AML_LIST_MAX_AGE_DAYS' | 'AML_MATCH_THRESHOLD' | 'AML_STALE_LIST'
>;

const DAY_MILLISECONDS = 86_400_000;

/** Screens somebody for a payment; again after the books have refused what was found on older lists. */
export type ScreenPayee = (again: boolean) => Promise<Screened>;

/** How a payee outside the bank is screened. Never throws: what cannot be screened is held by the books. */
export function payeeScreening(
  db: EntityManager,
  settings: ScreeningSettings,
  payee: PartyAsked,
): ScreenPayee {
  return async (again) => {
    try {
      const lists = await (again ? refreshedLists(db) : listsAtHand(db));
      const epoch = String(lists.epoch);
      if (settings.AML_STALE_LIST === 'hold' && isStale(lists, settings.AML_LIST_MAX_AGE_DAYS))
        return { epoch, failed: 'stale' };
      return { epoch, matches: partyMatches(lists, payee, settings.AML_MATCH_THRESHOLD) };
    } catch {
      // the database may answer the booking though it did not answer this
      return { epoch: '0', failed: 'unreadable' };
    }
  };
}

/** Whether no list is in force, or one is older than it may be. */
export function isStale({ lists }: Pick<ListsInMemory, 'lists'>, maxAgeDays: number): boolean {
  const oldest = now().getTime() - maxAgeDays * DAY_MILLISECONDS;
  return lists.length === 0 || lists.some(({ datedAt }) => datedAt.getTime() < oldest);
}

/** The entries that somebody could be, each once, the best first. */
export function partyMatches(
  { lists }: Pick<ListsInMemory, 'lists'>,
  asked: PartyAsked,
  least: number,
): readonly PartyMatch[] {
  const best = new Map<string, PartyMatch>();
  for (const prepared of preparedParty(asked))
    for (const { source, version, index } of lists)
      for (const found of index.find(prepared, least)) keepBest(best, partyMatch(source, version, found));
  return [...best.values()].sort((a, b) => b.score - a.score);
}

/** Somebody of whom only a name is known may be a person or a company. */
export function preparedParty({
  kind,
  name,
  names = [],
  birth_date: born,
}: PartyAsked): readonly PreparedAsked[] {
  const details = {
    birthDates: born === undefined ? [] : [{ from: born, to: born }],
    ...{ gender: null, nationalities: [], countries: [], identifiers: [] },
  };
  const kinds = kind === undefined ? (['person', 'company'] as const) : [kind];
  return [name, ...names].flatMap((called) =>
    kinds.map((each) => prepareAsked({ kind: each, name: called, details })),
  );
}

/** A match as it is kept. */
export function partyMatch(list: ListSource, version: number, found: Found<EntryInMemory>): PartyMatch {
  const { id, comparison } = found;
  const { score, explanation } = comparison;
  const { ref, programme, reference } = id;
  return { entry: id.id, list, version, ref, programme, reference, score, explanation };
}

/** Keeps the better one of an entry. */
export function keepBest(best: Map<string, PartyMatch>, match: PartyMatch): void {
  if (match.score > (best.get(match.entry)?.score ?? -1)) best.set(match.entry, match);
}

/** Screens somebody against all lists and writes down what was found; false if that has to be done again. */
export async function screenParty(db: EntityManager, party: PartyRow, threshold: number): Promise<boolean> {
  const lists = await refreshedLists(db);
  const matches = partyMatches(lists, party.asked, threshold);
  const { openPairs } = await recordScreening.one(db, { ...party, epoch: lists.epoch, matches });
  return openPairs !== null;
}

/** Screens whom a waiting transfer pays outside the bank. */
export async function screenPayeeOf(db: EntityManager, id: TransferId, threshold: number): Promise<void> {
  const payee = await payeeOfTransfer.first(db, { transfer: id });
  if (payee !== undefined) await screenParty(db, payee, threshold);
}
