/** What holders are asked before an online payment: they approve or decline it. */
import { cardOf } from '../../db/queries/cards/cards.ts';
import { challengeOf, decideChallenge, type ChallengeRow } from '../../db/queries/cards/authentications.ts';
import { record } from '../../db/queries/platform/audit.ts';
import { PROOF_MINUTES } from '../../domain/cards/authentications.ts';
import type { CardAuthenticationId } from '../../domain/ids.ts';
import { formatMoney, type Money } from '../../domain/money.ts';
import { merchantText } from '../../domain/notifications/approval-text.ts';
import { faultIn, found } from '../../domain/refusals.ts';
import type { OwnCall } from '../callers.ts';
import type { Approval, ApprovalCall } from '../identity/factors/step-up-kind.ts';
import { moveOwnCard, type MoveRefusal } from './moves.ts';

/** What the holder has read in the challenge. */
interface Confirmation {
  readonly amount: Money;
  readonly merchant: string;
}

/** What the holder confirms with their second factor. */
export function challengeApproval({
  body: { amount, merchant },
}: ApprovalCall & { readonly body: Confirmation }): Promise<Approval> {
  return Promise.resolve({ amount, target: null, payee: merchantText(merchant) });
}

/** Approves the caller's own challenge, if it is about what they have read. */
export async function approveOwnChallenge(
  call: OwnCall<'already_decided'>,
  id: CardAuthenticationId,
  { amount, merchant }: Confirmation,
): Promise<ChallengeRow> {
  const challenge = found(await challengeOf.first(call.db, { id, owner: call.actor.id }));
  if (amount.minor !== challenge.amount || amount.asset !== challenge.asset)
    throw faultIn('/amount', 'other_amount', 'is not the amount of the challenge');
  if (merchant !== challenge.merchant.name)
    throw faultIn('/merchant', 'other_merchant', 'is not the name of the merchant of the challenge');
  return decided(call, id, 'authenticated', 'approved');
}

/** Declines the caller's own challenge, and blocks the card if they want it. A closed card needs no block. */
export async function declineOwnChallenge(
  call: OwnCall<'already_decided' | MoveRefusal>,
  id: CardAuthenticationId,
  { block_card: blocks }: { readonly block_card: boolean },
): Promise<ChallengeRow> {
  const challenge = await decided(call, id, 'declined', 'declined');
  const card = await cardOf.one(call.db, { id: challenge.cardId, owner: call.actor.id });
  if (blocks && card.status !== 'closed') await moveOwnCard(call, card.id, 'block');
  return challenge;
}

async function decided(
  { db, actor, refusal }: OwnCall<'already_decided'>,
  id: CardAuthenticationId,
  wanted: 'authenticated' | 'declined',
  what: string,
): Promise<ChallengeRow> {
  const verdict = await decideChallenge.one(db, {
    ...{ id, owner: actor.id, wanted, proofMinutes: PROOF_MINUTES },
  });
  const challenge = found(await challengeOf.first(db, { id, owner: actor.id }));
  if (verdict.refusal !== null)
    throw refusal('already_decided', { members: decisionOf(challenge, actor.id) });
  const { asset, amount, merchant, status, cardId } = challenge;
  await record(db, actor, {
    action: `card_challenge.${what}`,
    subject: ['card_challenge', id],
    after: { status, card_id: cardId, amount: formatMoney({ minor: amount, asset }), merchant: merchant.id },
  });
  return challenge;
}

/** What has ended a challenge: its holder, or time. */
function decisionOf({ status: decision, decidedAt, expiresAt }: ChallengeRow, holder: string) {
  return decidedAt === null
    ? { decision, decided_by: null, decided_at: expiresAt.toISOString() }
    : { decision, decided_by: holder, decided_at: decidedAt.toISOString() };
}
