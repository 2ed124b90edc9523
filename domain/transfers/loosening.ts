/** Which changes of a kind of transfer make the bank less careful. */
import { isRaisedAtSomeLevel } from '../limits-raised.ts';
import { limitSubjects, type LimitSubject } from './limits.ts';

/** From which level of the customer on, what is counted together and how much it may be; null is no limit. */
export interface TypeLimit {
  readonly asset: string;
  readonly kycLevel: number;
  readonly subject: LimitSubject;
  readonly single: bigint | null;
  readonly day: bigint | null;
  readonly month: bigint | null;
}

/** What of a kind of transfer decides how much can leave without a second person. */
export interface TransferControls {
  readonly enabled: boolean;
  readonly currencies: readonly { readonly asset: string; readonly approvalAbove: bigint }[];
  readonly limits: readonly TypeLimit[];
}

const PERIODS = ['single', 'day', 'month'] as const;

/** True if the type is switched on or offered in another currency, or if more could leave at once, in all or without an approval. */
export function loosensTransfers(before: TransferControls | null, after: TransferControls | null): boolean {
  if (after === null || !after.enabled) return false;
  if (before === null || !before.enabled) return true;
  return after.currencies.some(({ asset, approvalAbove }) => {
    const offered = before.currencies.find((known) => known.asset === asset);
    return offered === undefined || approvalAbove > offered.approvalAbove || raises(before, after, asset);
  });
}

/** What is counted together is limited by itself. */
function raises(before: TransferControls, after: TransferControls, asset: string): boolean {
  return limitSubjects.some((subject) => {
    const [were, are] = [before, after].map(({ limits }) =>
      limits.filter((limit) => limit.asset === asset && limit.subject === subject),
    );
    return isRaisedAtSomeLevel(were ?? [], are ?? [], PERIODS);
  });
}
