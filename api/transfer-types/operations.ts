/** Which kinds of transfer the bank offers, in which currencies. */
import { z } from 'zod';
import { TransferType, TransferTypeCurrency } from '../../db/entities/transfer.ts';
import { formatMoney } from '../../domain/money.ts';
import { keyset } from '../cursor.ts';
import { operation } from '../operation.ts';
import { pageQuery } from '../wire.ts';
import * as wire from './schemas.ts';

const byCode = keyset('transfer-types', z.string());

/** The types that are switched on. */
export const listTransferTypes = operation({
  id: 'listTransferTypes',
  area: 'Finance',
  title: 'List available transfer types',
  method: 'GET',
  path: '/v1/transfer-types',
  auth: 'user',
  query: z.strictObject(pageQuery(byCode)),
  status: 200,
  answer: wire.TransferTypeList,
  refuses: [],
  async handle({ db, query }) {
    const found = await db.find(
      TransferType,
      { enabled: true, code: { $gt: query.cursor ?? '' } },
      { orderBy: { code: 'asc' }, limit: query.limit + 1 },
    );
    const offers = await db.find(
      TransferTypeCurrency,
      { type: { $in: found.map((type) => type.code) } },
      { orderBy: { asset: 'asc' } },
    );
    return byCode.page(
      found,
      query.limit,
      (type) => type.code,
      (type) =>
        transferTypeView(
          type,
          offers.filter((offer) => offer.type.code === type.code),
        ),
    );
  },
});

function transferTypeView(
  type: TransferType,
  offers: readonly TransferTypeCurrency[],
): z.input<typeof wire.TransferTypeConfig> {
  return {
    code: type.code,
    name: type.name,
    enabled: type.enabled,
    approval_seconds: type.approvalSeconds,
    currencies: offers.map(({ asset, approvalAbove }) => ({
      currency: asset,
      approval_above: formatMoney({ minor: approvalAbove, asset }),
    })),
  };
}
