/** Every refusal that an operation may give: those it declares and those of the frame round it. */
import { refusals, type RefusalCode } from '../../domain/refusals.ts';
import type { Operation } from '../operation.ts';

/** The codes that the frame may answer for this operation, whatever its handler does. */
export function frameRefusals(operation: Operation): RefusalCode[] {
  const { access, idempotency } = operation;
  const codes: RefusalCode[] = ['internal_error'];
  const outside = operation.params ?? operation.query ?? operation.body;
  if (outside !== undefined || operation.method !== 'GET') codes.push('invalid_request');
  if (operation.method !== 'GET')
    codes.push('malformed_json', 'payload_too_large', 'unsupported_media_type', 'unavailable');
  if (operation.throttle !== undefined) codes.push('too_many_requests');
  if (access.auth === 'signature') codes.push('invalid_signature');
  if (access.auth === 'user' || access.auth === 'admin') {
    codes.push('invalid_request', 'unauthenticated', 'forbidden', 'not_found', 'conflict', 'unavailable');
    if (access.stepUp) codes.push('step_up_required');
  }
  if (operation.method === 'PATCH') codes.push('etag_mismatch');
  if (idempotency !== 'none') codes.push('idempotency_key_reused', 'idempotency_in_progress');
  if (idempotency === 'required') codes.push('idempotency_key_required');
  return codes;
}

/** Declared and framed together, without repeats, in the order of their status. */
export function refusalsOf(operation: Operation): RefusalCode[] {
  const codes = new Set([...operation.refuses, ...frameRefusals(operation)]);
  return [...codes].sort(
    (one, other) => refusals[one].status - refusals[other].status || one.localeCompare(other),
  );
}
