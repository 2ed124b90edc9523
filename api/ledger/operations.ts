/** A customer reads the movements of an account. */
import { z } from 'zod';
import { accountOf } from '../../db/queries/accounts/accounts.ts';
import { AccountId } from '../../domain/ids.ts';
import { Refusal } from '../../domain/refusals.ts';
import { operation } from '../operation.ts';
import { listMovements, TransactionQuery } from './listing.ts';
import { TransactionListResponse } from './schemas.ts';

/** The account's movements, each with the balance after it. */
export const listAccountTransactions = operation({
  id: 'listAccountTransactions',
  area: 'Finance',
  title: 'List account ledger transactions',
  description:
    'Fees are movements of their own (`part`). Filters hold together, and together with paging. A cursor works with either `order`.',
  method: 'GET',
  path: '/v1/accounts/{id}/transactions',
  auth: 'user',
  params: z.strictObject({ id: AccountId }),
  query: TransactionQuery,
  status: 200,
  answer: TransactionListResponse,
  refuses: [],
  async handle({ caller, params, query, db }) {
    const account = await accountOf.first(db, { ...params, owner: caller.id });
    if (account === undefined) throw new Refusal('not_found');
    return listMovements(db, account, query, false);
  },
});
