/** Step-up: a fresh second factor for one operation (RFC 9470). */
import { factorsOf, noteProof } from '../../../db/queries/identity/factors/factors.ts';
import { faultIn } from '../../../domain/refusals.ts';
import { takeFactor } from '../../../services/identity/factors/challenges.ts';
import { noteEvent, noteFailure } from '../../../services/identity/events.ts';
import {
  askFor,
  chooseFactor,
  limitCodes,
  stepUpFactors,
} from '../../../services/identity/factors/factors.ts';
import { forUsers } from '../../declaration/operation.ts';
import * as wire from './schemas.ts';
import { transaction } from '../../../db/transaction.ts';

export const initiateStepUp = forUsers({
  id: 'initiateStepUp',
  area: 'Identity',
  title: 'Initiate step-up authentication',
  description:
    'Asks for the second factor; sends a code where the factor is one that is sent. Name the operation you are about to call by its operationId. Without TOTP or text messages the code comes by email; once one of them is on, email is not enough.',
  method: 'POST',
  idempotency: 'none',
  path: '/v1/auth/step-up',
  // the count of sent codes is kept apart from the transaction
  effect: 'own_transactions',
  body: wire.StepUpInitRequest,
  status: 200,
  answer: wire.StepUpInitResponse,
  refuses: ['no_such_factor', 'too_many_requests'],
  async handle({ caller, body, client, requestId, db, refusal }, { cipher, throttles, stepUpOperations }) {
    const { operation: name } = body;
    if (!stepUpOperations.has(name)) throw unknownOperation();
    const factors = await factorsOf.first(db, { userId: caller.id });
    if (factors === undefined) throw refusal('unauthenticated');
    const method = chooseFactor(factors, stepUpFactors(factors), body.method);
    await limitCodes(throttles, caller.id, { purpose: 'step_up', method });
    const binding = { sessionId: caller.sessionId, operation: name };
    return transaction(db, async (em) => {
      const opened = await askFor(em, cipher, factors, { purpose: 'step_up', method, binding });
      const after = { operation: name, method };
      await noteEvent(em, { client, requestId }, 'step_up.asked', caller, { after });
      return { challenge_id: opened.id, method, expires_at: opened.expiresAt.toISOString() };
    });
  },
});

export const verifyStepUp = forUsers({
  id: 'verifyStepUp',
  area: 'Identity',
  title: 'Verify step-up MFA and issue step-up token',
  description:
    'Takes the code; answers the token for the one operation. The token lives five minutes, works once, in this session and for the operation named before. A repeat with the same Idempotency-Key may carry the same token.',
  method: 'POST',
  idempotency: 'none',
  path: '/v1/auth/step-up/verify',
  effect: 'transaction',
  body: wire.StepUpVerifyRequest,
  status: 200,
  answer: wire.StepUpVerifyResponse,
  refuses: ['invalid_code', 'too_many_requests'],
  async handle({ caller, body, client, requestId, db, refusal }, { cipher, tokens, stepUpOperations }) {
    const origin = { client, requestId };
    const { sessionId } = caller;
    const answer = { id: body.challenge_id, purpose: 'step_up' as const, sessionId, code: body.code };
    const taken = await takeFactor(db, cipher, { ...answer, method: undefined });
    if (taken.kind === 'refused') {
      await noteFailure(db, origin, 'code.failed', { type: 'user', id: caller.id });
      return taken.refusal;
    }
    const factors = await factorsOf.first(db, { userId: caller.id });
    // it was asked for before something stronger was on
    if (factors === undefined || !stepUpFactors(factors).some((factor) => factor === taken.method))
      return refusal('invalid_code');
    const { operation: name } = taken.challenge;
    if (name === null) throw new Error('a step-up challenge names no operation');
    // a proof for one payment must not open the factors for a quarter of an hour
    if (stepUpOperations.get(name) === 'proof') await noteProof(db, sessionId);
    const { token, expiresAt } = await tokens.issueStepUp({ userId: caller.id, sessionId, operation: name });
    await noteEvent(db, origin, 'step_up.verified', caller, {
      after: { operation: name, method: taken.method },
    });
    return { step_up_token: token, expires_at: expiresAt.toISOString() };
  },
});

function unknownOperation() {
  return faultIn('/operation', 'unknown_operation', 'is not an operation that needs a step-up');
}

/** In the order of the documentation. */
export const operations = [initiateStepUp, verifyStepUp];
