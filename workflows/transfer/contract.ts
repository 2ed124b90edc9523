/** All that others may know of the processes that move money: transfers, adjustments and reversals. */
import { defineUpdate } from '@temporalio/workflow';
import type { DecisionId } from '../../domain/ids.ts';
import type { Refused } from '../../domain/process.ts';
import type { RailReportKind } from '../../domain/transfers/rail.ts';
import type { TransferState } from '../../domain/transfers/transfers.ts';

/** Execute, reject or cancel a waiting transfer, as the row of the decision says. Refuses: transfer_not_pending, same_person, balance_limit. */
export const decide = defineUpdate<TransferState | Refused, [{ readonly decision: DecisionId }]>('decide');

/** What the rail says of the payment; the report's message id is the update's id. `kind` is for who looks at the process. */
export const railReported = defineUpdate<
  TransferState | Refused,
  [{ readonly report: string; readonly kind: RailReportKind }]
>('rail_reported');

/** A flag of the account is cleared: what it held goes on. Refuses: aml_flag_open, transfer_not_pending. */
export const amlCleared = defineUpdate<TransferState | Refused, [{ readonly flag: string }]>('aml_cleared');

/** The account that pays was blocked, opened again, frozen or closed: shown to who looks at the waiting process. */
export const accountChanged = defineUpdate<
  void,
  [{ readonly status: 'open' | 'blocked' | 'frozen' | 'closed' }]
>('account_changed');
