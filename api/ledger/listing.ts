/** The movements of one account as its owner and as an administrator ask for them. */
import type { EntityManager } from '@mikro-orm/postgresql';
import type { z } from 'zod';
import { pageOfEntries } from '../../db/queries/ledger/entries.ts';
import type { EntryFilter } from '../../db/queries/ledger/entry-filter.ts';
import { wordsLike, type Wording } from '../../db/queries/ledger/search.ts';
import type { AccountId, UserId } from '../../domain/ids.ts';
import { parseAmount } from '../../domain/money.ts';
import { faultIn } from '../../domain/refusals.ts';
import { bySequence, pageOf, readingOf } from './paging.ts';
import { transactionFilters, type TransactionListResponse } from './schemas.ts';
import { transactionView } from './views.ts';

export const TransactionQuery = bySequence.query({ ...transactionFilters });
export type TransactionQuery = z.output<typeof TransactionQuery>;

export interface ListedAccount {
  readonly id: AccountId;
  readonly ownerId: UserId;
  readonly asset: string;
}

/** A page of the account's movements. An amount with more digits than the currency is a fault of the request. */
export async function listMovements(
  db: EntityManager,
  account: ListedAccount,
  query: TransactionQuery,
  wholeNames: boolean,
): Promise<z.output<typeof TransactionListResponse>> {
  const { order, beyond } = readingOf(query.cursor, query.order);
  const found = await pageOfEntries.all(db, {
    account: account.id,
    owner: account.ownerId,
    filter: await filterOf(db, account, query),
    order,
    beyond,
    most: query.limit + 1,
    wholeNames,
  });
  return pageOf(found, query, transactionView);
}

async function filterOf(
  db: EntityManager,
  account: ListedAccount,
  query: TransactionQuery,
): Promise<EntryFilter> {
  return {
    bookedFrom: query.from,
    bookedBefore: query.to,
    valueFrom: query.value_from,
    valueTo: query.value_to,
    direction: query.direction,
    least: minorOf('min_amount', query.min_amount, account.asset),
    most: minorOf('max_amount', query.max_amount, account.asset),
    kind: query.kind,
    wording: query.text === undefined ? undefined : await wordingOf(db, account.ownerId, query.text),
  };
}

/** A text without any word is found nowhere: a filter never narrows to nothing less than it says. */
async function wordingOf(db: EntityManager, owner: UserId, text: string): Promise<Wording> {
  const wording = await wordsLike(db, owner, text, 'exact');
  return wording.length === 0 ? [[]] : wording;
}

function minorOf(field: string, amount: string | undefined, asset: string): bigint | undefined {
  if (amount === undefined) return undefined;
  const money = parseAmount(amount, asset);
  if (typeof money !== 'string') return money.minor;
  const detail = 'is too large, or has more digits after the point than the currency';
  throw faultIn(`query/${field}`, money, detail);
}
