/**
 * What a process counts of itself, for Prometheus. They stand here because every layer counts; `services/monitoring/registry.ts` shows
 * them. A name and a label are for programs too: `docs/alerts.yml` and the operators' own rules refer to them.
 */
import { Counter, Gauge, Histogram } from 'prom-client';

/** Parts that are not ours and that a process may have to do without. */
export const PARTS = ['database', 'temporal', 'storage', 'mail', 'rail', 'custodian', 'prices'] as const;
export type Part = (typeof PARTS)[number];

// each process has a registry of its own
const unregistered = { registers: [] };

export const partFailures = new Counter({
  ...unregistered,
  name: 'teller_part_failures_total',
  help: 'Calls of a part that it did not answer, or that it answered with a failure of its own.',
  labelNames: ['part'],
});

export const refusalsGiven = new Counter({
  ...unregistered,
  name: 'teller_refusals_total',
  help: 'Requests that were refused, by the code of the refusal.',
  labelNames: ['code'],
});

export const throttled = new Counter({
  ...unregistered,
  name: 'teller_throttled_total',
  help: 'Attempts that a throttle has refused, by the name of the throttle.',
  labelNames: ['throttle'],
});

export const passwordHashes = new Gauge({
  ...unregistered,
  name: 'teller_password_hashes',
  help: 'Passwords that are hashed now, and those that wait for their turn.',
  labelNames: ['state'],
});

export const startsRefused = new Counter({
  ...unregistered,
  name: 'teller_starts_refused_total',
  help: 'Attempts to start a process that Temporal has refused though it could be reached.',
  labelNames: ['process'],
});

export const orderBatches = new Histogram({
  ...unregistered,
  name: 'teller_order_batch_size',
  help: 'Orders to move money that one transaction carried.',
  buckets: [1, 2, 4, 8, 16, 32],
});

export const orderBatchesFailed = new Counter({
  ...unregistered,
  name: 'teller_order_batches_failed_total',
  help: 'Batches of orders that were rolled back: a lock was not granted in time, an order was bad, or the database was away.',
  labelNames: ['because'],
});

export const smsRefused = new Counter({
  ...unregistered,
  name: 'teller_sms_refused_total',
  help: 'Text messages that were not sent because they would cost too much, by the reason.',
  labelNames: ['because'],
});

export const translationsMissing = new Counter({
  ...unregistered,
  name: 'teller_translations_missing_total',
  help: 'Notifications told in another language than their reader’s, because the text does not exist in it.',
  labelNames: ['type', 'channel'],
});

/** Why a text message is not paid for. */
export const SMS_REFUSALS = ['sms_cap_of_person', 'sms_cap_of_bank', 'costly_number'] as const;

/** What is told of batches of orders. */
export const batchMetrics = {
  carried: (orders: number): void => orderBatches.observe(orders),
  failed: (because: 'lock' | 'order' | 'away'): void => orderBatchesFailed.inc({ because }),
};

/** All of them. A label whose values are known from the start shows 0 before the first event, so that its first rise is seen. */
export function ownMetrics(): readonly (Counter | Gauge | Histogram)[] {
  for (const part of PARTS) partFailures.inc({ part }, 0);
  for (const code of ['internal_error', 'unavailable']) refusalsGiven.inc({ code }, 0);
  for (const state of ['running', 'waiting']) passwordHashes.inc({ state }, 0);
  for (const because of ['lock', 'order', 'away']) orderBatchesFailed.inc({ because }, 0);
  for (const because of SMS_REFUSALS) smsRefused.inc({ because }, 0);
  return [
    smsRefused,
    translationsMissing,
    partFailures,
    refusalsGiven,
    throttled,
    passwordHashes,
    startsRefused,
    orderBatches,
    orderBatchesFailed,
  ];
}
