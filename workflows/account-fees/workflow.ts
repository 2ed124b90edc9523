/** The monthly fees of accounts, started every day by their schedule. */
import { continueAsNew, setCurrentDetails, upsertSearchAttributes } from '@temporalio/workflow';
import { onHousekeeping, type Carried } from '../queues.ts';
import { searchAttributes } from '../search-attributes.ts';

/** How far a batch came, and what became of it. */
interface ChargedBatch {
  /** The last account looked at; null if there are no more. */
  readonly last: string | null;
  readonly charged: number;
  readonly refused: number;
}

/** The effects of its steps. */
export interface AccountFeeActivities extends Carried<'housekeeping'> {
  /** The newest month that is still to be charged, as its first day; null if none is. */
  openFeeMonth(): Promise<string | null>;
  /** Charges the next accounts after this one. */
  chargeFeeMonth(month: string, after: string | null): Promise<ChargedBatch>;
  closeFeeMonth(month: string): Promise<void>;
  /** Tries the next fees that were refused before. */
  chargeRefusedFees(after: string | null): Promise<ChargedBatch>;
}

const { openFeeMonth, chargeFeeMonth, closeFeeMonth, chargeRefusedFees } =
  onHousekeeping<AccountFeeActivities>({
    startToCloseTimeout: '1 minute',
    retry: { initialInterval: '1s', backoffCoefficient: 2, maximumInterval: '1m' },
  });

/** After so many batches the history is begun anew. */
const BATCHES_A_RUN = 500;

/** Where a run goes on that has grown too long: with the refused ones, or inside a month. */
export interface AccountFeeProgress {
  readonly month: string | null;
  readonly after: string | null;
}

/**
 * Tries again what was refused before; then charges the month, once: on its first day, or the first day after it on which the
 * service runs. What is cut off is taken up by the next day's run, in the next month too. Answers the month that it charged, null where it was done.
 */
export async function accountFees(left: AccountFeeProgress | null): Promise<string | null> {
  const progress = left ?? { month: null, after: null };
  let batches = 0;
  const inBatches = async (
    month: string | null,
    first: string | null,
    charge: (after: string | null) => Promise<ChargedBatch>,
  ): Promise<void> => {
    let after = first;
    do {
      if (batches++ === BATCHES_A_RUN) await continueAsNew<typeof accountFees>({ month, after });
      after = (await charge(after)).last;
    } while (after !== null);
  };

  if (progress.month === null) {
    setCurrentDetails('Tries again what the books refused before.');
    await inBatches(null, progress.after, chargeRefusedFees);
  }
  const month = progress.month ?? (await openFeeMonth());
  if (month !== null) {
    setCurrentDetails(`Charges the fees of ${month.slice(0, 'YYYY-MM'.length)}.`);
    await inBatches(month, progress.month === null ? null : progress.after, (after) =>
      chargeFeeMonth(month, after),
    );
    await closeFeeMonth(month);
  }
  upsertSearchAttributes([{ key: searchAttributes.status, value: 'done' }]);
  setCurrentDetails(
    month === null
      ? 'The month was charged before.'
      : `The fees of ${month.slice(0, 'YYYY-MM'.length)} are charged.`,
  );
  return month;
}
