/** Deposits under review: two administrators decide whose one is, and it is credited. */
import { knownDeposit, releaseDeposit, type KnownDepositRow } from '../../db/queries/crypto/deposits.ts';
import { record } from '../../db/queries/platform/audit.ts';
import type { AuditState } from '../../db/schema/platform.ts';
import type { CryptoDepositId, UserId } from '../../domain/ids.ts';
import { formatHolding } from '../../domain/money.ts';
import { faultIn, found } from '../../domain/refusals.ts';
import { machineNow } from '../../domain/time/now.ts';
import type { AdminCall } from '../callers.ts';
import { anyChange, fourEyes, type Place } from '../platform/four-eyes.ts';

/** Coins become a customer's: always two look. Whoever gets them is not one of the two. */
export const depositFourEyes = fourEyes({
  resource: ({ params }: Place<{ readonly id: CryptoDepositId }>) => ['crypto_deposit', params.id],
  state: async (db, { params }) => (await knownDeposit.first(db, params)) ?? null,
  loosens: anyChange(told),
  shown: told,
  concerns: ({ userId }) => userId,
});

/** To whom a deposit is released, and why. */
export interface Release {
  /** Undefined for its owner. */
  readonly userId: UserId | undefined;
  readonly reason: string;
}

type Refused =
  | 'crypto_deposit_not_under_review'
  | 'crypto_deposit_held'
  | 'account_closed'
  | 'account_blocked'
  | 'same_person';

/**
 * Credits a deposit under review, or leaves it there as the customer's if the money-laundering watch holds it. Refuses what the chain has
 * dropped, what the watch holds already, nobody as its owner, and an account that cannot take it.
 */
export async function releaseToCustomer(
  call: AdminCall<Refused>,
  id: CryptoDepositId,
  { userId, reason }: Release,
): Promise<KnownDepositRow> {
  const { db, actor, refusal } = call;
  const before = found(await knownDeposit.first(db, { id }));
  const release = { deposit: id, customer: userId ?? null, by: actor.id, clock: machineNow() };
  const { refusal: why } = await releaseDeposit.one(db, release);
  if (why === 'no_owner') throw faultIn('/user_id', 'required', 'must name whose it is: it has no owner');
  if (why === 'unknown_owner') throw faultIn('/user_id', 'not_found', 'must name a user');
  if (why !== null) throw refusal(why);
  const after = await knownDeposit.one(db, { id });
  await record(db, actor, {
    action: 'crypto_deposit.released',
    subject: ['crypto_deposit', id],
    ...{ before: told(before), after: told(after), reason },
  });
  return after;
}

/** Without what the custodian may tell anew while a second administrator is waited for. */
function told({ status, fault, userId, amount, asset }: KnownDepositRow): AuditState {
  return { status, fault, user_id: userId, amount: { ...formatHolding({ minor: amount, asset }) } };
}
