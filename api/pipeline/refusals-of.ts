/** Which refusals an operation may give: its own, and those that the frame's steps add by what it declares. */
import type { RefusalCode } from '../../domain/refusals.ts';
import type { Operation } from '../declaration/operation.ts';
import { needsFreshFactor } from './factors/fresh-factor.ts';
import { needsSecondFactor } from './permit.ts';

/** All codes that may leave an operation; the OpenAPI document lists them, and `answer` holds handlers to them. */
export function refusalsOf(operation: Operation): ReadonlySet<RefusalCode> {
  return new Set([...frameRefusals(operation), ...operation.refuses]);
}

function frameRefusals(operation: Operation): RefusalCode[] {
  const { access } = operation;
  const { auth } = access;
  const codes: RefusalCode[] = ['invalid_request', 'internal_error', 'unavailable'];
  if (operation.method !== 'GET') codes.push('malformed_json', 'unsupported_media_type', 'payload_too_large');
  if (auth === 'signature') codes.push('invalid_signature');
  if (auth === 'user' || auth === 'admin') codes.push('unauthenticated', 'not_found');
  if (auth === 'admin') codes.push('forbidden');
  if (needsSecondFactor(operation)) codes.push('second_factor_required');
  if (('stepUp' in access && access.stepUp) || needsFreshFactor(operation)) codes.push('step_up_required');
  if (operation.guard !== null) codes.push('change_pending', 'no_second_person');
  if (operation.formats !== undefined) codes.push('not_acceptable');
  if (operation.throttle !== undefined) codes.push('too_many_requests');
  if (operation.method !== 'GET' && operation.method !== 'POST') codes.push('etag_mismatch');
  if (operation.idempotency !== 'none') codes.push('idempotency_key_reused', 'idempotency_in_progress');
  if (operation.idempotency === 'required') codes.push('idempotency_key_required');
  return codes;
}
