/**
 * One line in the log of the worker for each process that ends: how, and which request had begun it. Silent while it is replayed. And
 * every activity is told of that request, so that its lines can be found by it too.
 */
import { defaultPayloadConverter, type Payload } from '@temporalio/common';
import {
  ContinueAsNew,
  log,
  workflowInfo,
  type WorkflowInboundCallsInterceptor,
  type WorkflowOutboundCallsInterceptor,
} from '@temporalio/workflow';
import { REQUEST_HEADER } from '../domain/process.ts';
import { searchAttributes } from './search-attributes.ts';

export const processLog: WorkflowInboundCallsInterceptor = {
  async execute(input, next) {
    try {
      const result = await next(input);
      log.info('a process has ended', thread());
      return result;
    } catch (error) {
      if (!(error instanceof ContinueAsNew)) log.error('a process has failed', { ...thread(), error });
      throw error;
    }
  },
};

export const requestOfActivities: WorkflowOutboundCallsInterceptor = {
  scheduleActivity: (input, next) => next({ ...input, headers: { ...input.headers, ...origin() } }),
  scheduleLocalActivity: (input, next) => next({ ...input, headers: { ...input.headers, ...origin() } }),
};

function origin(): { [REQUEST_HEADER]?: Payload } {
  const { requestId } = thread();
  return typeof requestId === 'string'
    ? { [REQUEST_HEADER]: defaultPayloadConverter.toPayload(requestId) }
    : {};
}

function thread(): { requestId: unknown; status: string | undefined } {
  const { memo, typedSearchAttributes } = workflowInfo();
  return { requestId: memo?.['request_id'], status: typedSearchAttributes.get(searchAttributes.status) };
}
