/** Which kinds of transfer the bank offers, in which currencies, and how much. */
import { z } from 'zod';
import { transferTypesFor, type TransferTypeRow } from '../../../db/queries/transfers/transfer-types.ts';
import { keyset } from '../../wire/cursor.ts';
import { forUsers } from '../../declaration/operation.ts';
import * as wire from './schemas.ts';
import { transferTypeView } from './views.ts';

const byCode = keyset('transfer-types', z.string(), (type: TransferTypeRow) => type.code);

export const listTransferTypes = forUsers({
  id: 'listTransferTypes',
  area: 'Finance',
  title: 'List available transfer types',
  description: 'The types that are switched on, with the limits that apply to the caller now.',
  method: 'GET',
  path: '/v1/transfer-types',
  effect: 'read',
  query: byCode.query({}),
  status: 200,
  answer: wire.TransferTypeList,
  refuses: [],
  handle: ({ caller, db, query }) =>
    byCode.page(
      query,
      (after, most) => transferTypesFor.all(db, { customer: caller.id, after, most }),
      transferTypeView,
    ),
});

/** In the order of the documentation. */
export const operations = [listTransferTypes];
