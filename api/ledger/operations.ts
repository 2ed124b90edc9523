/** A customer reads the movements of an account. */
import { z } from 'zod';
import { accountOf } from '../../db/queries/accounts/accounts.ts';
import { AccountId } from '../../domain/ids.ts';
import { forUsers } from '../declaration/operation.ts';
import { listMovements, TransactionQuery } from './listing.ts';
import { TransactionListResponse } from './schemas.ts';

export const listAccountTransactions = forUsers({
  id: 'listAccountTransactions',
  area: 'Finance',
  title: 'List account ledger transactions',
  description:
    'The account’s movements, each with the balance after it. Fees are movements of their own (`part`). Filters hold together, and together with paging. A cursor works with either `order`.',
  method: 'GET',
  path: '/v1/accounts/{id}/transactions',
  effect: 'read',
  params: z.strictObject({ id: AccountId }),
  query: TransactionQuery,
  status: 200,
  answer: TransactionListResponse,
  refuses: [],
  async handle({ caller, params, query, db, refusal }) {
    const account = await accountOf.first(db, { ...params, owner: caller.id });
    if (account === undefined) throw refusal('not_found');
    return listMovements(db, account, query, false);
  },
});

/** In the order of the documentation. */
export const operations = [listAccountTransactions];
