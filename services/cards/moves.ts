/** What happens to a card after it was issued: activated, blocked, unblocked, replaced, closed. */
import { cardOf, moveCard, type CARD_MOVES, type CardRow } from '../../db/queries/cards/cards.ts';
import { lastInPlaceOf } from '../../db/queries/cards/life.ts';
import { record } from '../../db/queries/platform/audit.ts';
import type { CardClosedReason, ReplacementReason } from '../../domain/cards/cards.ts';
import type { CardId } from '../../domain/ids.ts';
import { found, isRefusal, type Refusal } from '../../domain/refusals.ts';
import type { OwnCall } from '../callers.ts';
import type { Services } from '../services.ts';
import { issueInPlaceOf, requireOther, type IssueRefusal } from './issuing.ts';

type Move = (typeof CARD_MOVES)[number];
export type MoveRefusal = 'card_closed' | 'blocked_by_bank' | 'card_inactive';

const VERBS: Readonly<Record<Move, string>> = {
  activate: 'activated',
  block: 'blocked',
  unblock: 'unblocked',
  close: 'closed',
};

/** Moves the caller's own card. */
export async function moveOwnCard(
  call: OwnCall<MoveRefusal>,
  id: CardId,
  move: Move,
  closedReason: CardClosedReason | null = null,
): Promise<CardRow> {
  const before = found(await cardOf.first(call.db, { id, owner: call.actor.id }));
  return moved(call, before, move, null, closedReason);
}

/** Moves another person's card for the bank. */
export async function moveCardOfOther(
  call: OwnCall<MoveRefusal | 'same_person'>,
  id: CardId,
  move: Move,
  reason: string,
): Promise<CardRow> {
  const before = found(await cardOf.first(call.db, { id, owner: null }));
  requireOther(call, before.ownerId);
  return moved(call, before, move, reason, null);
}

/**
 * Closes the caller's card for ever and issues another one in its place, unless it was renewed already. If none can be issued, the
 * card is closed all the same, since somebody else may have it, and why not is returned.
 */
export async function replaceOwnCard(
  call: OwnCall<MoveRefusal | IssueRefusal>,
  { id, newId, reason }: { readonly id: CardId; readonly newId: CardId; readonly reason: ReplacementReason },
  services: Pick<Services, 'cipher' | 'vault'>,
): Promise<CardRow | Refusal> {
  const before = found(await cardOf.first(call.db, { id, owner: call.actor.id }));
  if (before.status === 'closed') throw call.refusal('card_closed');
  await moved(call, before, 'close', null, reason);
  const last = await lastInPlaceOf.one(call.db, { card: id });
  // it was to expire soon, and the next one is there or on its way
  if (last.status !== 'closed') return cardOf.one(call.db, { id: last.id, owner: null });
  try {
    return await issueInPlaceOf(call, { id: newId, replaces: last.id }, before, services);
  } catch (error) {
    if (!isRefusal(error)) throw error;
    return error;
  }
}

async function moved(
  { db, actor, refusal }: OwnCall<MoveRefusal>,
  before: CardRow,
  move: Move,
  reason: string | null,
  closedReason: CardClosedReason | null,
): Promise<CardRow> {
  const { id } = before;
  const verdict = await moveCard.one(db, { id, move, by: actor.id, reason: closedReason });
  if (verdict.refusal !== null) throw refusal(verdict.refusal);
  const after = await cardOf.one(db, { id, owner: null });
  await record(db, actor, {
    action: `card.${VERBS[move]}`,
    subject: ['card', id],
    before: told(before),
    after: told(after),
    reason,
  });
  return after;
}

function told({ status, blockedBy, closedReason }: CardRow) {
  return { status, blocked_by: blockedBy, closed_reason: closedReason };
}
