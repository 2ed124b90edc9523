/** All that others may know of the process of an identity check. What it is about stays in its row. */
import { defineUpdate } from '@temporalio/workflow';
import type { ApplicationStatus } from '../../domain/compliance/kyc.ts';
import type { KycApplicationId, UserId } from '../../domain/ids.ts';

export interface KycOrder {
  readonly id: KycApplicationId;
  readonly customerId: UserId;
}

/** How an application is after a step. */
export interface KycStep {
  readonly status: ApplicationStatus;
  /** 0 once it has ended. */
  readonly lookAgainInSeconds: number;
}

/** It has another status: its row says which. */
export const changed = defineUpdate<void, [Pick<KycOrder, 'id'>]>('changed');
