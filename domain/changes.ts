/** Changes that wait for a second administrator: their states, and what their process is given. */
import type { ChangeId } from './ids.ts';

/**
 * Only `open` ever changes. An approval ends as `applied`; as `stale` if the resource has changed since the change was asked for; or as
 * `failed` if what was asked for is refused by now.
 */
export const CHANGE_ENDS = ['applied', 'rejected', 'withdrawn', 'expired', 'stale', 'failed'] as const;
export type ChangeEnd = (typeof CHANGE_ENDS)[number];
export const CHANGE_STATUSES = ['open', ...CHANGE_ENDS] as const;
export type ChangeStatus = (typeof CHANGE_STATUSES)[number];

/** A change as its process knows it. */
export interface ChangeState {
  readonly status: ChangeStatus;
}

/** What the process of a change starts with. */
export interface ChangeOrder {
  readonly id: ChangeId;
  /** How long those who could decide may let it lie before they are reminded, each time; seconds. */
  readonly remindSeconds: number;
}
