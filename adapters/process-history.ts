/** What Temporal knows of a process, as lines with their times: each run, its steps with their attempts and failures, and how it ended. */
import type { Payload } from '@temporalio/common';
import proto from '@temporalio/proto';
import { z } from 'zod';
import type { Cipher } from './cipher.ts';
import { openPayload } from './codec.ts';
import type { Temporal } from './temporal.ts';

type History = proto.temporal.api.history.v1.IHistoryEvent;
type Failure = proto.temporal.api.failure.v1.IFailure;
type Time = proto.google.protobuf.ITimestamp;
const { EventType } = proto.temporal.api.enums.v1;

/** Something that happened, when it did. */
export interface Happening {
  readonly at: Date;
  readonly what: string;
}

export interface ProcessHistory {
  /** `completed`, `running`; of the newest run. */
  readonly status: string;
  readonly happenings: readonly Happening[];
}

/** Undefined if Temporal knows no process of this id. Throws if it does not answer. */
export async function processHistory(
  { client }: Pick<Temporal, 'client'>,
  cipher: Cipher,
  workflowId: string,
): Promise<ProcessHistory | undefined> {
  const { workflowService: service, options } = client.workflow;
  const { namespace } = options;
  const { executions } = await service.listWorkflowExecutions({
    namespace,
    query: `WorkflowId = "${workflowId}"`,
  });
  const runs = executions.toSorted(
    (one, other) => momentOf(one.startTime).getTime() - momentOf(other.startTime).getTime(),
  );
  const newest = runs.at(-1);
  if (newest === undefined) return undefined;
  const happenings: Happening[] = [];
  for (const { execution } of runs) {
    const runId = execution?.runId ?? '';
    const { events } = await client.workflow.getHandle(workflowId, runId).fetchHistory();
    happenings.push(...told(events ?? [], cipher));
  }
  const { pendingActivities } = await service.describeWorkflowExecution({
    namespace,
    execution: newest.execution ?? null,
  });
  happenings.push(...pendingActivities.map((pending) => waiting(pending, cipher)));
  const status = proto.temporal.api.enums.v1.WorkflowExecutionStatus[newest.status ?? 0] ?? 'unknown';
  return { status: status.replace('WORKFLOW_EXECUTION_STATUS_', '').toLowerCase(), happenings };
}

/** The events that say something to people; those between workflow and server are left out. */
function told(events: readonly History[], cipher: Cipher): Happening[] {
  const activities = new Map<string, string>();
  return events.flatMap((event) => {
    const scheduled = event.activityTaskScheduledEventAttributes;
    if (scheduled) activities.set(String(event.eventId), scheduled.activityType?.name ?? '?');
    const what = sentenceOf(event, (id) => `activity ${activities.get(String(id)) ?? '?'}`, cipher);
    return what === undefined ? [] : [{ at: momentOf(event.eventTime), what }];
  });
}

// one case an event
function sentenceOf(
  event: History,
  activity: (scheduledId: unknown) => string,
  cipher: Cipher,
): string | undefined {
  const failed = (failure: Failure | null | undefined): string => failureText(failure, cipher);
  switch (event.eventType) {
    case EventType.EVENT_TYPE_WORKFLOW_EXECUTION_STARTED:
      return `a run begins (${event.workflowExecutionStartedEventAttributes?.originalExecutionRunId ?? '?'})`;
    case EventType.EVENT_TYPE_WORKFLOW_TASK_FAILED:
      return `the workflow could not go on: ${failed(event.workflowTaskFailedEventAttributes?.failure)}`;
    case EventType.EVENT_TYPE_WORKFLOW_TASK_TIMED_OUT:
      return 'no worker has answered in time';
    case EventType.EVENT_TYPE_ACTIVITY_TASK_SCHEDULED:
      return `${activity(event.eventId)} is handed to ${event.activityTaskScheduledEventAttributes?.taskQueue?.name ?? '?'}`;
    case EventType.EVENT_TYPE_ACTIVITY_TASK_STARTED: {
      const { scheduledEventId, attempt, lastFailure } = event.activityTaskStartedEventAttributes ?? {};
      const before = lastFailure ? `; the attempt before failed: ${failed(lastFailure)}` : '';
      return `${activity(scheduledEventId)} begins, attempt ${String(attempt)}${before}`;
    }
    case EventType.EVENT_TYPE_ACTIVITY_TASK_COMPLETED:
      return `${activity(event.activityTaskCompletedEventAttributes?.scheduledEventId)} has ended`;
    case EventType.EVENT_TYPE_ACTIVITY_TASK_FAILED: {
      const { scheduledEventId, failure } = event.activityTaskFailedEventAttributes ?? {};
      return `${activity(scheduledEventId)} has failed for good: ${failed(failure)}`;
    }
    case EventType.EVENT_TYPE_ACTIVITY_TASK_TIMED_OUT:
      return `${activity(event.activityTaskTimedOutEventAttributes?.scheduledEventId)} has timed out`;
    case EventType.EVENT_TYPE_TIMER_STARTED:
      return `waits, for ${String(Number(event.timerStartedEventAttributes?.startToFireTimeout?.seconds ?? 0))} s at most`;
    case EventType.EVENT_TYPE_TIMER_FIRED:
      return 'the time of a wait is over';
    case EventType.EVENT_TYPE_WORKFLOW_EXECUTION_UPDATE_ACCEPTED: {
      const { acceptedRequest } = event.workflowExecutionUpdateAcceptedEventAttributes ?? {};
      return `hears ${acceptedRequest?.input?.name ?? '?'} (${acceptedRequest?.meta?.updateId ?? '?'})`;
    }
    case EventType.EVENT_TYPE_WORKFLOW_EXECUTION_UPDATE_COMPLETED:
      return 'has answered what it heard';
    case EventType.EVENT_TYPE_UPSERT_WORKFLOW_SEARCH_ATTRIBUTES: {
      const { indexedFields } = event.upsertWorkflowSearchAttributesEventAttributes?.searchAttributes ?? {};
      return `shows the status ${keywordIn(indexedFields?.['TellerStatus'])}`;
    }
    case EventType.EVENT_TYPE_MARKER_RECORDED:
      return withinTask(event.markerRecordedEventAttributes, failed);
    default:
      return endOf(event, failed);
  }
}

const LocalActivity = z.looseObject({ activity_type: z.string() });

/** An activity that ran inside a workflow task. Other markers say nothing to people. */
function withinTask(
  marker: proto.temporal.api.history.v1.IMarkerRecordedEventAttributes | null | undefined,
  failed: (failure: Failure | null | undefined) => string,
): string | undefined {
  if (marker?.markerName !== 'core_local_activity') return undefined;
  const about = marker.details?.['data']?.payloads?.[0];
  const { data } = LocalActivity.safeParse(about && jsonOf(about));
  const activity = `activity ${data?.activity_type ?? '?'}`;
  return marker.failure
    ? `${activity} has failed inside the task: ${failed(marker.failure)}`
    : `${activity} has ended, inside the task`;
}

function endOf(event: History, failed: (failure: Failure | null | undefined) => string): string | undefined {
  switch (event.eventType) {
    case EventType.EVENT_TYPE_WORKFLOW_EXECUTION_COMPLETED:
      return 'the run has ended';
    case EventType.EVENT_TYPE_WORKFLOW_EXECUTION_FAILED:
      return `the run has failed: ${failed(event.workflowExecutionFailedEventAttributes?.failure)}`;
    case EventType.EVENT_TYPE_WORKFLOW_EXECUTION_TIMED_OUT:
      return 'the run has timed out';
    case EventType.EVENT_TYPE_WORKFLOW_EXECUTION_CANCEL_REQUESTED:
      return 'somebody asked to cancel the run';
    case EventType.EVENT_TYPE_WORKFLOW_EXECUTION_CANCELED:
      return 'the run was cancelled';
    case EventType.EVENT_TYPE_WORKFLOW_EXECUTION_TERMINATED:
      return `the run was terminated by ${event.workflowExecutionTerminatedEventAttributes?.identity ?? '?'}`;
    case EventType.EVENT_TYPE_WORKFLOW_EXECUTION_CONTINUED_AS_NEW:
      return 'the run goes on in another one';
    default:
      return undefined;
  }
}

/** What an activity does that has not ended: it is being tried, or waits for its next attempt. */
function waiting(pending: proto.temporal.api.workflow.v1.IPendingActivityInfo, cipher: Cipher): Happening {
  const { activityType, attempt, lastFailure, scheduledTime, lastStartedTime } = pending;
  const failure = lastFailure ? `; the last one failed: ${failureText(lastFailure, cipher)}` : '';
  return {
    at: momentOf(lastStartedTime ?? scheduledTime),
    what: `activity ${activityType?.name ?? '?'} is not over, attempt ${String(attempt)}${failure}`,
  };
}

const Encoded = z.looseObject({ message: z.string() });

/** Its message is sealed; what activities let out names the kind of fault and nothing else. */
function failureText(failure: Failure | null | undefined, cipher: Cipher): string {
  const type = failure?.applicationFailureInfo?.type;
  const sealed: Payload | null | undefined = failure?.encodedAttributes;
  const message = sealed ? openedMessage(sealed, cipher) : (failure?.message ?? 'without a message');
  return type == null || message.startsWith(type) ? message : `${type}: ${message}`;
}

function openedMessage(sealed: Payload, cipher: Cipher): string {
  try {
    return Encoded.parse(jsonOf(openPayload(sealed, cipher))).message;
  } catch {
    return 'its message does not open with these ENCRYPTION_KEYS';
  }
}

/** A search attribute is not sealed. */
function keywordIn(payload: Payload | null | undefined): string {
  const read = z
    .union([z.string(), z.array(z.string()).transform((words) => words.join())])
    .safeParse(payload && jsonOf(payload));
  return read.data ?? '?';
}

function jsonOf({ data }: Payload): unknown {
  return JSON.parse(Buffer.from(data ?? []).toString());
}

function momentOf(time: Time | null | undefined): Date {
  return new Date(Number(time?.seconds ?? 0) * 1_000 + (time?.nanos ?? 0) / 1_000_000);
}
