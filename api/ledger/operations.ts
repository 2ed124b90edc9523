/** A customer reads the movements of an account. */
import { z } from 'zod';
import { accountOf } from '../../db/queries/accounts/accounts.ts';
import { AccountId } from '../../domain/ids.ts';
import { found } from '../../domain/refusals.ts';
import { forUsers } from '../declaration/operation.ts';
import { listMovements, TransactionQuery } from './listing.ts';
import { TransactionListResponse } from './schemas.ts';

export const listAccountTransactions = forUsers({
  id: 'listAccountTransactions',
  area: 'Finance',
  title: 'List account ledger transactions',
  description:
    'Lists the movements of an account, each with the balance after it. A fee is a movement of its own, see `part`. A movement is listed if it matches all filters that are given. A cursor works with either `order`.',
  method: 'GET',
  path: '/v1/accounts/{id}/transactions',
  effect: 'read',
  params: z.strictObject({ id: AccountId }),
  query: TransactionQuery,
  status: 200,
  answer: TransactionListResponse,
  refuses: [],
  async handle({ caller, params, query, db }) {
    return listMovements(db, found(await accountOf.first(db, { ...params, owner: caller.id })), query, false);
  },
});

/** In the order of the documentation. */
export const operations = [listAccountTransactions];
