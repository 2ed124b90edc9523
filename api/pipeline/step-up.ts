/** Step: a declaration with `stepUp` needs the token of a fresh second factor, made for this very operation (RFC 9470). */
import { Refusal } from '../../domain/refusals.ts';
import type { Tokens } from '../../services/identity/sessions/tokens.ts';
import type { Operation } from '../declaration/operation.ts';
import type { Caller } from './authenticate.ts';

/** Answers the id of the verified token, to be spent with the effect; null where none is needed. Refuses step_up_required. */
export async function requireStepUp(
  operation: Operation,
  caller: Caller,
  token: string | undefined,
  tokens: Tokens,
): Promise<string | null> {
  const { access } = operation;
  if (!('stepUp' in access) || !access.stepUp) return null;
  if (caller === null || token === undefined) throw new Refusal('step_up_required');
  const verified = await tokens.verifyStepUp(token, {
    userId: caller.id,
    sessionId: caller.sessionId,
    operation: operation.id,
  });
  if (verified === null) throw new Refusal('step_up_required');
  return verified.stepUpId;
}
