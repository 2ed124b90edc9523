/** Deciding on a transfer: the decision is a row first, and then its process hears of it. */
import type { EntityManager } from '@mikro-orm/postgresql';
import { acceptDecision, decisionById } from '../../db/ledger/transfers.ts';
import { tellLater, type PendingUpdate } from '../../db/queries/platform/outbox.ts';
import { transferById, type TransferRow } from '../../db/queries/transfers/transfers.ts';
import { transaction } from '../../db/transaction.ts';
import type { Person } from '../../domain/actor.ts';
import type { DecisionId } from '../../domain/ids.ts';
import { refuse, type Refusal, type RefusalCode } from '../../domain/refusals.ts';
import { shownStatus, type PersonalDecision } from '../../domain/transfers/transfers.ts';
import { decide } from '../../workflows/transfer/contract.ts';
import { movementProcesses } from '../../workflows/transfer/process.ts';
import { updateOf } from '../platform/processes.ts';
import { recover } from '../platform/recovery.ts';
import type { Services } from '../services.ts';
import { movementRecovery } from './recovery.ts';

/** What somebody wants to become of a transfer. `id` is reserved for the request, so that its repeat finds the same decision. */
export interface Wish {
  readonly id: DecisionId;
  readonly kind: PersonalDecision;
  readonly by: Person;
  readonly reason: string | null;
}

type Moving = Pick<TransferRow, 'id' | 'kind'>;

/**
 * Accepts the decision, brings it to the process, and answers the transfer as it is then: `decisionState` says whether the process
 * has carried it out in time. A process that is lost is started again from its row.
 * Refuses: transfer_not_pending (with the decision that was first), same_person, permission_not_held, and what the books refuse.
 */
export async function decideOn(
  transfer: Moving,
  wish: Wish,
  db: EntityManager,
  services: Pick<Services, 'processes'>,
): Promise<TransferRow> {
  const { id } = transfer;
  const verdict = await transaction(db, (tx) => accept(tx, transfer, wish));
  if (verdict.accepted === null) throw await refused(db, id, wish.by, verdict.refusal);
  await bring(transfer, decisionFor(transfer, verdict.accepted), db, services);
  const { refusal } = await decisionById.one(db, { id: verdict.accepted });
  if (refusal !== null) throw await refused(db, id, wish.by, refusal);
  return transferById.one(db, { id });
}

type Verdict = { readonly accepted: DecisionId } | { readonly accepted: null; readonly refusal: RefusalCode };

async function accept(tx: EntityManager, { id, kind }: Moving, wish: Wish): Promise<Verdict> {
  const { accepted, refusal } = await acceptDecision.one(tx, {
    transferId: id,
    decision: wish.id,
    kind: wish.kind,
    decidedBy: wish.by.id,
    reason: wish.reason,
    requestId: wish.by.requestId,
  });
  if (accepted === null) return { accepted, refusal: refusal ?? 'not_found' };
  await tellLater(tx, decisionFor({ id, kind }, accepted));
  return { accepted };
}

function decisionFor({ id, kind }: Moving, decision: DecisionId): PendingUpdate {
  return updateOf(movementProcesses[kind], id, decide, { decision }, decision);
}

/** Brings the process of a transfer what it has to hear. One that is lost is started again from its row first. */
export async function bring(
  transfer: Moving,
  told: PendingUpdate,
  db: EntityManager,
  { processes }: Pick<Services, 'processes'>,
): Promise<void> {
  if ((await processes.deliver(told)) !== 'ended') return;
  const found = await recover(movementRecovery(transfer.kind), { db, processes }, transfer.id);
  if (found !== 'closed') await processes.deliver(told);
}

/** What a late decision learns: who was first. Customers are not told which administrator, nor that the bank watches an account. */
async function refused(
  db: EntityManager,
  id: TransferRow['id'],
  { id: decider, role }: Person,
  code: RefusalCode,
): Promise<Refusal> {
  if (code !== 'transfer_not_pending') return refuse(code);
  const { status, dueAt, decision, decisionBy, decisionAt } = await transferById.one(db, { id });
  const isToldWho = role === 'admin' || decisionBy === decider;
  return refuse(code, {
    members: {
      transfer_status: role === 'admin' ? status : shownStatus(status, dueAt),
      ...(decision === null ? {} : { decision, decided_at: decisionAt?.toISOString() }),
      ...(decision === null || !isToldWho ? {} : { decided_by: decisionBy }),
    },
  });
}
