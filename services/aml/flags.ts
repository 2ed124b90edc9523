/** Reviewing flags: each decision is one transaction with its entry in the audit log; what was held then hears of it. */
import type { EntityManager } from '@mikro-orm/postgresql';
import { raiseFlag } from '../../db/ledger/account-status.ts';
import { amlFlagById, type AmlFlagRow } from '../../db/queries/aml/flags.ts';
import { accountsTouched, openReport, resolveFlag, touchFlag } from '../../db/queries/aml/reviews.ts';
import { record } from '../../db/queries/platform/audit.ts';
import { transaction } from '../../db/transaction.ts';
import type { AmlFlagId, UserId } from '../../domain/ids.ts';
import { faultIn, found } from '../../domain/refusals.ts';
import { bringReleased, releaseHeld, type Released } from '../accounts/waiting.ts';
import type { AdminCall } from '../callers.ts';
import { bringClearedDeposits } from '../crypto/cleared-deposits.ts';
import type { Services } from '../services.ts';

type Code = 'already_decided' | 'same_person';
/** A reviewer's call. */
type Reviewing<Refused extends Code = Code> = Pick<AdminCall<Refused>, 'db' | 'actor' | 'refusal'>;
type Needs = Pick<Services, 'processes'>;

/** How a flag is resolved. */
export interface Resolution {
  readonly wanted: 'cleared' | 'false_positive' | 'confirmed';
  readonly note: string;
  /** The rule is left out for the customer until then. */
  readonly until?: Date | undefined;
  /** The account that a confirmed suspicion freezes. */
  readonly freeze?: boolean | undefined;
}

/**
 * Resolves a flag. What it held goes on, or is rejected if the suspicion is confirmed; a report is then opened as a draft. Where a second
 * reviewer has to agree, nothing happens yet and the flag says so.
 */
export async function resolveAmlFlag(
  call: Reviewing,
  id: AmlFlagId,
  resolution: Resolution,
  services: Needs,
): Promise<AmlFlagRow> {
  const released = await transaction(call.db, (tx) => resolved(tx, call, id, resolution));
  await bringReleased(call.db, released, services);
  await bringClearedDeposits(call.db, id, services);
  return amlFlagById.one(call.db, { id });
}

async function resolved(
  tx: EntityManager,
  call: Reviewing,
  id: AmlFlagId,
  { wanted, note, until = undefined, freeze = false }: Resolution,
): Promise<readonly Released[]> {
  const before = found(await amlFlagById.first(tx, { id }));
  const verdict = await resolveFlag.one(tx, {
    ...{ flag: id, actor: call.actor.id, note, wanted, until: until ?? null },
  });
  if (verdict.refusal === 'already_decided') throw decidedBefore(call, await amlFlagById.one(tx, { id }));
  if (verdict.refusal === 'not_suppressible')
    throw faultIn('/suppress', 'no_rule', 'only a rule can be suppressed');
  if (verdict.refusal === 'same_person') throw call.refusal('same_person');
  await record(tx, call.actor, {
    action: verdict.needsSecond ? 'aml_flag.reviewed' : `aml_flag.${wanted}`,
    subject: ['aml_flag', id],
    before: { status: before.status },
    after: { status: verdict.needsSecond ? before.status : wanted, suppress_until: until ?? null },
    reason: note,
  });
  if (verdict.needsSecond) return [];
  if (wanted === 'confirmed') await confirmed(tx, call, before, { note, freeze });
  return releaseHeld(tx, id);
}

/** Two at once: the second one learns what the first has decided. */
function decidedBefore({ refusal }: Pick<Reviewing<'already_decided'>, 'refusal'>, flag: AmlFlagRow) {
  const { status: decision, resolvedBy, resolvedAt } = flag;
  return refusal('already_decided', {
    members: { decision, decided_by: resolvedBy, decided_at: resolvedAt?.toISOString() ?? null },
  });
}

async function confirmed(
  tx: EntityManager,
  { actor }: Pick<Reviewing, 'actor'>,
  flag: AmlFlagRow,
  { note, freeze }: { readonly note: string; readonly freeze: boolean },
): Promise<void> {
  await openReport.one(tx, {
    flag: flag.id,
    actor: actor.id,
    narrative: `${flag.explanation.text}\n\n${note}`,
  });
  if (!freeze) return;
  for (const account of await accountsTouched.all(tx, { flag: flag.id }))
    await raiseFlag.one(tx, {
      account: account.id,
      raiser: actor.id,
      reason: note.slice(0, 500),
      freeze: true,
    });
}

/** Something that reviewers do about a flag before it is resolved. */
export interface Touch {
  readonly kind: 'assigned' | 'escalated' | 'commented';
  readonly assignee?: UserId | null;
  readonly note?: string | null;
}

/** Assigns, escalates or comments. */
export async function touchAmlFlag(
  call: Reviewing<'already_decided'>,
  id: AmlFlagId,
  { kind, assignee = null, note = null }: Touch,
): Promise<AmlFlagRow> {
  const before = found(await amlFlagById.first(call.db, { id }));
  const { refusal } = await touchFlag.one(call.db, {
    ...{ flag: id, actor: call.actor.id, kind, value: assignee, note },
  });
  if (refusal === 'already_decided') throw decidedBefore(call, await amlFlagById.one(call.db, { id }));
  if (refusal === 'assignee_unfit')
    throw faultIn('/assignee_id', 'unfit', 'must be an administrator who may review flags');
  await record(call.db, call.actor, {
    action: `aml_flag.${kind}`,
    subject: ['aml_flag', id],
    before: { status: before.status, assignee_id: before.assigneeId },
    after: kind === 'assigned' ? { assignee_id: assignee } : {},
    reason: note?.slice(0, 500),
  });
  return amlFlagById.one(call.db, { id });
}
