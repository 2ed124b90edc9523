/** All that others may know of the process of an application, of a person or of a company. What it is about stays in its row. */
import { defineUpdate } from '@temporalio/workflow';
import type { ApplicationStatus } from '../../domain/compliance/applications.ts';
import type { ApplicationId, UserId } from '../../domain/ids.ts';

export interface ApplicationOrder {
  readonly id: ApplicationId;
  readonly customerId: UserId;
}

/** How an application is after a step. */
export interface ApplicationStep {
  readonly status: ApplicationStatus;
  /** 0 once it has ended. */
  readonly lookAgainInSeconds: number;
}

/** It has another status: its row says which. */
export const changed = defineUpdate<void, [Pick<ApplicationOrder, 'id'>]>('changed');
