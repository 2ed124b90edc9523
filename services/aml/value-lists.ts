/** Named values that conditions read. Fewer of them in a live rule may hold less, so that waits for a second administrator. */
import {
  liveRulesOf,
  valueListByCode,
  writeValueList,
  type ValueListRow,
} from '../../db/queries/aml/value-lists.ts';
import { record } from '../../db/queries/platform/audit.ts';
import type { AuditState } from '../../db/schema/platform.ts';
import type { Call } from '../callers.ts';
import { fourEyes, type Place } from '../platform/four-eyes.ts';

/** A change of what a live rule reads waits for a second administrator: whether it loosens depends on the rule. */
export const valueListFourEyes = fourEyes({
  resource: ({ params: { code } }: Place<{ readonly code: string }>) => ['aml_value_list', code],
  async state(db, { params: { code } }) {
    const list = await valueListByCode.first(db, { code });
    if (list === undefined) return null;
    const rules = await liveRulesOf.all(db, { code });
    return { ...list, isLive: rules.length > 0 };
  },
  loosens: (before, after) =>
    before?.isLive === true && JSON.stringify(before.entries) !== JSON.stringify(after?.entries),
  shown: told,
});

/** Writes a list, its entries sorted and each once. */
export async function putValueList(
  { db, actor }: Call,
  code: string,
  { description = '', entries }: { readonly description?: string; readonly entries: readonly string[] },
): Promise<ValueListRow> {
  const before = await valueListByCode.first(db, { code });
  const sorted = [...new Set(entries)].toSorted();
  const after = await writeValueList.one(db, { code, description, entries: sorted, updatedBy: actor.id });
  await record(db, actor, {
    action: `aml_value_list.${before === undefined ? 'created' : 'updated'}`,
    subject: ['aml_value_list', code],
    before: before && told(before),
    after: told(after),
  });
  return after;
}

/** A list as the audit log keeps it. */
function told({ code, description, entries }: ValueListRow): AuditState {
  return { code, description, entries: [...entries] };
}
