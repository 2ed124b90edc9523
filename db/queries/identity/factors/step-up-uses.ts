/** The single use of a step-up token. */
import type { EntityManager } from '@mikro-orm/postgresql';
import type { RowOf } from '../../../rows/columns.ts';
import { statement } from '../../../rows/statement.ts';
import { columnsOf } from '../../../rows/table-columns.ts';
import { StepUpUse } from '../../../schema/identity.ts';

const use = columnsOf(StepUpUse, 'stepUpId', 'resourceId');

/**
 * Spends a step-up token on one resource; call it in the transaction of the effect if there is one. True at the first use,
 * and at a repeat for the same resource: a retry with the same Idempotency-Key carries the same token. False otherwise.
 */
export async function spendStepUp(db: EntityManager, wanted: RowOf<typeof use>): Promise<boolean> {
  if ((await insertStepUpUse.run(db, wanted)) > 0) return true;
  // the insert has waited for a use at the same moment, so its row is visible now
  const spent = await stepUpUse.first(db, { stepUpId: wanted.stepUpId });
  return spent?.resourceId === wanted.resourceId;
}

const insertStepUpUse = statement({
  name: 'insertStepUpUse',
  takes: use,
  gives: {},
  sql: `
    insert into step_up_uses (step_up_id, resource_id) values ($stepUpId, $resourceId)
    on conflict (step_up_id) do nothing`,
});

const stepUpUse = statement({
  name: 'stepUpUse',
  takes: columnsOf(StepUpUse, 'stepUpId'),
  gives: columnsOf(StepUpUse, 'resourceId'),
  sql: 'select resource_id from step_up_uses where step_up_id = $stepUpId',
});

/** Makes a token good again that was spent on a resource which was refused. */
export const returnStepUp = statement({
  name: 'returnStepUp',
  takes: use,
  gives: {},
  sql: 'delete from step_up_uses where step_up_id = $stepUpId and resource_id = $resourceId',
});
