/** Which kinds of transfer the bank offers, in which currencies, and how much. */
import { z } from 'zod';
import { transferTypesFor } from '../../../db/queries/transfers/transfer-types.ts';
import { keyset } from '../../wire/cursor.ts';
import { forUsers } from '../../declaration/operation.ts';
import { pageQuery } from '../../wire/shapes.ts';
import * as wire from './schemas.ts';
import { transferTypeView } from './views.ts';

const byCode = keyset('transfer-types', z.string());

export const listTransferTypes = forUsers({
  id: 'listTransferTypes',
  area: 'Finance',
  title: 'List available transfer types',
  description: 'The types that are switched on. With the limits that count for the caller now.',
  method: 'GET',
  path: '/v1/transfer-types',
  effect: 'read',
  query: z.strictObject(pageQuery(byCode)),
  status: 200,
  answer: wire.TransferTypeList,
  refuses: [],
  async handle({ caller, db, query }) {
    const found = await transferTypesFor.all(db, {
      customer: caller.id,
      after: query.cursor ?? null,
      most: query.limit + 1,
    });
    return byCode.page(found, query.limit, (type) => type.code, transferTypeView);
  },
});

/** In the order of the documentation. */
export const operations = [listTransferTypes];
