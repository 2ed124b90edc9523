/** The only place that reads Temporal's errors. */
import {
  isGrpcServiceError,
  WorkflowExecutionAlreadyStartedError,
  WorkflowNotFoundError,
  WorkflowUpdateFailedError,
  WorkflowUpdateRPCTimeoutOrCancelledError,
} from '@temporalio/client';
import { ApplicationFailure } from '@temporalio/common';
import { isRefusal, refuse, type RefusalCode, refusals } from '../../domain/refusals.ts';

/** The failures that a caller can act on; all others pass as they are and become a 500. */
export function readError(error: unknown): 'ended' {
  if (isRefusal(error)) throw error;
  if (error instanceof WorkflowUpdateFailedError && error.cause instanceof ApplicationFailure) {
    const { type, details } = error.cause;
    if (isRefusalCode(type)) throw refuse(type, { members: readMembers(details) });
    if (type === 'AcceptedUpdateCompletedWorkflow') return 'ended';
  }
  if (error instanceof WorkflowNotFoundError || error instanceof WorkflowExecutionAlreadyStartedError)
    return 'ended';
  if (error instanceof WorkflowUpdateRPCTimeoutOrCancelledError || isUnreachable(error))
    throw refuse('unavailable', { retryAfter: 2 });
  throw error;
}

function isRefusalCode(type: string | null | undefined): type is RefusalCode {
  return typeof type === 'string' && Object.hasOwn(refusals, type);
}

function readMembers(details: readonly unknown[] | null | undefined): Readonly<Record<string, unknown>> {
  const [first] = details ?? [];
  return typeof first === 'object' && first !== null ? { ...first } : {};
}

/**
 * gRPC: DEADLINE_EXCEEDED 4, RESOURCE_EXHAUSTED 8, INTERNAL 13, UNAVAILABLE 14, and PERMISSION_DENIED 7 and UNAUTHENTICATED 16, which are
 * about our key or certificate and not about what was asked; some are wrapped one level deep. A message that is too large for gRPC
 * is RESOURCE_EXHAUSTED too, and would be refused for ever.
 */
export function isUnreachable(error: unknown): boolean {
  const found = grpcErrorOf(error);
  return found !== undefined && AWAY.has(found.code) && !TOO_LARGE.test(found.details);
}

const AWAY = new Set([4, 7, 8, 13, 14, 16]);
const TOO_LARGE = /message larger than max/;
const LONGEST_FAILURE = 300;

/** Why Temporal refused something, for operators: its own words, which hold nothing of what was sealed. */
export function failureOf(error: unknown): string {
  const found = grpcErrorOf(error);
  if (found !== undefined) return `gRPC ${found.code}: ${found.details}`.slice(0, LONGEST_FAILURE);
  return error instanceof Error ? error.name : 'UnknownError';
}

function grpcErrorOf(error: unknown) {
  if (isGrpcServiceError(error)) return error;
  return error instanceof Error && isGrpcServiceError(error.cause) ? error.cause : undefined;
}
