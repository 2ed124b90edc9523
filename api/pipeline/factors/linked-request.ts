/** Reads the request that a step-up is for, as the operation itself would read it. */
import { z } from 'zod';
import { Refusal } from '../../../domain/refusals.ts';
import type { LinkedRequest } from '../../../services/identity/factors/step-up-kind.ts';
import type { Operation } from '../../declaration/operation.ts';
import { requestHash } from './step-up.ts';
import { faultsOfBody } from '../validate.ts';

/** Null for an operation that moves no money out. What is read refuses invalid_request, with pointers below `/request`. */
export function linkedRequest(operation: Operation): ((request: unknown) => LinkedRequest) | null {
  const approves = 'approves' in operation.access ? operation.access.approves : null;
  if (approves === null) return null;
  return (request) => {
    try {
      return { hash: requestHash(operation.path, request), approval: approves(request) };
    } catch (error) {
      if (!(error instanceof z.ZodError)) throw error;
      const errors = faultsOfBody(operation, request).map(({ pointer, ...fault }) => ({
        ...{ pointer: `/request${pointer}`, ...fault },
      }));
      throw new Refusal('invalid_request', { errors });
    }
  };
}
