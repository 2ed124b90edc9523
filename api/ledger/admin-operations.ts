/** The back office reads the books: the movements of anybody's account, and what all accounts sum up to. */
import { z } from 'zod';
import { ledgerBalances } from '../../db/queries/ledger/ledger-balances.ts';
import { AccountId } from '../../domain/ids.ts';
import { someAccount } from '../accounts/detail.ts';
import { forAdmins } from '../declaration/operation.ts';
import { TrialBalance, trialBalanceQuery } from './admin-schemas.ts';
import { listMovements, TransactionQuery } from './listing.ts';
import { TransactionListResponse } from './schemas.ts';
import { trialBalanceView } from './trial-balance.ts';

export const listAccountTransactionsAsAdmin = forAdmins({
  id: 'listAccountTransactionsAsAdmin',
  area: 'Admin finance',
  title: 'List account ledger transactions (admin)',
  description: 'The movements of anybody’s account, names in full.',
  method: 'GET',
  path: '/v1/admin/accounts/{id}/transactions',
  effect: 'read',
  permission: 'accounts:read',
  params: z.strictObject({ id: AccountId }),
  query: TransactionQuery,
  status: 200,
  answer: TransactionListResponse,
  refuses: [],
  async handle({ params, query, db }) {
    return listMovements(db, await someAccount(db, params.id), query, true);
  },
});

export const getTrialBalance = forAdmins({
  id: 'getTrialBalance',
  area: 'Admin finance',
  title: 'Get trial balance',
  description:
    'The balance of the whole bank. Every account’s balance at a time, debits beside credits; what the entries themselves say is proven by a schedule.',
  method: 'GET',
  path: '/v1/admin/ledger/trial-balance',
  effect: 'read',
  permission: 'ledger:read',
  query: trialBalanceQuery,
  status: 200,
  answer: TrialBalance,
  refuses: [],
  beyond: true,
  async handle({ query, db }) {
    const asOf = query.as_of ?? null;
    return trialBalanceView(await ledgerBalances.all(db, { at: asOf }), asOf ?? new Date());
  },
});

/** In the order of the documentation. */
export const operations = [listAccountTransactionsAsAdmin, getTrialBalance];
