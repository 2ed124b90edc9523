/** An administrator agrees to a list that has lost many of its entries. */
import {
  agreeToLoad,
  listLoadById,
  lockList,
  takeList,
  type ListLoadRow,
} from '../../db/queries/aml/list-loads.ts';
import { record } from '../../db/queries/platform/audit.ts';
import type { ScreeningLoadId } from '../../domain/ids.ts';
import { found } from '../../domain/refusals.ts';
import type { Call } from '../callers.ts';

/** Puts a pending list into force; null if it waits no longer, or a newer file of its source took effect meanwhile. */
export async function agreeToList({ db, actor }: Call, id: ScreeningLoadId): Promise<ListLoadRow | null> {
  const { source } = found(await listLoadById.first(db, { id }));
  await lockList.one(db, { source });
  if ((await agreeToLoad.first(db, { id, by: actor.id })) === undefined) return null;
  await takeList.one(db, { id });
  const load = await listLoadById.one(db, { id });
  await record(db, actor, {
    action: 'screening_list.agreed',
    subject: ['screening_list', id],
    before: { status: 'pending_change' },
    after: { status: load.status, version: load.version, removed: load.removed, added: load.added },
  });
  return load;
}
