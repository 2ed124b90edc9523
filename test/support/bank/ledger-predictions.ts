/** The rules of the model of the books: what may come of a step, and what it then does. */
import type { AccountId, TransferId } from '../../../domain/ids.ts';
import type { TransferKind, TransferStatus } from '../../../domain/transfers/transfers.ts';

export type Status = 'open' | 'blocked' | 'closed';
export type Step =
  | { readonly do: 'fund'; readonly account: number; readonly minor: bigint }
  | {
      readonly do: 'pay';
      readonly from: number;
      readonly to: number;
      readonly minor: bigint;
      readonly fee: bigint;
      readonly spread: bigint;
      readonly waits: boolean;
    }
  | {
      readonly do: 'adjust';
      readonly account: number;
      readonly minor: bigint;
      readonly debit: boolean;
      readonly daysBack: number;
    }
  | { readonly do: 'reverse'; readonly which: number }
  | {
      readonly do: 'decide';
      readonly which: number;
      readonly kind: 'execute' | 'reject' | 'cancel' | 'expire';
      readonly by: number;
    }
  /** `payer`: of the account that pays the newest movement, where there is one. */
  | { readonly do: 'set'; readonly account: number; readonly payer: boolean; readonly status: Status };

/** What may come of a step (a status, or the code of a refusal), and what it then does to the model. */
export interface Prediction {
  readonly answers: readonly string[];
  apply(answer: string): void;
}

export interface Account {
  readonly id: AccountId;
  posted: bigint;
  held: bigint;
  status: Status;
  /** What each transaction did to it. */
  readonly nets: bigint[];
}

/** A movement that the books have taken. A side that is the bank's own has no account. */
export interface Move {
  readonly id: TransferId;
  readonly kind: TransferKind;
  readonly from: Account | undefined;
  readonly to: Account | undefined;
  readonly asset: string;
  readonly target: string;
  /** What leaves, fees included, and what arrives. */
  readonly out: bigint;
  readonly into: bigint;
  readonly reverses: Move | undefined;
  status: TransferStatus;
}

export type Leaving = Pick<Move, 'from' | 'to' | 'out' | 'into'>;

const OUTCOMES = { execute: 'executed', reject: 'rejected', cancel: 'cancelled', expire: 'expired' } as const;

export function book({ from, to, out, into }: Leaving): void {
  if (from !== undefined) {
    from.posted -= out;
    from.nets.push(-out);
  }
  if (to !== undefined) {
    to.posted += into;
    to.nets.push(into);
  }
}

/** Each side may refuse for a reason of its own; which of the two is told is not promised. */
export function postingRefusals({ from, to, out }: Leaving): string[] {
  const refusals: string[] = [];
  if (from?.status === 'closed') refusals.push('account_closed');
  else if (from?.status === 'blocked') refusals.push('account_blocked');
  else if (from !== undefined && from.posted - from.held < out) refusals.push('insufficient_funds');
  if (to?.status === 'closed') refusals.push('account_closed');
  return refusals;
}

export function openingRefusals(move: Move, moves: readonly Move[]): string[] {
  const { from, to, reverses } = move;
  if (from !== undefined && from === to) return ['same_account'];
  if (reverses !== undefined) {
    const taken = moves.some(
      (other) => other.reverses === reverses && ['pending_approval', 'executed'].includes(other.status),
    );
    if (taken || reverses.status !== 'executed' || reverses.kind === 'reversal') return ['not_reversible'];
  }
  const refusals = postingRefusals(move);
  // what waits is judged as a whole
  return move.status === 'pending_approval' && refusals.includes('account_closed')
    ? ['account_closed']
    : refusals;
}

export function predictStatus(account: Account, wanted: Status): Prediction {
  const refusal =
    account.status === wanted
      ? undefined
      : account.status === 'closed'
        ? 'account_closed'
        : wanted === 'closed' && (account.posted !== 0n || account.held !== 0n)
          ? 'account_not_empty'
          : undefined;
  return {
    answers: [refusal ?? 'set'],
    apply: (answer) => void (answer === 'set' && (account.status = wanted)),
  };
}

export function predictDecision(move: Move | undefined, kind: keyof typeof OUTCOMES): Prediction {
  if (move === undefined) return { answers: ['nothing'], apply: () => undefined };
  if (move.status !== 'pending_approval')
    // time changes nothing that has ended
    return { answers: [kind === 'expire' ? move.status : 'transfer_not_pending'], apply: () => undefined };
  const freed = { ...move, from: move.from && { ...move.from, held: move.from.held - move.out } };
  const fails = kind === 'execute' && postingRefusals(freed).length > 0;
  return {
    answers: [fails ? 'failed' : OUTCOMES[kind]],
    apply: (answer) => {
      if (move.from !== undefined) move.from.held -= move.out;
      if (answer === 'executed') book(move);
      move.status = answer as TransferStatus;
    },
  };
}
