/** Screening beside payments: who is new or has another name, and everybody once a list has changed. */
import { setImmediate as breathe } from 'node:timers/promises';
import type { EntityManager } from '@mikro-orm/postgresql';
import {
  claimScreening,
  dueParties,
  endScreening,
  entriesChanged,
  recordClean,
  recordScreening,
  screenSources,
  screenedParties,
  type PartyRow,
} from '../../db/queries/aml/parties.ts';
import { ScreeningEntryId } from '../../domain/ids.ts';
import { prepareEntry } from '../../domain/matching/compare.ts';
import { createListIndex } from '../../domain/matching/list-index.ts';
import type { PartyMatch } from '../../domain/screening/parties.ts';
import type { ListSource } from '../../domain/screening/lists.ts';
import { refreshedLists, type EntryInMemory } from './lists-in-memory.ts';
import { keepBest, partyMatch, partyMatches, preparedParty } from './screening.ts';

/** Seconds for which another process leaves the work to this one; each page asks for them anew. */
const TURN_SECONDS = 60;
const PAGE = 500;
const DUE_AT_ONCE = 100;
/** Payments of the same process get their turn after so many comparisons with a few entries. */
const BREATH = 20;
const FIRST = '00000000-0000-0000-0000-000000000000';

interface Round {
  readonly em: () => EntityManager;
  readonly threshold: number;
}

/** One round, until nobody is due and every change of a list has met everybody. Answers false if another process is at it. */
export async function screeningRound(round: Round): Promise<boolean> {
  const turn = { seconds: TURN_SECONDS };
  if ((await claimScreening.first(round.em(), { ...turn, goesOn: false })) === undefined) return false;
  let swept = { from: 0n, to: 0n };
  try {
    for (;;) {
      const { epoch, sweptEpoch } = await claimScreening.one(round.em(), { ...turn, goesOn: true });
      if (epoch > sweptEpoch) {
        await sweep(round, sweptEpoch);
        swept = { from: sweptEpoch, to: epoch };
        await endScreening.run(round.em(), swept);
      } else if ((await screenDue(round)) === 0) return true;
    }
  } finally {
    await endScreening.run(round.em(), swept);
  }
}

/** Compares those who are due with all lists; answers how many it could write down. */
async function screenDue({ em, threshold }: Round): Promise<number> {
  const due = await dueParties.all(em(), { most: DUE_AT_ONCE });
  if (due.length === 0) return 0;
  const lists = await refreshedLists(em());
  const clean: PartyRow[] = [];
  let written = 0;
  for (const party of due) {
    const matches = partyMatches(lists, party.asked, threshold);
    if (matches.length === 0) clean.push(party);
    else {
      const { openPairs } = await recordScreening.one(em(), { ...party, epoch: lists.epoch, matches });
      written += openPairs === null ? 0 : 1;
    }
    await breathe();
  }
  const people = clean.map(({ partyType: type, partyId: id, asked }) => ({ type, id, asked }));
  return written + (await recordClean.one(em(), { people, epoch: lists.epoch })).count;
}

/** Compares everybody, and where deposits came from, with the entries that have changed since an epoch. */
async function sweep({ em, threshold }: Round, since: bigint): Promise<void> {
  await screenSources.one(em(), { since });
  const find = await changedSince(em, since);
  if (find === null) return;
  let after: Pick<PartyRow, 'partyType' | 'partyId'> = { partyType: 'beneficiary', partyId: FIRST };
  for (;;) {
    const page = await screenedParties.all(em(), { ...after, most: PAGE });
    for (const [at, party] of page.entries()) {
      const matches = find(party, threshold);
      if (matches.length > 0) await recordScreening.one(em(), { ...party, epoch: null, matches });
      if (at % BREATH === 0) await breathe();
    }
    const last = page.at(-1);
    if (last === undefined) return;
    after = last;
    await claimScreening.one(em(), { seconds: TURN_SECONDS, goesOn: true });
  }
}

type Find = (party: PartyRow, least: number) => readonly PartyMatch[];
type Changed = EntryInMemory & { readonly source: ListSource; readonly version: number };

/** Finds somebody among the entries that have changed; null if none has. */
async function changedSince(em: () => EntityManager, epoch: bigint): Promise<Find | null> {
  const index = createListIndex<Changed>();
  let after = ScreeningEntryId.parse(FIRST);
  for (;;) {
    const page = await entriesChanged.all(em(), { epoch, after, most: PAGE });
    for (const [at, entry] of page.entries()) {
      const { id, ref, programme, reference, source, sinceVersion: version } = entry;
      index.add({ id, ref, programme, reference, source, version }, prepareEntry(entry));
      if (at % BREATH === 0) await breathe();
    }
    const last = page.at(-1);
    if (last === undefined) break;
    after = last.id;
  }
  if (index.size() === 0) return null;
  return ({ asked }, least) => {
    const best = new Map<string, PartyMatch>();
    for (const prepared of preparedParty(asked))
      for (const found of index.find(prepared, least))
        keepBest(best, partyMatch(found.id.source, found.id.version, found));
    return [...best.values()];
  };
}
