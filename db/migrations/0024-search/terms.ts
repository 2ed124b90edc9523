/** Cutting a text into the words under which it is found. A change of these functions needs the words written anew. */

/** Scripts that write words without spaces between them: Thai, Lao, Khmer, Kana, Han. */
const SPACELESS = String.raw`\u0e00-\u0eff\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff\U00020000-\U0003ffff`;
/** Accents, Hebrew points, Arabic vowel signs. */
const MARKS = String.raw`\u0300-\u036f\u0591-\u05c7\u0610-\u061a\u064b-\u065f\u0670`;

/**
 * Without case, accents and forms of the same letter (Unicode NFKD, its marks left out, case folded, NFC): "MÜLLER", "Müller" and
 * "muller" are one. Words are runs of letters and digits, cut at 40; a run of a script without spaces is every one and every two
 * neighbours of its signs, so that any part of it is found.
 */
export const searchTerms = `
  create function search_normal(plain text) returns text language sql immutable strict parallel safe set search_path = public, pg_temp as $$
    -- most texts are plain ASCII and need none of it
    select case when octet_length(plain) = char_length(plain) then lower(plain collate pg_unicode_fast) else
      translate(normalize(casefold(regexp_replace(normalize(plain, NFKD), '[${MARKS}]', '', 'g') collate pg_unicode_fast), NFC), 'łøđıħŧ', 'lodiht') end
  $$;

  create function search_terms(plain text) returns text[] language plpgsql immutable strict parallel safe set search_path = public, pg_temp as $$
  declare normal text := search_normal(left(plain, 2000)); terms text[]; run text;
  begin
    if octet_length(normal) = char_length(normal) then
      return array(select distinct left(word, 40) from regexp_split_to_table(normal, '[^a-z0-9]+') word where word <> '');
    end if;
    select array_agg(distinct left(word, 40)) into terms
      from regexp_split_to_table(regexp_replace(normal, '[${SPACELESS}]+', ' ', 'g') collate pg_unicode_fast, '[^[:alnum:]]+') word where word <> '';
    if normal ~ '[${SPACELESS}]' then
      for run in select (regexp_matches(normal, '[${SPACELESS}]+', 'g'))[1] loop
        select terms || array_agg(distinct part) into terms
          from generate_series(1, char_length(run)) i, lateral (values (substr(run, i, 1)), (substr(run, i, 2))) v(part);
      end loop;
      select array_agg(distinct term) into terms from unnest(terms) term;
    end if;
    return coalesce(terms, '{}');
  end $$;

  -- what is asked for: as above, but of two signs and more only the pairs, which say the order too
  create function search_query(plain text) returns text[] language sql immutable strict parallel safe set search_path = public, pg_temp as $$
    select coalesce(array_agg(term order by char_length(term) desc, term), '{}') from unnest(search_terms(plain)) term
      where term !~ '^[${SPACELESS}]$' or not exists (
        select from unnest(search_terms(plain)) pair where char_length(pair) = 2 and pair ~ '^[${SPACELESS}]+$' and position(term in pair) > 0)
  $$;
  revoke execute on function search_normal, search_terms, search_query from public;
  grant execute on function search_normal, search_terms, search_query to teller_app;
`;

/**
 * Whether a word is spelt almost like the one asked for. From four letters on one may be wrong, missing or too many, from eight on two
 * (not in numbers); from three on it may stand inside, or two letters may have changed places. Written so that PostgreSQL puts it into
 * the query instead of calling it for each word: not strict, no path of its own, no subquery.
 */
export const searchIsNear = `
  create function search_is_near(word text, term text) returns boolean language sql immutable parallel safe as $$
    select case
      when position(term in word) > 0 then char_length(term) >= 3 or position(term in word) = 1
      when char_length(term) < 3 or term !~ '[^0-9]' or abs(char_length(word) - char_length(term)) > 2 then false
      else public.levenshtein_less_equal(word, term, 2) <= case
        when char_length(word) = char_length(term) and translate(word, term, '') = '' and translate(term, word, '') = '' then 2
        when char_length(term) < 4 then 0 when char_length(term) < 8 then 1 else 2 end end
  $$;
  revoke execute on function search_is_near from public;
  grant execute on function search_is_near to teller_app;
`;
