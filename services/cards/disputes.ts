/** Disputes of card payments: opened and withdrawn by their holders, decided by the bank and by the network. */
import type { EntityManager } from '@mikro-orm/postgresql';
import type { Config } from '../../config.ts';
import {
  decideDispute,
  disputeOf,
  openDispute,
  settleDispute,
  withdrawDispute,
  type DisputeRow,
} from '../../db/queries/cards/disputes.ts';
import { cardPaymentOf } from '../../db/queries/cards/payments.ts';
import { record } from '../../db/queries/platform/audit.ts';
import { launch } from '../../db/queries/platform/outbox.ts';
import type { AuditState } from '../../db/schema/platform.ts';
import { scaleOf, type AssetCode } from '../../domain/assets.ts';
import type { Actor } from '../../domain/actor.ts';
import {
  DISPUTE_TERMS,
  type DisputeDecision,
  type DisputeReason,
  type NetworkOutcome,
} from '../../domain/cards/disputes.ts';
import { CardDisputeId, type CardPaymentId } from '../../domain/ids.ts';
import { formatMoney, type Money } from '../../domain/money.ts';
import { faultIn, found } from '../../domain/refusals.ts';
import { machineNow } from '../../domain/time/now.ts';
import { disputeProcess } from '../../workflows/card-dispute/process.ts';
import type { AdminCall, Call, OwnCall } from '../callers.ts';

interface Opening extends OwnCall<
  'nothing_to_dispute' | 'dispute_open' | 'dispute_too_late' | 'dispute_too_large'
> {
  readonly newId: string;
}

/** What a holder says. */
interface Claim {
  readonly reason: DisputeReason;
  readonly explanation: string;
  /** All that can be disputed, if it is not said. */
  readonly amount?: Money | undefined;
}

/** Opens a dispute of the caller's own payment. */
export async function openOwnDispute(
  { db, actor, newId, refusal }: Opening,
  payment: CardPaymentId,
  { reason, explanation, amount }: Claim,
): Promise<DisputeRow> {
  const id = CardDisputeId.parse(newId);
  const { asset } = found(await cardPaymentOf.first(db, { id: payment, owner: actor.id }));
  if (amount !== undefined && amount.asset !== asset)
    throw faultIn('/amount/currency', 'wrong_currency', `the payment is in ${asset}`);
  const verdict = await openDispute.one(db, {
    ...{ id, payment, owner: actor.id, reason, explanation },
    ...{ amount: amount?.minor ?? null, ...DISPUTE_TERMS[reason] },
  });
  if (verdict.refusal === 'dispute_too_large')
    throw refusal('dispute_too_large', {
      members: { remaining: formatMoney({ minor: verdict.most ?? 0n, asset }) },
    });
  if (verdict.refusal !== null) throw refusal(verdict.refusal);
  await launch(db, disputeProcess, { id, customerId: actor.id });
  const opened = await disputeOf.one(db, { id, owner: null });
  await record(db, actor, {
    action: 'card_dispute.opened',
    subject: ['card_dispute', id],
    after: told(opened),
  });
  return opened;
}

/** Withdraws the caller's own dispute; what was given for it is taken back. */
export async function withdrawOwnDispute(
  { db, actor, refusal }: OwnCall<'already_decided'>,
  id: CardDisputeId,
): Promise<DisputeRow> {
  const before = found(await disputeOf.first(db, { id, owner: actor.id }));
  const verdict = await withdrawDispute.one(db, { id, owner: actor.id, clock: machineNow() });
  if (verdict.refusal !== null)
    throw decidedBefore({ refusal, actor }, await disputeOf.one(db, { id, owner: null }));
  return noted(db, actor, 'withdrawn', before, null);
}

/** Accepts or rejects a dispute. If another person has to agree first, it stays as it is and says so. */
export async function decideOnDispute(
  { db, actor, refusal }: AdminCall<'already_decided' | 'same_person'>,
  id: CardDisputeId,
  { decision, reason }: { readonly decision: DisputeDecision; readonly reason: string },
  config: Pick<Config, 'CARD_DISPUTE_ALONE_UP_TO' | 'CARD_DISPUTE_NETWORK_DAYS'>,
): Promise<DisputeRow> {
  const before = found(await disputeOf.first(db, { id, owner: null }));
  const verdict = await decideDispute.one(db, {
    ...{ id, by: actor.id, wanted: decision, reason },
    ...{ aloneUpTo: aloneUpTo(config, before.asset), clock: machineNow() },
    networkDays: config.CARD_DISPUTE_NETWORK_DAYS,
  });
  if (verdict.refusal === 'same_person') throw refusal('same_person');
  if (verdict.refusal !== null)
    throw decidedBefore({ refusal, actor }, await disputeOf.one(db, { id, owner: null }));
  const what = verdict.needsSecond ? 'reviewed' : `${decision}ed`;
  return noted(db, actor, what, before, reason);
}

/** Books what the network has decided. The same outcome again changes nothing. */
export async function settleDisputeByNetwork(
  { db, actor, refusal }: Call<'already_decided' | 'not_filed'>,
  id: CardDisputeId,
  outcome: NetworkOutcome,
): Promise<DisputeRow> {
  const before = found(await disputeOf.first(db, { id, owner: null }));
  const verdict = await settleDispute.one(db, { id, outcome, clock: machineNow() });
  if (verdict.refusal === 'not_filed') throw refusal('not_filed');
  if (verdict.refusal !== null)
    throw decidedBefore({ refusal, actor }, await disputeOf.one(db, { id, owner: null }));
  // a twin may have booked it since `before` was read
  return verdict.isChanged ? noted(db, actor, outcome, before, null) : disputeOf.one(db, { id, owner: null });
}

/** In minor units. */
function aloneUpTo(
  { CARD_DISPUTE_ALONE_UP_TO }: Pick<Config, 'CARD_DISPUTE_ALONE_UP_TO'>,
  asset: AssetCode,
): bigint {
  return BigInt(CARD_DISPUTE_ALONE_UP_TO) * 10n ** BigInt(scaleOf(asset));
}

/** Two at once: the second one learns what the first has decided. Only the back office is told which administrator that was. */
function decidedBefore(
  { refusal, actor }: Pick<Call<'already_decided'>, 'refusal' | 'actor'>,
  { status: decision, decidedBy, decidedAt }: DisputeRow,
) {
  return refusal('already_decided', {
    members: {
      ...{ decision, decided_at: decidedAt?.toISOString() ?? null },
      ...(actor.role === 'admin' ? { decided_by: decidedBy } : {}),
    },
  });
}

async function noted(
  db: EntityManager,
  actor: Actor,
  what: string,
  before: DisputeRow,
  reason: string | null,
): Promise<DisputeRow> {
  const { id } = before;
  const after = await disputeOf.one(db, { id, owner: null });
  await record(db, actor, {
    action: `card_dispute.${what}`,
    subject: ['card_dispute', id],
    before: told(before),
    after: told(after),
    reason,
  });
  return after;
}

function told({ status, amount, credited, takenBack, firstBy, asset }: DisputeRow): AuditState {
  const money = (minor: bigint) => formatMoney({ minor, asset });
  return {
    ...{ status, amount: money(amount), credited: money(credited), taken_back: money(takenBack) },
    first_by: firstBy,
  };
}
