/** Posting straight to the books, as their owner: the application has no such right and posts by what checks an order. One round trip. */
import type { EntityManager } from '@mikro-orm/postgresql';
import type { AccountId } from '../../../domain/ids.ts';
import type { RefusalCode } from '../../../domain/refusals.ts';
import { machineNow } from '../../../domain/time/now.ts';
import { moment, oneOf, ownJson } from '../../../db/rows/columns.ts';
import { statement } from '../../../db/rows/statement.ts';
import { createBatcher, type Batcher } from '../../../db/ledger/batches.ts';

/** One line: a signed amount in minor units; debits negative. */
export interface EntryDraft {
  readonly account: AccountId;
  readonly asset: string;
  readonly amount: bigint;
}

/** A ledger transaction to be. (sourceType, sourceId, kind) is its reference: posted at most once, whoever retries. */
export interface TransactionDraft {
  readonly id: string;
  readonly kind: string;
  readonly sourceType: string;
  readonly sourceId: string;
  /** ISO date; the bank's day where left out. */
  readonly valueDate?: string;
  readonly description?: string;
  readonly metadata?: Readonly<Record<string, string>>;
  /** The transaction that this one corrects. */
  readonly reverses?: string;
  readonly entries: readonly EntryDraft[];
}

const VERDICTS = [
  'posted',
  'duplicate',
  'not_found',
  'currency_mismatch',
  'account_closed',
  'account_blocked',
  'debits_stopped',
  'insufficient_funds',
  'balance_limit',
] as const satisfies readonly ('posted' | 'duplicate' | 'debits_stopped' | RefusalCode)[];
export type PostingVerdict = (typeof VERDICTS)[number];

const MOST_IN_A_BATCH = 128;

const postDrafts = statement({
  name: 'postDrafts',
  takes: { drafts: ownJson<readonly object[]>(), clock: moment() },
  gives: { verdict: oneOf(VERDICTS) },
  sql: 'select verdict from clock_check($clock), ledger_post($drafts) order by ord',
});

/** Posts drafts in their order, in one transaction (the caller's, where it has one). Throws where a draft does not sum to zero. */
export async function post(
  db: EntityManager,
  drafts: readonly TransactionDraft[],
): Promise<PostingVerdict[]> {
  const found = await postDrafts.all(db, { drafts: drafts.map(command), clock: machineNow() });
  return found.map(({ verdict }) => verdict);
}

/** A poster for many callers of one process. */
export function createPoster(em: () => EntityManager): Batcher<TransactionDraft, PostingVerdict> {
  return createBatcher({
    most: MOST_IN_A_BATCH,
    atOnce: 1,
    needs: () => [],
    retry: () => 'halves',
    carry: (drafts) => post(em(), drafts),
  });
}

function command(draft: TransactionDraft): object {
  return {
    id: draft.id,
    kind: draft.kind,
    source_type: draft.sourceType,
    source_id: draft.sourceId,
    value_date: draft.valueDate,
    description: draft.description,
    metadata: draft.metadata,
    reverses: draft.reverses,
    entries: draft.entries.map(({ account, asset, amount }) => ({
      account,
      asset,
      amount: amount.toString(),
    })),
  };
}
