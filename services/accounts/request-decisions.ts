/** Bringing a decision to the process of a request to open an account. */
import type { EntityManager } from '@mikro-orm/postgresql';
import type { Config } from '../../config.ts';
import { accountRequestOf, type AccountRequestRow } from '../../db/queries/accounts/account-requests.ts';
import type { AccountRequestDecision, AccountRequestOrder } from '../../domain/accounts/account-requests.ts';
import type { AccountRequestId, UserId } from '../../domain/ids.ts';
import { Refusal } from '../../domain/refusals.ts';
import { looked, review } from '../../workflows/account-request/contract.ts';
import { accountRequestProcess } from '../../workflows/account-request/process.ts';
import type { Services } from '../services.ts';

const HOUR_SECONDS = 3_600;

/** What the process of a request starts with. */
export function orderOf(id: AccountRequestId, customerId: UserId, config: Config): AccountRequestOrder {
  return { id, customerId, remindSeconds: config.ACCOUNT_REQUEST_REMINDER_HOURS * HOUR_SECONDS };
}

/**
 * Decides and answers the request as it is then. A pending one whose process is gone (terminated by an operator, or on a restored
 * server) gets it back first. Refuses: account_request_not_pending, same_person, account_type_unavailable, kyc_level_too_low.
 */
export async function decideOnRequest(
  request: AccountRequestRow,
  decision: AccountRequestDecision,
  db: EntityManager,
  { processes, config }: Pick<Services, 'processes' | 'config'>,
): Promise<AccountRequestRow> {
  const ask = () => processes.decide(accountRequestProcess, request.id, review, decision, decision.id);
  let answer = request.status === 'pending' ? await ask() : 'ended';
  let decided = await someRequest(db, null, request.id);
  if (answer === 'ended' && decided.status === 'pending') {
    await processes.beginAgain(accountRequestProcess, orderOf(request.id, request.userId, config), looked);
    answer = await ask();
    decided = await someRequest(db, null, request.id);
  }
  if (answer === 'ended' && decided.decisionId !== decision.id)
    throw new Refusal('account_request_not_pending', { members: { request_status: decided.status } });
  return decided;
}

/** A request of this customer, or of anybody. Refuses not_found. */
export async function someRequest(
  db: EntityManager,
  customer: UserId | null,
  id: AccountRequestId,
): Promise<AccountRequestRow> {
  const request = await accountRequestOf.first(db, { id, user: customer });
  if (request === undefined) throw new Refusal('not_found');
  return request;
}
