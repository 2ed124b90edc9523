/** What happens to a card after it was issued: activated, blocked, unblocked, replaced, closed. */
import {
  cardOf,
  damageCard,
  damagedBefore,
  moveCard,
  type CARD_MOVES,
  type CardRow,
} from '../../db/queries/cards/cards.ts';
import type { EntityManager } from '@mikro-orm/postgresql';
import { lastInPlaceOf } from '../../db/queries/cards/life.ts';
import { record } from '../../db/queries/platform/audit.ts';
import type { Actor } from '../../domain/actor.ts';
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
 * Closes the caller's card for ever and issues another one in its place, unless it was renewed already. If none can be issued, a lost or
 * stolen card is closed all the same, since somebody else may have it, and why not is returned. A damaged one works until one that
 * follows it is activated.
 */
export async function replaceOwnCard(
  call: OwnCall<MoveRefusal | IssueRefusal>,
  { id, newId, reason }: { readonly id: CardId; readonly newId: CardId; readonly reason: ReplacementReason },
  services: Pick<Services, 'cipher' | 'vault'>,
): Promise<CardRow | Refusal> {
  const before = found(await cardOf.first(call.db, { id, owner: call.actor.id }));
  if (before.status === 'closed') throw call.refusal('card_closed');
  if (reason === 'damaged') return replaceDamaged(call, before, newId, services);
  await moved(call, before, 'close', null, reason);
  try {
    return await nextOf(call, before, newId, services);
  } catch (error) {
    if (!isRefusal(error)) throw error;
    return error;
  }
}

async function replaceDamaged(
  call: OwnCall<MoveRefusal | IssueRefusal>,
  before: CardRow,
  newId: CardId,
  services: Pick<Services, 'cipher' | 'vault'>,
): Promise<CardRow> {
  const { db, actor, refusal } = call;
  const { id } = before;
  const verdict = await damageCard.one(db, { id, by: actor.id });
  if (verdict.refusal !== null) throw refusal(verdict.refusal);
  await record(db, actor, { action: 'card.damaged', subject: ['card', id] });
  const next = await nextOf(call, before, newId, services);
  if (next.status !== 'inactive') await moved(call, before, 'close', null, 'damaged');
  return next;
}

/** The card that is there or on its way in the place of another one, or a new one. */
async function nextOf(
  call: OwnCall<MoveRefusal | IssueRefusal>,
  before: CardRow,
  newId: CardId,
  services: Pick<Services, 'cipher' | 'vault'>,
): Promise<CardRow> {
  const last = await lastInPlaceOf.one(call.db, { card: before.id });
  if (last.id !== before.id && last.status !== 'closed')
    return cardOf.one(call.db, { id: last.id, owner: null });
  return issueInPlaceOf(call, { id: newId, replaces: last.id }, before, services);
}

async function moved(
  { db, actor, refusal }: OwnCall<MoveRefusal>,
  before: CardRow,
  move: Move,
  reason: string | null,
  closedReason: CardClosedReason | null,
): Promise<CardRow> {
  const { id } = before;
  const damaged = move === 'activate' ? await damagedBefore.all(db, { id }) : [];
  const verdict = await moveCard.one(db, { id, move, by: actor.id, reason: closedReason });
  if (verdict.refusal !== null) throw refusal(verdict.refusal);
  for (const other of damaged) await recordMove(db, actor, 'close', other, reason);
  return recordMove(db, actor, move, before, reason);
}

async function recordMove(
  db: EntityManager,
  actor: Actor,
  move: Move,
  before: CardRow,
  reason: string | null,
): Promise<CardRow> {
  const { id } = before;
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
