/** All that others may know of the processes that move money: transfers, adjustments and reversals. */
import { defineUpdate } from '@temporalio/workflow';
import type { UserId } from '../../domain/ids.ts';
import type { Refused } from '../../domain/process.ts';
import type { RailReport } from '../../domain/transfers/rail.ts';
import type { TransferDecision, TransferState } from '../../domain/transfers/transfers.ts';

/** The first answer: executed, given to the rail, waiting, or refused. Nobody asks any more; histories hold it, so it must replay. */
export const opened = defineUpdate<TransferState | Refused>('opened');

/** Execute, reject or cancel a waiting transfer; the first decision stands. Refuses: transfer_not_pending, same_person. */
export const decide = defineUpdate<TransferState | Refused, [TransferDecision]>('decide');

/** What the rail says of the payment; the report's message id is the update's id. */
export const railReported = defineUpdate<TransferState | Refused, [RailReport]>('rail_reported');

/** The flag of the account is cleared: what it held goes on. Refuses: aml_flag_open, transfer_not_pending. */
export const amlCleared = defineUpdate<
  TransferState | Refused,
  [{ readonly by: UserId; readonly reason: string; readonly id: string }]
>('aml_cleared');

/** The account that pays was blocked, opened again, frozen or closed: shown to who looks at the waiting process. */
export const accountChanged = defineUpdate<
  void,
  [{ readonly status: 'open' | 'blocked' | 'frozen' | 'closed' }]
>('account_changed');
