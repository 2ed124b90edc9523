/**
 * Every process takes only what was sealed for it. An interceptor of the bundle, so that a new process is guarded without a word of
 * its own. See docs/decisions/0007.
 */
import { ApplicationFailure } from '@temporalio/common';
import {
  log,
  type UpdateInput,
  type WorkflowInboundCallsInterceptor,
  type WorkflowInterceptorsFactory,
  type WorkflowOutboundCallsInterceptor,
} from '@temporalio/workflow';
import { areSealed, argumentsOf, isRefusedPayload } from '../domain/seals.ts';
import { processLog, requestOfActivities } from './process-log.ts';

export const interceptors: WorkflowInterceptorsFactory = () => ({
  inbound: [processLog, inbound],
  outbound: [outbound, requestOfActivities],
});

/**
 * The validator of an update that its process takes at any time. Without a validator Temporal accepts an update before this file may
 * look at it, and an accepted one occupies its id.
 */
export const takesAlways = (..._args: readonly unknown[]): void => undefined;

const inbound: WorkflowInboundCallsInterceptor = {
  async execute(input, next) {
    requireSealed('start', input.args);
    return next(input);
  },
  validateUpdate(input, next) {
    next({ ...input, args: decidedBy(input) });
  },
  async handleUpdate(input, next) {
    return next({ ...input, args: decidedBy(input) });
  },
  async handleSignal(input, next) {
    if (areSealed(input.args)) await next(input);
    else log.error(`the signal ${input.signalName} was not sealed for this process and is ignored`);
  },
  // a query changes nothing and its answer is sealed, so it may come without an argument
  async handleQuery(input, next) {
    if (input.args.length > 0) requireSealed(`query ${input.queryName}`, input.args);
    return next(input);
  },
};

const outbound: WorkflowOutboundCallsInterceptor = {
  scheduleActivity: async (input, next) =>
    answerOf(input.activityType, await next({ ...input, args: carried(input.args) })),
  scheduleLocalActivity: async (input, next) =>
    answerOf(input.activityType, await next({ ...input, args: carried(input.args) })),
  startChildWorkflowExecution: async (input, next) => {
    const options = { ...input.options, args: carried(input.options.args) };
    const [started, ended] = await next({ ...input, options });
    const checked = ended.then((result) => answerOf(input.workflowType, result));
    // its process need not wait for it
    checked.catch(() => undefined);
    return [started, checked];
  },
  signalWorkflow: (input, next) => next({ ...input, args: carried(input.args) }),
  continueAsNew: (input, next) => next({ ...input, args: carried(input.args) }),
};

/** Nobody takes a call without an argument. */
function carried(args: unknown[]): unknown[] {
  return args.length === 0 ? [null] : args;
}

/** A refused payload has no name, so it is no update of ours. */
function decidedBy({ name, args }: UpdateInput): unknown[] {
  const ours = argumentsOf(name, args);
  if (ours === undefined) refuseCall(`update ${name}`);
  return ours;
}

function requireSealed(what: string, args: readonly unknown[]): void {
  if (!areSealed(args)) refuseCall(what);
}

function refuseCall(what: string): never {
  log.error(`a payload was not sealed for this process: ${what} is refused`);
  throw notSealed(what);
}

/** Somebody else has answered for the activity or the child: what has really happened is unknown, so the run ends. */
function answerOf(what: string, result: unknown): unknown {
  if (!isRefusedPayload(result)) return result;
  log.error(`the answer of ${what} was not sealed for this process`);
  throw notSealed(`the answer of ${what}`);
}

function notSealed(what: string): ApplicationFailure {
  return ApplicationFailure.nonRetryable(`${what} was not sealed for this process`, 'payload_refused');
}
