/** A statement of account as every format sees it: what it is about, its lines piece by piece, its totals. */
import type { EntityManager } from '@mikro-orm/postgresql';
import { statementLines, type StatementRow } from '../../db/queries/statements/lines.ts';
import {
  statementTotals,
  type StatementHead,
  type StatementTotals,
} from '../../db/queries/statements/statements.ts';
import { pendingCardPayments, type PendingRow } from '../../db/queries/statements/pending.ts';
import { dayAt, decimalOf, type Period } from '../../domain/statements.ts';
import { now } from '../../domain/time/now.ts';

/** Who keeps the account. */
export interface KeepingBank {
  readonly name: string;
  readonly bic: string;
  readonly timeZone: string;
}

const LINES_READ = 1_000;
const PENDING_LISTED = 100;

export interface Statement {
  readonly bank: KeepingBank;
  readonly head: StatementHead;
  readonly period: Period;
  /** Minor units as a decimal number, with exactly the digits of the account's asset. */
  decimal(minor: bigint): string;
  /**
   * The lines in the order of booking, read so many at a time: enough that finding the way to them counts for little, and so few that
   * they are done with while the collector of garbage still takes them for young.
   * Throws after the last one where they do not lead from the opening to the closing balance.
   */
  lines(readAtOnce?: number): AsyncGenerator<readonly StatementRow[], void, undefined>;
  totals(): Promise<StatementTotals>;
  /** Card payments that hold something now and are not booked; none if the period ends before today. At most a hundred, newest first. */
  pending(): Promise<readonly PendingRow[]>;
}

export function statementOf(
  db: EntityManager,
  about: {
    readonly bank: KeepingBank;
    readonly head: StatementHead;
    readonly period: Period;
    readonly wholeNames: boolean;
  },
): Statement {
  const { bank, head, period, wholeNames } = about;
  return {
    bank,
    head,
    period,
    decimal: (minor) => decimalOf(minor, head.scale),
    lines: (readAtOnce = LINES_READ) =>
      reconciled(head, statementLines(db, { head, timeZone: bank.timeZone, wholeNames, readAtOnce })),
    totals: () => statementTotals.one(db, head),
    pending: async () =>
      period.to < dayAt(now(), bank.timeZone)
        ? []
        : pendingCardPayments.all(db, {
            account: head.accountId,
            timeZone: bank.timeZone,
            most: PENDING_LISTED,
          }),
  };
}

/**
 * From when on it says what it says: the last booking in it, at the earliest its begin. No clock is asked, so that the same period
 * gives the same bytes until something is booked in it.
 */
export function asOf({ begins, lastBookedAt: last }: StatementHead): Date {
  return last === null || last < begins ? begins : last;
}

/** The name of the account's file: also the id of the message in camt.053, at most 35 characters. */
export function nameOf({ head, period }: Statement): string {
  return [head.number, period.from.replaceAll('-', ''), period.to.replaceAll('-', '')].join('-');
}

async function* reconciled(
  head: StatementHead,
  pieces: AsyncGenerator<readonly StatementRow[], void, undefined>,
): AsyncGenerator<readonly StatementRow[], void, undefined> {
  let [sum, count] = [head.opening, head.seqBefore];
  for await (const lines of pieces) {
    for (const { amount } of lines) sum += amount;
    count += BigInt(lines.length);
    yield lines;
  }
  if (sum !== head.closing || count !== head.seqLast)
    throw new Error(`the lines of account ${head.accountId} do not lead to its balance`);
}
