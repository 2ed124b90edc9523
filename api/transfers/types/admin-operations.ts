/** The bank's kinds of transfer, as the back office configures them. */
import { z } from 'zod';
import {
  transferType,
  transferTypes,
  type TransferTypeRow,
} from '../../../db/queries/transfers/transfer-types.ts';
import { found } from '../../../domain/refusals.ts';
import { configureType, typeFourEyes } from '../../../services/transfers/types.ts';
import { keyset } from '../../wire/cursor.ts';
import { patchOf } from '../../wire/rows.ts';
import { forAdmins } from '../../declaration/operation.ts';
import * as wire from './schemas.ts';
import { transferTypeView } from './views.ts';

const byCode = keyset('all-transfer-types', z.string(), (type: TransferTypeRow) => type.code);
const params = z.strictObject({ code: z.string().max(40) });

export const listTransferTypesAsAdmin = forAdmins({
  id: 'listTransferTypesAsAdmin',
  area: 'Admin finance',
  title: 'List transfer type configuration',
  description: 'All types, including those that are switched off.',
  method: 'GET',
  path: '/v1/admin/transfer-types',
  effect: 'read',
  permission: 'transfers:read',
  query: byCode.query({}),
  status: 200,
  answer: wire.TransferTypeList,
  refuses: [],
  handle: ({ db, query }) =>
    byCode.page(query, (after, most) => transferTypes.all(db, { after, most }), transferTypeView),
});

export const getTransferType = forAdmins({
  id: 'getTransferType',
  area: 'Admin finance',
  title: 'Get transfer type configuration',
  description: 'One type, switched on or off.',
  method: 'GET',
  path: '/v1/admin/transfer-types/{code}',
  effect: 'read',
  permission: 'transfers:read',
  params,
  status: 200,
  answer: wire.TransferTypeConfig,
  refuses: [],
  beyond: true,
  async handle({ params: { code }, db }) {
    return transferTypeView(found(await transferType.first(db, { code })));
  },
});

export const updateTransferType = forAdmins({
  id: 'updateTransferType',
  area: 'Admin finance',
  title: 'Update transfer type configuration',
  description:
    'Changes a type. Transfers that wait already are not affected. Fields that are left out stay; `currencies` and `limits` each replace the whole list. A new limit also counts what was moved before it was set. A change with which more can leave at once, in all or without an approval waits for a second administrator.',
  method: 'PATCH',
  path: '/v1/admin/transfer-types/{code}',
  effect: 'transaction',
  permission: 'transfers:configure',
  fourEyes: typeFourEyes,
  params,
  body: wire.TransferTypeUpdate,
  status: 200,
  answer: wire.TransferTypeConfig,
  refuses: [],
  async handle(request) {
    return transferTypeView(await configureType(request, request.params.code, patchOf(request.body)));
  },
});

/** In the order of the documentation. */
export const operations = [listTransferTypesAsAdmin, getTransferType, updateTransferType];
