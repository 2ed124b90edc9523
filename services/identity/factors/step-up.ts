/** Step-up: a fresh second factor for one operation (RFC 9470). */
import { factorsOf, noteProof } from '../../../db/queries/identity/factors/factors.ts';
import { transaction } from '../../../db/transaction.ts';
import type { ChallengeId } from '../../../domain/ids.ts';
import type { SecondFactor } from '../../../domain/identity/people.ts';
import { faultIn, type Refusal } from '../../../domain/refusals.ts';
import type { OwnCall } from '../../callers.ts';
import type { Services } from '../../services.ts';
import { noteEvent, noteFailure } from '../events.ts';
import { takeFactor, type OpenChallenge } from './challenges.ts';
import { askFor, chooseFactor, limitCodes, stepUpFactors } from './factors.ts';

/** Asks for the second factor of one operation. Opens its transaction itself. Refuses invalid_request for an unknown operation. */
export async function askForStepUp(
  call: OwnCall<'no_such_factor' | 'too_many_requests'>,
  { cipher, throttles, stepUpOperations }: Services,
  { operation, wished }: { readonly operation: string; readonly wished: SecondFactor | undefined },
): Promise<OpenChallenge & { readonly method: SecondFactor }> {
  const { caller, refusal } = call;
  if (!stepUpOperations.has(operation))
    throw faultIn('/operation', 'unknown_operation', 'is not an operation that needs a step-up');
  const factors = await factorsOf.first(call.db, { userId: caller.id });
  if (factors === undefined) throw refusal('unauthenticated');
  const method = chooseFactor(call, factors, stepUpFactors(factors), wished);
  await limitCodes(call, throttles, caller.id, { purpose: 'step_up', method });
  const binding = { sessionId: caller.sessionId, operation };
  return transaction(call.db, async (db) => {
    const opened = await askFor({ ...call, db }, cipher, factors, { purpose: 'step_up', method, binding });
    await noteEvent({ ...call, db }, 'step_up.asked', caller, { after: { operation, method } });
    return { ...opened, method };
  });
}

/** Takes the code and issues the token for the operation that was named. A refusal is returned, because the attempt must be counted. */
export async function proveStepUp(
  call: OwnCall<'invalid_code' | 'too_many_requests'>,
  { cipher, tokens, stepUpOperations }: Services,
  { id, code }: { readonly id: ChallengeId; readonly code: string },
): Promise<{ readonly token: string; readonly expiresAt: Date } | Refusal> {
  const { db, refusal } = call;
  const { id: userId, sessionId } = call.caller;
  const answer = { id, purpose: 'step_up', sessionId, code, method: undefined } as const;
  const taken = await takeFactor(call, cipher, answer);
  if (taken.kind === 'refused') {
    await noteFailure(call, 'code.failed', ['user', userId]);
    return taken.refusal;
  }
  const { method, challenge } = taken;
  const factors = await factorsOf.first(db, { userId });
  // it was asked for before something stronger was on
  if (factors === undefined || !stepUpFactors(factors).some((factor) => factor === method))
    return refusal('invalid_code');
  const { operation } = challenge;
  if (operation === null) throw new Error('a step-up challenge names no operation');
  // a proof for one payment must not open the factors for a quarter of an hour
  if (stepUpOperations.get(operation) === 'proof') await noteProof(db, sessionId);
  const issued = await tokens.issueStepUp({ userId, sessionId, operation });
  await noteEvent(call, 'step_up.verified', call.caller, { after: { operation, method } });
  return issued;
}
