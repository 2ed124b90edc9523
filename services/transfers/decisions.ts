/** Deciding on a transfer: the decision is a row first, and then its process hears of it. */
import type { EntityManager } from '@mikro-orm/postgresql';
import { acceptDecision, decidedTransfer } from '../../db/ledger/transfers.ts';
import type { PendingUpdate } from '../../db/queries/platform/outbox.ts';
import { transferById, type TransferRow } from '../../db/queries/transfers/transfers.ts';
import type { Person } from '../../domain/actor.ts';
import type { DecisionId, TransferId } from '../../domain/ids.ts';
import { refuse, type Refusal, type RefusalCode } from '../../domain/refusals.ts';
import { shownStatus, type PersonalDecision } from '../../domain/transfers/transfers.ts';
import { decide } from '../../workflows/transfer/contract.ts';
import { movementProcesses } from '../../workflows/transfer/process.ts';
import { updateOf } from '../platform/processes.ts';
import { orRecovered } from '../platform/recovery.ts';
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
 * Refuses: not_found, transfer_not_pending (with the decision that was first), same_person, permission_not_held, and what the books
 * refuse.
 */
export async function decideOn(
  id: TransferId,
  wish: Wish,
  db: EntityManager,
  services: Pick<Services, 'processes'>,
): Promise<TransferRow> {
  const { accepted, kind, refusal } = await accept(db, id, wish);
  if (accepted === null || kind === null) throw await refused(db, id, wish.by, refusal ?? 'not_found');
  const heard = updateOf(movementProcesses[kind], id, decide, { decision: accepted }, accepted);
  await orRecovered(movementRecovery(kind), { db, processes: services.processes }, id, () =>
    services.processes.bring(heard),
  );
  const decided = await decidedTransfer.one(db, { id, decision: accepted });
  if (decided.refusal !== null) throw await refused(db, id, wish.by, decided.refusal);
  return decided;
}

function accept(db: EntityManager, id: TransferId, wish: Wish) {
  return acceptDecision.one(db, {
    transferId: id,
    decision: wish.id,
    kind: wish.kind,
    decidedBy: wish.by.id,
    reason: wish.reason,
    requestId: wish.by.requestId,
    name: decide.name,
    input: { decision: wish.id },
  });
}

/** Brings the process of a transfer what it has to hear. One that is lost is started again from its row first. */
export async function tellMovement(
  transfer: Moving,
  told: PendingUpdate,
  db: EntityManager,
  { processes }: Pick<Services, 'processes'>,
): Promise<void> {
  await orRecovered(movementRecovery(transfer.kind), { db, processes }, transfer.id, () =>
    processes.deliver(told),
  );
}

/** What a late decision learns: who was first. Customers are not told which administrator, nor that the bank watches an account. */
async function refused(
  db: EntityManager,
  id: TransferRow['id'],
  { id: decider, role }: Person,
  code: RefusalCode,
): Promise<Refusal> {
  if (code !== 'transfer_not_pending') return refuse(code);
  const { status: inBooks, dueAt, decision, decisionBy, decisionAt } = await transferById.one(db, { id });
  // refused though nobody has decided: its time is over, and its process will expire it
  const status = inBooks === 'pending_approval' && decision === null ? 'expired' : inBooks;
  const isToldWho = role === 'admin' || decisionBy === decider;
  return refuse(code, {
    members: {
      transfer_status: role === 'admin' ? status : shownStatus(status, dueAt),
      ...(decision === null ? {} : { decision, decided_at: decisionAt?.toISOString() }),
      ...(decision === null || !isToldWho ? {} : { decided_by: decisionBy }),
    },
  });
}
