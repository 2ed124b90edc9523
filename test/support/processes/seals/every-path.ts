/** A process that sends a payload on every path that the SDK has from within a workflow. */
import { ApplicationFailure } from '@temporalio/common';
import {
  ChildWorkflowCancellationType,
  condition,
  continueAsNew,
  defineQuery,
  defineSignal,
  defineUpdate,
  getExternalWorkflowHandle,
  proxyActivities,
  proxyLocalActivities,
  setCurrentDetails,
  setHandler,
  sleep,
  startChild,
  upsertMemo,
  workflowInfo,
} from '@temporalio/workflow';

export const ask = defineUpdate<string, [string]>('ask');
export const look = defineQuery<string, [string]>('look');
export const tell = defineSignal<[string]>('tell');

interface Activities {
  work(input: string): Promise<string>;
  fail(input: string): Promise<string>;
  answeredLater(input: string): Promise<string>;
}

const retry = { initialInterval: '10ms', maximumAttempts: 2 } as const;
const near = proxyLocalActivities<Activities>({ startToCloseTimeout: '10s', retry });
const far = proxyActivities<Activities>({ startToCloseTimeout: '20s', heartbeatTimeout: '10s', retry });

/** The first run takes every path and goes on as a second one, which waits for an answer from outside. */
export async function everyPath(isSecond: boolean): Promise<string> {
  let told = 0;
  setHandler(tell, () => void told++);
  setHandler(look, (what) => what);
  setHandler(ask, (what) => what, {
    validator: (what) => {
      if (what === 'refused') throw ApplicationFailure.nonRetryable('a reason', 'no', 'a detail');
    },
  });
  setCurrentDetails('what operators read');
  await condition(() => told > 0);
  if (isSecond) return far.answeredLater('input');
  upsertMemo({ changed: 'a memo' });
  await far.work('input');
  await near.work('input');
  await failures();
  await sleep(1, { summary: 'a summary' });
  await children();
  await far.answeredLater('input');
  return continueAsNew<typeof everyPath>(true);
}

async function failures(): Promise<void> {
  await far.fail('input').catch(() => undefined);
  await near.fail('input').catch(() => undefined);
}

async function children(): Promise<void> {
  const workflowId = `${workflowInfo().workflowId}/child`;
  const child = await startChild(aChild, {
    workflowId,
    args: ['waits'],
    memo: { note: 'a memo' },
    staticSummary: 'a summary',
    staticDetails: 'details',
    cancellationType: ChildWorkflowCancellationType.ABANDON,
  });
  await child.signal(tell, 'from its parent');
  await getExternalWorkflowHandle(workflowId).signal(tell, 'from elsewhere');
  await child.result();
  const failing = await startChild(aChild, { workflowId: `${workflowId}/failing`, args: ['fails'] });
  await failing.result().catch(() => undefined);
}

export async function aChild(what: string): Promise<string> {
  let told = 0;
  setHandler(tell, () => void told++);
  if (what === 'fails') throw ApplicationFailure.nonRetryable('a reason', 'no', 'a detail');
  if (what === 'waits') await condition(() => told === 2);
  return 'a result';
}
