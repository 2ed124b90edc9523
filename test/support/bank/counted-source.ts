/** A source of holds of the tests, which counts limits as those of the bank do. */
import { z } from 'zod';
import type { AccountId } from '../../../domain/ids.ts';
import { PERIODS, type Rule } from './counters-model.ts';
import type { Sql } from './holds.ts';

/** Its functions: each is one transaction, under the locks of account and owner. A hold of it is used up by its account's limits. */
export const COUNTED_SOURCE = `
  create function test_pay(
    source uuid, account uuid, asset text, amount numeric, until timestamptz, must boolean, counter bigint, rules jsonb
  ) returns jsonb language plpgsql as $$
  declare passed jsonb; opened record;
  begin
    perform 1 from accounts a where a.id = account for no key update;
    perform limit_lock(array[account]);
    if exists (select from holds h where h.source_type = 'test' and h.source_id = source) then return null; end if;
    if not must then passed := limit_passed(counter, rules, amount, asset, bank_now()); end if;
    if passed is not null then return passed; end if;
    select * into opened from hold_open('test', source, account, asset, amount, until, must);
    if opened.refusal is not null then return to_jsonb(opened.refusal); end if;
    perform limit_count(counter, source, amount, bank_now());
    return null;
  end $$;
  create function test_change(hold uuid, amount numeric, until timestamptz, must boolean) returns text language plpgsql as $$
  declare refusal text; h holds := hold_lock(hold);
  begin
    refusal := hold_change(hold, amount, until, must);
    if refusal is null then
      perform limit_lock(array[h.account_id]);
      perform limit_change(h.source_id, amount);
    end if;
    return refusal;
  end $$;
  create function test_release(hold uuid) returns void language plpgsql as $$
  declare h holds := hold_lock(hold);
  begin
    perform hold_release(hold);
    perform limit_lock(array[h.account_id]);
    perform limit_change(h.source_id, 0);
  end $$`;

/** The counter of an account. */
export async function counterOf(sql: Sql, account: AccountId, asset: string): Promise<string> {
  const [row] = await sql(`select counter from limit_counter($1, 'test/paying', $2, 'account', $1)`, [
    account,
    asset,
  ]);
  return String(row?.['counter']);
}

/** What a counter says is used in each period of now. */
export async function usedOf(sql: Sql, counter: string): Promise<object[]> {
  const rows = await sql(
    `select p.period, u.amount::text, u.uses::int
       from unnest($2::text[]) with ordinality p(period, n), limit_used($1, p.period, bank_now()) u order by p.n`,
    [counter, PERIODS],
  );
  return rows.map(({ amount, ...row }) => ({ ...row, amount: BigInt(String(amount)) }));
}

/** Rules as the functions of limits read them. */
export const written = (rules: readonly Rule[]): string =>
  JSON.stringify(rules.map(({ amount, ...rule }) => ({ ...rule, amount: amount?.toString() })));

const Passed = z.object({ period: z.string(), used: z.union([z.string(), z.number()]) });

/** A code, or the limit that was passed with what is used of it, in minor units or as a number of uses. */
export function readRefusal(refusal: unknown): unknown {
  if (refusal === null || typeof refusal === 'string') return refusal;
  const { period, used } = Passed.parse(refusal);
  return { period, used: BigInt(String(used).replace('.', '')) };
}
