/** Transfers that wait for an administrator, and an administrator who executes them over HTTP. */
import { randomUUID } from 'node:crypto';
import type pg from 'pg';
import { z } from 'zod';
import type { Temporal } from '../../adapters/temporal.ts';
import type { Caller } from './caller.ts';
import { call } from './paying.ts';

const ORDERS_AT_ONCE = 8;
const ATTEMPTS = 8;
/** The last runs of many; those before them have come to rest before. */
const LAST = 16;
/** Events of a run that has done its first workflow task. */
const FIRST_TASK = 4;

const Made = z.looseObject({ id: z.uuid(), status: z.literal('pending_approval') });
const Decided = z.looseObject({ status: z.literal('executed') });

/** So many transfers above the threshold of their type; at least, for some are ordered at once. */
export async function pendingTransfers(api: string, customer: Caller, count: number): Promise<string[]> {
  const authorization = `Bearer ${await customer.freshToken()}`;
  const order = async (): Promise<string> => {
    const body = {
      source_account_id: customer.source,
      destination: { account_id: customer.destination },
      amount: { amount: '15000.00', currency: 'EUR' },
    };
    const headers = {
      authorization,
      'idempotency-key': randomUUID(),
      'x-step-up-token': await customer.stepUp(body),
    };
    const { text } = await call(new URL('/v1/transfers', api), headers, body);
    return Made.parse(JSON.parse(text)).id;
  };
  const pending: string[] = [];
  while (pending.length < count)
    pending.push(...(await Promise.all(Array.from({ length: ORDERS_AT_ONCE }, order))));
  return pending;
}

/** Each call executes another one of these transfers. */
export async function deciding(api: string, admin: Caller, pending: string[]): Promise<() => Promise<void>> {
  const authorization = `Bearer ${await admin.freshToken()}`;
  return async () => {
    const id = pending.shift();
    if (id === undefined) throw new Error('more decisions were taken than transfers waited');
    const url = new URL(`/v1/admin/transfers/${id}/execute`, api);
    const headers = { authorization, 'idempotency-key': randomUUID() };
    let answer = await call(url, headers, {});
    // as the answer asks; it costs latency here too
    for (let attempt = 1; answer.status === 503 && attempt < ATTEMPTS; attempt++)
      answer = await call(url, headers, {});
    if (answer.status !== 200) throw new Error(`${answer.status} ${answer.text}`);
    // one that is accepted and not carried out in time is none that was measured
    Decided.parse(JSON.parse(answer.text));
  };
}

/** Until the outbox has started what waits in it. `client` is a connection of the database's owner. */
export async function outboxEmpty(client: pg.Client): Promise<void> {
  while ((await client.query('select from process_outbox limit 1')).rowCount !== 0)
    await new Promise((resolve) => setTimeout(resolve, 100));
}

/** Until the worker has no more to do for these runs: what was begun before must not slow what is measured. */
export async function atRest(
  { client }: Pick<Temporal, 'client'>,
  workflowIds: readonly string[],
): Promise<void> {
  for (const workflowId of workflowIds.slice(-LAST)) {
    const handle = client.workflow.getHandle(workflowId);
    for (let rests = false; !rests; await new Promise((resolve) => setTimeout(resolve, 50))) {
      const { historyLength, raw } = await handle.describe();
      const activities = raw.pendingActivities?.length ?? 0;
      rests = historyLength >= FIRST_TASK && activities === 0 && raw.pendingWorkflowTask == null;
    }
  }
}
