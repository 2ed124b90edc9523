/** Decisions on transfers below the API: who may take them, and what the books make of them. */
import { expect } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import { acceptDecision, carryOut, type StepVerdict } from '../../../db/ledger/transfers.ts';
import { recordReports } from '../../../db/queries/transfers/rail-reports.ts';
import { DecisionId, type TransferId, type UserId } from '../../../domain/ids.ts';
import type { RailReport } from '../../../domain/transfers/rail.ts';
import type { RefusalCode } from '../../../domain/refusals.ts';
import type { PersonalDecision } from '../../../domain/transfers/transfers.ts';
import type { Wish } from '../../../services/transfers/decisions.ts';
import { decide } from '../../../workflows/transfer/contract.ts';
import type { Books } from './books.ts';

/** An administrator who may decide on all transfers; one who is a customer too if `person` is. */
export function reviewer(books: Books, person?: UserId): Promise<UserId> {
  return books.admin(['transfers:review'], person);
}

/** A wish to decide: of an administrator, or of a customer. */
export function by(
  who: UserId,
  kind: PersonalDecision,
  role: 'admin' | 'customer' = 'admin',
): Omit<Wish, 'id'> {
  return { kind, by: { id: who, role, address: '127.0.0.1', requestId: randomUUID() }, reason: 'test' };
}

/** Accepts a decision, for whoever carries it out. */
export async function accepted(
  books: Books,
  transferId: TransferId,
  { kind, by: { id: decidedBy, requestId }, reason }: Omit<Wish, 'id'>,
): Promise<{ readonly accepted: DecisionId | null; readonly refusal: RefusalCode | null }> {
  const decision = DecisionId.parse(randomUUID());
  const wished = { transferId, decision, kind, decidedBy, reason, requestId };
  return acceptDecision.one(books.em(), { ...wished, name: decide.name, input: { decision } });
}

/** Decides without any process: the decision is accepted, and carried out at once. Answers what the books do. */
export async function decideInBooks(
  books: Books,
  id: TransferId,
  wish: Omit<Wish, 'id'>,
): Promise<Pick<StepVerdict, 'status' | 'refusal' | 'changed'>> {
  const taken = await accepted(books, id, wish);
  if (taken.accepted === null) return { status: null, refusal: taken.refusal, changed: false };
  return carryOut(books.em(), id, { source: 'decision', id: taken.accepted });
}

/** Writes down a report of the rail, as a worker does before it brings it to the transfer. */
export async function reported(books: Books, report: RailReport): Promise<void> {
  // it reports only on what it was given
  await books.asOwner(
    `insert into rail_payments (transfer_id, message_id, asset, amount)
       select id, replace(id::text, '-', ''), target_asset, target_amount from transfers where id = $1 on conflict do nothing`,
    [report.transferId],
  );
  expect(await recordReports(books.em(), [report], { folder: 'test', file: 'test' })).toBe(true);
}

/** The clock says that nobody has approved it in time, or will say so in a moment. */
export async function approvalRunsOut(
  books: Pick<Books, 'asOwner'>,
  id: TransferId,
  inSeconds = 0,
): Promise<void> {
  // one statement, so that it is one transaction; a moment is rounded to its millisecond, and the bank's clock is cut off to it
  await books.asOwner(`
    do $$ begin
      alter table transfers disable trigger transfers_change;
      update transfers set approve_until = clock_timestamp() - interval '1 millisecond' + ${String(inSeconds)} * interval '1 second' where id = '${id}';
      alter table transfers enable trigger transfers_change;
    end $$`);
}
