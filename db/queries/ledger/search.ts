/** Searching a customer's own entries by words: first those that are spelt so, then those that are spelt almost so. */
import type { EntityManager } from '@mikro-orm/postgresql';
import { UserId } from '../../../domain/ids.ts';
import { id, text, textArray, type RowOf } from '../../rows/columns.ts';
import { LAST_ID, composedStatement, type Bind } from '../../rows/composed.ts';
import { statement } from '../../rows/statement.ts';
import { columnsOf, selectList } from '../../rows/table-columns.ts';
import { EntryWords } from '../../schema/ledger.ts';

/** For each word asked for, the customer's words that stand for it; an empty list where there is none. */
export type Wording = readonly (readonly string[])[];

/** How many of a customer's words one asked for may stand for. */
const MOST_WORDS = 200;
/** The newest entries are looked through first: a frequent word is found there, without collecting all that have it. */
const RECENT = 4_000;

const wording = {
  takes: { owner: id<UserId>(), text: text() },
  gives: { words: textArray() },
};

const exactWords = statement({
  name: 'exactWords',
  ...wording,
  sql: `
  select coalesce((select array_agg(word) from (
      select distinct s.word from search_words s
       where s.owner_id = $owner and s.word >= term.term collate "C" and s.word < (term.term || chr(1114111)) collate "C" order by s.word limit ${MOST_WORDS}) w), '{}') as words
    from unnest(search_query($text)) with ordinality term(term, n) order by n`,
});

/** Looks through all words of the customer: there are few beside the entries. */
const nearWords = statement({
  name: 'nearWords',
  ...wording,
  sql: `
  select coalesce((select array_agg(word) from (
      select s.word from search_words s where s.owner_id = $owner and search_is_near(s.word, term.term) group by s.word
       order by s.word = term.term desc, position(term.term in s.word) = 1 desc, abs(char_length(s.word) - char_length(term.term)), s.word limit ${MOST_WORDS}) w), '{}') as words
    from unnest(search_query($text)) with ordinality term(term, n) order by n`,
});

/** What a text asks for in the words of this customer; words that begin like one asked for stand for it. */
export async function wordsLike(
  db: EntityManager,
  owner: UserId,
  text: string,
  closeness: 'exact' | 'near',
): Promise<Wording> {
  const found = await (closeness === 'exact' ? exactWords : nearWords).all(db, { owner, text });
  return found.map(({ words }) => words);
}

const key = columnsOf(EntryWords, 'accountId', 'seq');
/** Names an entry. */
export type EntryKey = RowOf<typeof key>;

interface WordSearch {
  readonly owner: UserId;
  readonly wording: Wording;
  readonly most: number;
}

const KEYS = `select ${selectList(key, 'w')} from`;
const NEWEST_FIRST = 'order by w.booked_at desc, w.account_id desc, w.seq desc limit';
const everyWord = (wording: Wording, bind: Bind): string =>
  wording.map((words) => `w.words && ${bind(words)}::text[]`).join(' and ');
const examples: readonly WordSearch[] = [
  {
    owner: UserId.parse(LAST_ID),
    wording: [['rent', 'rents'], ['flat']],
    most: 1,
  },
];

const recentEntriesWith = composedStatement({
  name: 'recentEntriesWith',
  gives: key,
  compose: ({ owner, wording, most }: WordSearch, bind) => `
    ${KEYS} (select * from entry_words n where n.owner_id = ${bind(owner)}
              order by n.booked_at desc, n.account_id desc, n.seq desc limit ${RECENT}) w
     where ${everyWord(wording, bind)} ${NEWEST_FIRST} ${bind(most)}`,
  examples,
});

const allEntriesWith = composedStatement({
  name: 'allEntriesWith',
  gives: key,
  compose: ({ owner, wording, most }: WordSearch, bind) => `
    ${KEYS} entry_words w where w.owner_id = ${bind(owner)} and ${everyWord(wording, bind)}
    ${NEWEST_FIRST} ${bind(most)}`,
  examples,
});

/** The customer's newest entries that have every word asked for, newest first. */
export async function entriesWith(
  db: EntityManager,
  owner: UserId,
  wording: Wording,
  most: number,
): Promise<EntryKey[]> {
  if (wording.length === 0 || wording.some((words) => words.length === 0)) return [];
  const recent = await recentEntriesWith.all(db, { owner, wording, most });
  // few of the newest have it, so few have it at all
  return recent.length >= most ? recent : allEntriesWith.all(db, { owner, wording, most });
}
