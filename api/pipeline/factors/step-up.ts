/** Step: a declaration with `stepUp` needs the token of a fresh second factor, made for this very operation (RFC 9470). */
import { createHash } from 'node:crypto';
import { canonicalJson } from '../../../domain/canonical-json.ts';
import { stepUpRequired } from '../../../domain/identity/step-up.ts';
import type { Tokens } from '../../../services/identity/sessions/tokens.ts';
import type { Operation } from '../../declaration/operation.ts';
import type { Caller } from '../authenticate.ts';

/** Answers the id of the verified token, to be spent with the effect; null where none is needed. Refuses step_up_required. */
export async function requireStepUp(
  operation: Operation,
  caller: Caller,
  { token, body }: { readonly token: string | undefined; readonly body: unknown },
  tokens: Tokens,
): Promise<string | null> {
  const { access, id } = operation;
  if (!('stepUp' in access) || !access.stepUp) return null;
  if (caller === null || token === undefined) throw stepUpRequired('missing', id);
  const verified = await tokens.verifyStepUp(token, {
    userId: caller.id,
    sessionId: caller.sessionId,
    operation: id,
    request: isLinked(operation) ? requestHash(operation.path, body) : null,
  });
  if ('fault' in verified) throw stepUpRequired(verified.fault, id);
  return verified.stepUpId;
}

/** Tells an operation that moves money out: its token is good for one request, so it can be checked only after the body was read. */
export function isLinked({ access }: Operation): boolean {
  return 'approves' in access && access.approves !== null;
}

/** What a step-up is linked to: path of the operation and body, which names amount and payee. The order of fields is no difference. */
export function requestHash(path: string, body: unknown): string {
  return createHash('sha256')
    .update(canonicalJson([path, body]))
    .digest('base64url');
}
