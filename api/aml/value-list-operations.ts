/** Named values that conditions of rules read, such as countries. */
import { z } from 'zod';
import { valueListByCode, valueLists, type ValueListRow } from '../../db/queries/aml/value-lists.ts';
import { UserId } from '../../domain/ids.ts';
import { found } from '../../domain/refusals.ts';
import { putValueList, valueListFourEyes } from '../../services/aml/value-lists.ts';
import { forAdmins } from '../declaration/operation.ts';
import { keyset } from '../wire/cursor.ts';
import { named } from '../wire/naming.ts';
import { patchOf, viewOf } from '../wire/rows.ts';
import { listOf, Timestamp } from '../wire/shapes.ts';
import { Line } from '../wire/text.ts';

const Code = z.string().regex(/^[a-z][a-z0-9_]{1,59}$/, 'must be the code of a list');
const changeable = {
  description: Line(500, 0).optional(),
  entries: z.array(Line(200)).max(10_000).describe('Kept sorted, each once.'),
};
const example = { description: 'Countries under embargo', entries: ['IR', 'KP'] };

const AMLValueList = named(
  'AMLValueList',
  z.strictObject({
    code: Code,
    ...changeable,
    updated_by: UserId.nullable(),
    created_at: Timestamp,
    updated_at: Timestamp,
  }),
  {
    code: 'embargo',
    ...example,
    updated_by: '0192f0c1-3b1e-7c4e-9d5a-6f0a4c1b2d3e',
    created_at: '2026-03-01T09:30:00.000Z',
    updated_at: '2026-03-01T09:30:00.000Z',
  },
);
const AMLValueLists = listOf('AMLValueLists', AMLValueList);
const AMLNewValueList = named('AMLNewValueList', z.strictObject({ code: Code, ...changeable }), {
  code: 'embargo',
  ...example,
});
const AMLValueListRequest = named('AMLValueListRequest', z.strictObject(changeable), example);

const params = z.strictObject({ code: Code });
const byCode = keyset('aml-value-lists', Code, (list: ValueListRow) => list.code);
const view = viewOf(AMLValueList);
const listView = ({ entries, ...list }: ValueListRow) => view({ ...list, entries: [...entries] });

export const listAmlValueLists = forAdmins({
  id: 'listAmlValueLists',
  area: 'Admin AML',
  title: 'List value lists of AML rules',
  description: 'All named lists of values, by their codes.',
  method: 'GET',
  path: '/v1/admin/aml/value-lists',
  effect: 'read',
  permission: 'aml:read',
  query: byCode.query({}),
  status: 200,
  answer: AMLValueLists,
  refuses: [],
  beyond: true,
  handle: ({ db, query }) =>
    byCode.page(query, (after, most) => valueLists.all(db, { after: after ?? '', most }), listView),
});

export const getAmlValueList = forAdmins({
  id: 'getAmlValueList',
  area: 'Admin AML',
  title: 'Get value list of AML rules',
  description: 'One named list of values.',
  method: 'GET',
  path: '/v1/admin/aml/value-lists/{code}',
  effect: 'read',
  permission: 'aml:read',
  params,
  status: 200,
  answer: AMLValueList,
  refuses: [],
  beyond: true,
  async handle({ params: { code }, db }) {
    return listView(found(await valueListByCode.first(db, { code })));
  },
});

export const createAmlValueList = forAdmins({
  id: 'createAmlValueList',
  area: 'Admin AML',
  title: 'Create value list of AML rules',
  description: 'Makes a named list, which rules can then name.',
  method: 'POST',
  idempotency: 'accepted',
  path: '/v1/admin/aml/value-lists',
  effect: 'transaction',
  permission: 'aml:write',
  body: AMLNewValueList,
  status: 201,
  answer: AMLValueList,
  refuses: ['conflict'],
  beyond: true,
  async handle(request) {
    const { code, ...said } = request.body;
    if ((await valueListByCode.first(request.db, { code })) !== undefined)
      throw request.refusal('conflict', { detail: 'The code is taken by another list.' });
    return listView(await putValueList(request, code, patchOf(said)));
  },
});

export const putAmlValueList = forAdmins({
  id: 'putAmlValueList',
  area: 'Admin AML',
  title: 'Set value list of AML rules',
  description:
    'Gives a named list other entries. Rules read it at every movement, so a change of a list that a live rule reads waits for a second administrator.',
  method: 'PUT',
  path: '/v1/admin/aml/value-lists/{code}',
  effect: 'transaction',
  permission: 'aml:write',
  fourEyes: valueListFourEyes,
  params,
  body: AMLValueListRequest,
  status: 200,
  answer: AMLValueList,
  refuses: [],
  beyond: true,
  async handle(request) {
    const { params, body, db } = request;
    found(await valueListByCode.first(db, { code: params.code }));
    return listView(await putValueList(request, params.code, patchOf(body)));
  },
});

/** In the order of the documentation. */
export const operations = [listAmlValueLists, createAmlValueList, getAmlValueList, putAmlValueList];
