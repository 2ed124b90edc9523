/** All that others may know of the process of an announcement. What it says and to whom stays in its row. */
import { defineUpdate } from '@temporalio/workflow';
import type { AnnouncementId } from '../../domain/ids.ts';

export interface AnnouncementOrder {
  readonly id: AnnouncementId;
}

/** Somebody has stopped it: its row says so. */
export const stopped = defineUpdate<void, [AnnouncementOrder]>('stopped');
