/** Processes that do not start, for operators. */
import { z } from 'zod';
import {
  refusedStarts,
  SET_ASIDE_AFTER,
  type RefusedStartRow,
} from '../../../db/queries/platform/refused-starts.ts';
import { forAdmins } from '../../declaration/operation.ts';
import { keyset } from '../../wire/cursor.ts';
import * as wire from './schemas.ts';

const byWorkflow = keyset('refused-starts', z.string(), (row: RefusedStartRow) => row.workflowId);

export const listRefusedStarts = forAdmins({
  id: 'listRefusedStarts',
  area: 'Admin processes',
  title: 'List processes that do not start',
  description:
    'Lists the processes that Temporal has refused to start though it could be reached, with what it said. Each is tried again, at first after seconds and at last once an hour, and leaves the list when it has started.',
  method: 'GET',
  path: '/v1/admin/processes/refused',
  effect: 'read',
  permission: 'processes:read',
  query: byWorkflow.query({}),
  status: 200,
  answer: wire.RefusedStartList,
  refuses: [],
  beyond: true,
  handle: ({ db, query }) =>
    byWorkflow.page(query, (after, most) => refusedStarts.all(db, { after, most }), refusedStartView),
});

function refusedStartView(row: RefusedStartRow): z.output<typeof wire.RefusedStart> {
  return {
    workflow_id: row.workflowId,
    process: row.process,
    failure: row.failure,
    attempts: row.attempts,
    set_aside: row.attempts >= SET_ASIDE_AFTER,
    first_at: row.firstAt,
    last_at: row.lastAt,
    next_at: row.dueAt,
  };
}

/** In the order of the documentation. */
export const operations = [listRefusedStarts];
