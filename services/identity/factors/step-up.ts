/** Step-up: a fresh second factor for one operation (RFC 9470). */
import { factorsOf, noteProof } from '../../../db/queries/identity/factors/factors.ts';
import { transaction } from '../../../db/transaction.ts';
import type { ChallengeId } from '../../../domain/ids.ts';
import type { SecondFactor } from '../../../domain/identity/people.ts';
import { approvalText } from '../../../domain/notifications/approval-text.ts';
import { faultIn, type Refusal } from '../../../domain/refusals.ts';
import type { OwnCall } from '../../callers.ts';
import type { Services } from '../../services.ts';
import type { Approval, ApprovalCall, LinkedRequest, StepUpSubject } from './step-up-kind.ts';
import { noteEvent, noteFailure } from '../events.ts';
import { takeFactor, type OpenChallenge } from './challenges.ts';
import { askFor, chooseFactor, limitCodes, stepUpFactors } from './factors.ts';

/** What is asked for: the operation, the very request if it moves money out, and by which factor. */
interface Wish {
  readonly operation: string;
  readonly wished: SecondFactor | undefined;
  readonly request: unknown;
}

/** What the payer confirms, and how the message with the code says it. */
interface Confirmed extends Approval {
  readonly text: string;
}

/** Asks for the second factor of one operation. Opens its transaction itself. Refuses invalid_request for an unknown operation. */
export async function askForStepUp(
  call: ApprovalCall & OwnCall<'no_such_factor' | 'too_many_requests'>,
  services: Services,
  { operation, wished, request }: Wish,
): Promise<OpenChallenge & { readonly method: SecondFactor; readonly approves: Confirmed | null }> {
  const { caller, refusal } = call;
  const { cipher, throttles, stepUpOperations } = services;
  const subject = stepUpOperations.get(operation);
  if (subject === undefined)
    throw faultIn('/operation', 'unknown_operation', 'is not an operation that needs a step-up');
  const linked = linkOf(subject, request);
  const factors = await factorsOf.first(call.db, { userId: caller.id });
  if (factors === undefined) throw refusal('unauthenticated');
  const method = chooseFactor(call, factors, stepUpFactors(factors), wished);
  const approval = linked && (await linked.approval(call, services));
  const approves = approval && { ...approval, text: approvalText(approval, factors.locale) };
  await limitCodes(call, throttles, caller.id, { purpose: 'step_up', method });
  const link = linked && approves ? { requestHash: linked.hash, approval: approves.text } : {};
  const binding = { sessionId: caller.sessionId, operation, ...link };
  return transaction(call.db, async (db) => {
    const opened = await askFor({ ...call, db }, cipher, factors, { purpose: 'step_up', method, binding });
    await noteEvent({ ...call, db }, 'step_up.asked', caller, { after: { operation, method } });
    return { ...opened, method, approves };
  });
}

/** The request that the step-up is for, read by the operation's schema. It is there exactly if the operation moves money out. */
function linkOf({ link }: StepUpSubject, request: unknown): LinkedRequest | null {
  if (link !== null && request === undefined)
    throw faultIn('/request', 'required', 'is required: the body of the call that the step-up is for');
  if (link === null && request !== undefined)
    throw faultIn('/request', 'not_linked', 'is taken only for operations that move money out');
  return link === null ? null : link(request);
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
  const { operation, requestHash: request } = challenge;
  if (operation === null) throw new Error('a step-up challenge names no operation');
  // each opens for a quarter of an hour what it was asked for: one for a payment nothing, one for a decision not the factors
  const kind = stepUpOperations.get(operation)?.kind;
  if (kind === 'proof' || kind === 'fresh_factor') await noteProof[kind].run(db, { id: sessionId });
  const issued = await tokens.issueStepUp({ userId, sessionId, operation, request });
  await noteEvent(call, 'step_up.verified', call.caller, { after: { operation, method } });
  return issued;
}
