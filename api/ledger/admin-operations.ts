/** The back office reads the books: the movements of anybody's account, and what all accounts sum up to. */
import { z } from 'zod';
import { adminAccountById } from '../../db/queries/accounts/accounts-admin.ts';
import { ledgerBalances } from '../../db/queries/ledger/ledger-balances.ts';
import { AccountId } from '../../domain/ids.ts';
import { found } from '../../domain/refusals.ts';
import { now } from '../../domain/time/now.ts';
import { forAdmins } from '../declaration/operation.ts';
import { TrialBalance, trialBalanceQuery } from './admin-schemas.ts';
import { listMovements, TransactionQuery } from './listing.ts';
import { TransactionListResponse } from './schemas.ts';
import { trialBalanceView } from './trial-balance.ts';

export const listAccountTransactionsAsAdmin = forAdmins({
  id: 'listAccountTransactionsAsAdmin',
  area: 'Admin finance',
  title: 'List account ledger transactions (admin)',
  description: 'Lists the movements of any customer’s account, with names in full.',
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
    return listMovements(db, found(await adminAccountById.first(db, params)), query, true);
  },
});

export const getTrialBalance = forAdmins({
  id: 'getTrialBalance',
  area: 'Admin finance',
  title: 'Get trial balance',
  description: 'Returns the balances of the whole bank at a time, debits beside credits.',
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
    return trialBalanceView(await ledgerBalances.all(db, { at: asOf }), asOf ?? now());
  },
});

/** In the order of the documentation. */
export const operations = [listAccountTransactionsAsAdmin, getTrialBalance];
