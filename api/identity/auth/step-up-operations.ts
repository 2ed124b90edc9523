/** Step-up: a fresh second factor for one operation (RFC 9470). */
import { isRefusal } from '../../../domain/refusals.ts';
import { askForStepUp, proveStepUp } from '../../../services/identity/factors/step-up.ts';
import { forUsers } from '../../declaration/operation.ts';
import * as wire from './schemas.ts';

export const initiateStepUp = forUsers({
  id: 'initiateStepUp',
  area: 'Identity',
  title: 'Initiate step-up authentication',
  description:
    'Asks for a second factor before one operation, which is named by its operationId, and sends a code if the factor needs one. Without TOTP or text messages the code comes by email; once one of them is on, email is not enough.',
  method: 'POST',
  idempotency: 'none',
  path: '/v1/auth/step-up',
  // the count of sent codes is kept apart from the transaction
  effect: 'own_transactions',
  body: wire.StepUpInitRequest,
  status: 200,
  answer: wire.StepUpInitResponse,
  refuses: ['no_such_factor', 'too_many_requests'],
  async handle(request, services) {
    const { operation, method: wished } = request.body;
    const { id, method, expiresAt } = await askForStepUp(request, services, { operation, wished });
    return { challenge_id: id, method, expires_at: expiresAt };
  },
});

export const verifyStepUp = forUsers({
  id: 'verifyStepUp',
  area: 'Identity',
  title: 'Verify step-up MFA and issue step-up token',
  description:
    'Answers the token for the operation that was named. It is valid for five minutes, for one use, and in this session only. A repeat with the same Idempotency-Key may carry the same token.',
  method: 'POST',
  idempotency: 'none',
  path: '/v1/auth/step-up/verify',
  effect: 'transaction',
  body: wire.StepUpVerifyRequest,
  status: 200,
  answer: wire.StepUpVerifyResponse,
  refuses: ['invalid_code', 'too_many_requests'],
  async handle(request, services) {
    const { challenge_id: id, code } = request.body;
    const issued = await proveStepUp(request, services, { id, code });
    return isRefusal(issued) ? issued : { step_up_token: issued.token, expires_at: issued.expiresAt };
  },
});

/** In the order of the documentation. */
export const operations = [initiateStepUp, verifyStepUp];
