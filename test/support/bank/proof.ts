/** What `trialBalance` finds wrong in books that tests have written in. */
import type { EntityManager } from '@mikro-orm/postgresql';
import { trialBalance } from '../../../db/ledger/trial-balance.ts';
import { row } from '../stack/sql.ts';

/**
 * The checks that fail, with the number of rows that break them. What tests and benches post straight to the books has no source and
 * is not counted; others may post so meanwhile.
 */
export async function brokenChecks(
  db: EntityManager,
): Promise<readonly { readonly check: string; readonly broken: number }[]> {
  const before = await postedWithoutSource(db);
  const { checks } = await trialBalance(db);
  const after = await postedWithoutSource(db);
  return checks.filter(({ check, broken }) =>
    check === 'every transaction has its source' ? broken < before || broken > after : broken > 0,
  );
}

async function postedWithoutSource(db: EntityManager): Promise<number> {
  const found = await row<{ count: number }>(
    db,
    `select count(*)::int as count from ledger_transactions where source_type in ('test', 'bench')`,
  );
  return found?.count ?? 0;
}
