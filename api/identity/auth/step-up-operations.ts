/** Step-up: a fresh second factor for one operation (RFC 9470). */
import { isRefusal } from '../../../domain/refusals.ts';
import { askForStepUp, proveStepUp } from '../../../services/identity/factors/step-up.ts';
import { APPROVAL_REFUSALS } from '../../../services/identity/factors/step-up-kind.ts';
import { forUsers } from '../../declaration/operation.ts';
import * as wire from './schemas.ts';

export const initiateStepUp = forUsers({
  id: 'initiateStepUp',
  area: 'Identity',
  title: 'Initiate step-up authentication',
  description:
    'Asks for a second factor before one operation, which is named by its operationId, and sends a code if the factor needs one. For an operation that moves money out send its very body as `request`: answer and message name amount and payee, and the token is good for that request only. Without TOTP or text messages the code comes by email; once one of them is on, email is not enough.',
  method: 'POST',
  idempotency: 'none',
  path: '/v1/auth/step-up',
  // the count of sent codes is kept apart from the transaction
  effect: 'own_transactions',
  body: wire.StepUpInitRequest,
  status: 200,
  answer: wire.StepUpInitResponse,
  refuses: ['no_such_factor', ...APPROVAL_REFUSALS],
  async handle(call, services) {
    const { operation, method: wished, request } = call.body;
    const asked = await askForStepUp(call, services, { operation, wished, request });
    const { id, method, expiresAt, approves } = asked;
    const approval = approves && {
      amount: approves.amount,
      target_amount: approves.target,
      payee: approves.payee,
      text: approves.text,
    };
    return { challenge_id: id, method, expires_at: expiresAt, approves: approval };
  },
});

export const verifyStepUp = forUsers({
  id: 'verifyStepUp',
  area: 'Identity',
  title: 'Verify step-up MFA and issue step-up token',
  description:
    'Answers the token for the operation that was named, and for the request if there was one. It is valid for five minutes, for one use, and in this session only. A repeat with the same Idempotency-Key may carry the same token, and a request that was refused has not used it up.',
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
