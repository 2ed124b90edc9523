/**
 * What a second administrator does about a change, and what its maker may still do. An approval carries the change out in its own
 * transaction: it is one local step, so nothing can happen between the decision and its effect. The process is told afterwards.
 */
import type { EntityManager } from '@mikro-orm/postgresql';
import { record } from '../../db/queries/platform/audit.ts';
import {
  changeById,
  changeRefusal,
  endChange,
  makerOf,
  type ChangeRow,
} from '../../db/queries/platform/pending-changes.ts';
import { transaction } from '../../db/transaction.ts';
import type { ChangeEnd } from '../../domain/changes.ts';
import { SessionId, type ChangeId } from '../../domain/ids.ts';
import { found, isRefusal } from '../../domain/refusals.ts';
import { decided } from '../../workflows/change/contract.ts';
import { changeProcess } from '../../workflows/change/process.ts';
import type { Admin, AdminCall } from '../callers.ts';
import type { Services } from '../services.ts';
import { requestOf } from './changes.ts';

type Code = 'already_decided' | 'forbidden' | 'same_person';
type Deciding = AdminCall<Code>;
type Needs = Pick<Services, 'carryOut' | 'cipher' | 'processes'>;
interface Decision {
  readonly wanted: 'applied' | 'rejected' | 'withdrawn';
  readonly reason: string | null;
}

/** A change that this administrator may see. Refuses not_found. */
export async function visibleChange(
  db: EntityManager,
  id: ChangeId,
  { id: reader, permissions }: Pick<Admin, 'id' | 'permissions'>,
): Promise<ChangeRow> {
  const change = found(await changeById.first(db, { id }));
  const reading = `${change.permission.split(':')[0] ?? ''}:read`;
  const isVisible =
    change.requestedBy === reader || permissions.has(change.permission) || permissions.has(reading);
  return found(isVisible ? change : undefined);
}

/** Approves a change, which is carried out at once. Refuses change_stale and change_failed if it ended without effect. */
export async function approveChange(
  call: AdminCall<Code | 'change_stale' | 'change_failed'>,
  id: ChangeId,
  reason: string | null,
  services: Needs,
): Promise<ChangeRow> {
  const change = await decideOnChange(call, id, { wanted: 'applied', reason }, services);
  const members = { change_id: id };
  if (change.status === 'stale') throw call.refusal('change_stale', { members });
  if (change.status === 'failed')
    throw call.refusal('change_failed', { members: { ...members, failure: change.failure } });
  return change;
}

/** Decides and answers the change as it is then. */
export async function decideOnChange(
  call: Deciding,
  id: ChangeId,
  decision: Decision,
  services: Needs,
): Promise<ChangeRow> {
  await visibleChange(call.db, id, call.caller);
  const change = await transaction(call.db, (tx) => decide(call, tx, id, decision, services));
  // a process that is not told looks at the row when it wakes
  void services.processes.tell(changeProcess, id, decided, { id });
  return change;
}

async function decide(
  call: Deciding,
  tx: EntityManager,
  id: ChangeId,
  { wanted, reason }: Decision,
  services: Needs,
): Promise<ChangeRow> {
  const by = { change: id, decider: call.actor.id };
  await throwIfRefused(call, tx, id, await changeRefusal.one(tx, { ...by, wanted }));
  const change = await changeById.one(tx, { id });
  const ended = wanted === 'applied' ? await carriedOut(tx, change, services) : { status: wanted };
  const end = { ...by, wanted: ended.status, reason, failure: ended.failure ?? null };
  await throwIfRefused(call, tx, id, await endChange.one(tx, end));
  await record(tx, call.actor, {
    action: `change.${ended.status}`,
    subject: ['change', id],
    before: { status: 'open' },
    after: {
      ...{ status: ended.status, operation: change.operation, requested_by: change.requestedBy },
      ...(ended.failure === undefined ? {} : { failure: ended.failure }),
    },
    reason,
  });
  return changeById.one(tx, { id });
}

/** How an approval ends. The maker must still be an administrator who may do this. */
async function carriedOut(
  tx: EntityManager,
  change: ChangeRow,
  { carryOut, cipher }: Needs,
): Promise<{ readonly status: ChangeEnd; readonly failure?: string }> {
  const request = requestOf(change, cipher);
  const person = await makerOf.first(tx, { id: change.id });
  if (person === undefined) return { status: 'failed', failure: 'forbidden' };
  const { id, locale } = person;
  const permissions = new Set(person.permissions);
  const session = { sessionId: SessionId.parse(request.sessionId), amr: request.amr };
  const maker = { kind: 'admin', role: 'admin', id, locale, permissions, ...session } as const;
  const outcome = await carryOut(tx, change, request, maker);
  return isRefusal(outcome) ? { status: 'failed', failure: outcome.code } : { status: outcome };
}

async function throwIfRefused(
  { refusal: refuse }: Deciding,
  tx: EntityManager,
  id: ChangeId,
  { refusal }: { readonly refusal: Code | 'not_found' | 'conflict' | null },
): Promise<void> {
  if (refusal === null) return;
  if (refusal === 'conflict') throw new Error('a person does not let a change expire');
  if (refusal !== 'already_decided' && refusal !== 'forbidden') throw refuse(refusal);
  const { status, decidedBy, decidedAt, expiresAt, permission } = await changeById.one(tx, { id });
  if (refusal === 'forbidden') throw refuse('forbidden', { members: { permission } });
  // time was over although the process had not noticed yet
  const decision = status === 'open' ? 'expired' : status;
  throw refuse('already_decided', {
    members: { decision, decided_by: decidedBy, decided_at: decidedAt ?? expiresAt },
  });
}
