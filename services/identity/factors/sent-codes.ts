/** How many codes are sent to one address or number, whoever asks for them. */
import type { UserId } from '../../../domain/ids.ts';
import type { SentFactor } from '../../../domain/identity/people.ts';
import type { Refusing, Visit } from '../../callers.ts';
import { network, type Throttle, type Throttles } from '../../platform/throttles.ts';

/**
 * Codes that strangers may have sent to one address or number: from one network, and from everywhere. The second is wider, so that
 * one stranger alone cannot keep somebody from registering; a text message costs more than a mail.
 */
const FROM_ONE_NETWORK = { points: 5, seconds: 3_600 };
const FROM_ANYWHERE = {
  email_otp: { points: 20, seconds: 3_600 },
  sms_otp: { points: 10, seconds: 3_600 },
} as const satisfies Record<SentFactor, Throttle>;
/** Codes that one user may have sent to new addresses and numbers; strangers do not count here. */
const BY_ONE_USER = { points: 5, seconds: 3_600 };

/** Counts a code for somebody who has not proven to own the address or number. */
export async function limitStrangers(
  visit: Visit<'too_many_requests'>,
  throttles: Throttles,
  { to, method }: { readonly to: string; readonly method: SentFactor },
): Promise<void> {
  const name = method === 'sms_otp' ? 'register-phone' : 'register-email';
  await throttles.take(visit, `${name}-network`, `${to} ${network(visit.client.address)}`, FROM_ONE_NETWORK);
  await throttles.take(visit, name, to, FROM_ANYWHERE[method]);
}

/** Counts a code that a user has sent to a new address or number. */
export async function limitChanges(
  call: Refusing<'too_many_requests'>,
  throttles: Throttles,
  userId: UserId,
): Promise<void> {
  await throttles.take(call, 'new-contact', userId, BY_ONE_USER);
}
