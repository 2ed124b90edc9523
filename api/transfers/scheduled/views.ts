/** Scheduled transfers as their customer sees them. */
import type { ScheduledRunRow } from '../../../db/queries/transfers/scheduled-runs.ts';
import type { ScheduledTransferRow } from '../../../db/queries/transfers/scheduled-transfers.ts';
import { shownStatus } from '../../../domain/transfers/transfers.ts';
import { viewOf } from '../../wire/rows.ts';
import * as wire from './schemas.ts';

const view = viewOf(wire.ScheduledTransfer);

export function scheduledTransferView(planned: ScheduledTransferRow) {
  const { amount: minor, asset, targetAsset, beneficiaryName: name, beneficiaryIban: account } = planned;
  const isSourceFixed = planned.fixedSide === 'source';
  const { repeatUnit: unit, repeatEvery: every, endsOn: ends_on } = planned;
  return view({
    ...planned,
    type: planned.reach,
    destinationAccountNumber: planned.destinationNumber,
    beneficiary: name === null || account === null ? null : { name, account },
    amount: isSourceFixed ? { minor, asset } : null,
    targetAmount: isSourceFixed ? null : { minor, asset: targetAsset },
    repeat: unit === null ? null : { unit, every, ends_on },
  });
}

export function runView({ dueOn, transferId, status, dueAt, refusal }: ScheduledRunRow) {
  const shown = status && shownStatus(status, dueAt);
  return { due_on: dueOn, transfer_id: transferId, status: shown, refusal };
}
