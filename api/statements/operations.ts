/** Statements of account, for owners and for the back office. */
import { z } from 'zod';
import { AccountId } from '../../domain/ids.ts';
import { forAdmins, forUsers } from '../declaration/operation.ts';
import { exportStatement } from '../../services/statements/export.ts';
import { FORMATS, streamed } from './formats.ts';
import { statementPeriod, TransactionStatementList } from './schemas.ts';

const ABOUT =
  '`Accept` chooses JSON, CSV, PDF, or camt.053.001.08 as `application/xml` (only for accounts in an ISO 4217 currency). ' +
  'Days are those of the bank’s time zone. The same days give the same bytes until something is booked in them. ' +
  'If the connection breaks before the end of the answer, the statement is incomplete: ask again.';

export const getAccountStatement = forUsers({
  id: 'getAccountStatement',
  area: 'Finance',
  title: 'Get account statement',
  description: `Returns the statement of one of the caller’s accounts. ${ABOUT}`,
  method: 'GET',
  path: '/v1/accounts/{id}/statement',
  effect: 'read',
  params: z.strictObject({ id: AccountId }),
  query: z.strictObject(statementPeriod),
  formats: FORMATS,
  status: 200,
  answer: TransactionStatementList,
  refuses: ['format_not_offered'],
  throttle: { points: 60, seconds: 60, per: 'user' },
  beyond: true,
  async handle({ params: { id: account }, ...request }, services) {
    const statement = await exportStatement({ ...request, account, owner: request.caller.id }, services);
    return streamed(statement, request.format);
  },
});

export const exportAccountStatement = forAdmins({
  id: 'exportAccountStatement',
  area: 'Admin finance',
  title: 'Export ledger transaction statement',
  description: `Returns the statement of any customer’s account. The audit log records who asked for it. ${ABOUT}`,
  method: 'GET',
  path: '/v1/admin/accounts/{id}/statement',
  effect: 'read',
  permission: 'statements:export',
  params: z.strictObject({ id: AccountId }),
  query: z.strictObject(statementPeriod),
  formats: FORMATS,
  status: 200,
  answer: TransactionStatementList,
  refuses: ['format_not_offered'],
  async handle({ params: { id: account }, ...request }, services) {
    const statement = await exportStatement({ ...request, account, owner: null }, services);
    return streamed(statement, request.format);
  },
});

/** In the order of the documentation. */
export const operations = [getAccountStatement, exportAccountStatement];
