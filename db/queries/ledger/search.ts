/** Searching a customer's own entries by words: first those that are spelt so, then those that are spelt almost so. */
import type { EntityManager } from '@mikro-orm/postgresql';
import type { AccountId, UserId } from '../../../domain/ids.ts';
import { rows } from '../../sql.ts';

/** For each word asked for, the customer's words that stand for it; an empty list where there is none. */
export type Wording = readonly (readonly string[])[];

/** How many of a customer's words one asked for may stand for. */
const MOST_WORDS = 200;
/** The newest entries are looked through first: a frequent word is found there, without collecting all that have it. */
const RECENT = 4_000;

const exact = `
  select coalesce((select array_agg(word) from (
      select distinct s.word from search_words s
       where s.owner_id = $1 and s.word >= term.term collate "C" and s.word < (term.term || chr(1114111)) collate "C" order by s.word limit ${MOST_WORDS}) w), '{}') as words
    from unnest(search_query($2)) with ordinality term(term, n) order by n`;

/** Looks through all words of the customer: there are few beside the entries. */
const near = `
  select coalesce((select array_agg(word) from (
      select s.word from search_words s where s.owner_id = $1 and search_is_near(s.word, term.term) group by s.word
       order by s.word = term.term desc, position(term.term in s.word) = 1 desc, abs(char_length(s.word) - char_length(term.term)), s.word limit ${MOST_WORDS}) w), '{}') as words
    from unnest(search_query($2)) with ordinality term(term, n) order by n`;

/** What a text asks for in the words of this customer; words that begin like one asked for stand for it. */
export async function wordsLike(
  em: EntityManager,
  owner: UserId,
  text: string,
  closeness: 'exact' | 'near',
): Promise<Wording> {
  const found = await rows<{ words: string[] }>(em, closeness === 'exact' ? exact : near, [owner, text]);
  return found.map(({ words }) => words);
}

/** Names an entry. */
export interface EntryKey {
  readonly account_id: AccountId;
  readonly seq: string;
}

const KEYS = 'select w.account_id, w.seq from';
const NEWEST_FIRST = 'order by w.booked_at desc, w.account_id desc, w.seq desc limit $2';

/** The customer's newest entries that have every word asked for, newest first. */
export async function entriesWith(
  em: EntityManager,
  owner: UserId,
  wording: Wording,
  most: number,
): Promise<EntryKey[]> {
  if (wording.length === 0 || wording.some((words) => words.length === 0)) return [];
  const every = wording.map((_words, index) => `w.words && $${index + 3}::text[]`).join(' and ');
  const parameters = [owner, most, ...wording];
  const recent = await rows<EntryKey>(
    em,
    `${KEYS} (select * from entry_words n where n.owner_id = $1 order by n.booked_at desc, n.account_id desc, n.seq desc limit ${RECENT}) w
      where ${every} ${NEWEST_FIRST}`,
    parameters,
  );
  if (recent.length >= most) return recent;
  // few of the newest have it, so few have it at all
  return rows<EntryKey>(
    em,
    `${KEYS} entry_words w where w.owner_id = $1 and ${every} ${NEWEST_FIRST}`,
    parameters,
  );
}
