/** Which changes of the terms of a coin make the bank less careful. */
import { MEMO_RULES, type MemoRule } from '../addresses/memo.ts';
import { isRaised } from '../limits-raised.ts';

/** What of a coin decides who trades how much at which prices. */
export interface CoinTerms {
  readonly enabled: boolean;
  readonly spreadBps: number;
  readonly minOrder: bigint;
  readonly maxOrder: bigint | null;
  readonly breakerBps: number;
  readonly maxDeviationBps: number;
  readonly debitsStopped: boolean;
}

/** True if a coin is offered, its price changes for customers, smaller or larger orders are taken, or prices that deviate more, or if customers' coins may go out again. */
export function loosensCoin(before: CoinTerms | null, after: CoinTerms | null): boolean {
  if (before === null || after === null) return after?.enabled === true;
  return (
    (after.enabled && !before.enabled) ||
    (before.debitsStopped && !after.debitsStopped) ||
    after.spreadBps !== before.spreadBps ||
    after.minOrder < before.minOrder ||
    isRaised(before.maxOrder, after.maxOrder) ||
    after.breakerBps > before.breakerBps ||
    after.maxDeviationBps > before.maxDeviationBps
  );
}

/** What of a coin on a network decides where coins come from and go to, and when they are believed. */
export interface NetworkTerms {
  readonly enabled: boolean;
  readonly custodyAsset: string;
  readonly scale: number;
  readonly contract: string | null;
  readonly confirmations: number;
  readonly minDeposit: bigint;
  readonly minWithdrawal: bigint;
  readonly memo: MemoRule;
}

/** True if coins move on a network, if what they are there becomes something else, or if less is asked of a deposit or withdrawal. */
export function loosensNetwork(before: NetworkTerms | null, after: NetworkTerms | null): boolean {
  if (before === null || after === null) return after?.enabled === true;
  return (
    (after.enabled && !before.enabled) ||
    after.custodyAsset !== before.custodyAsset ||
    after.scale !== before.scale ||
    after.contract !== before.contract ||
    after.confirmations < before.confirmations ||
    after.minDeposit < before.minDeposit ||
    after.minWithdrawal < before.minWithdrawal ||
    MEMO_RULES.indexOf(after.memo) < MEMO_RULES.indexOf(before.memo)
  );
}
