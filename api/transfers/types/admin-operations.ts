/** The bank's kinds of transfer, as the back office configures them. */
import type { EntityManager } from '@mikro-orm/postgresql';
import { z } from 'zod';
import { record } from '../../../db/queries/platform/audit.ts';
import {
  configureTransferType,
  isTimeZone,
  replaceCurrencies,
  replaceLimits,
} from '../../../db/queries/transfers/transfer-type-settings.ts';
import {
  transferType,
  transferTypes,
  type TransferTypeRow,
  type TransferTypeSettings,
} from '../../../db/queries/transfers/transfer-types.ts';
import { faultIn, Refusal } from '../../../domain/refusals.ts';
import { keyset } from '../../wire/cursor.ts';
import { forAdmins } from '../../declaration/operation.ts';
import { pageQuery } from '../../wire/shapes.ts';
import * as wire from './schemas.ts';
import { currenciesOf, limitsOf, transferTypeView } from './views.ts';

const byCode = keyset('all-transfer-types', z.string());
const params = z.strictObject({ code: z.string().max(40) });

export const listTransferTypesAsAdmin = forAdmins({
  id: 'listTransferTypesAsAdmin',
  area: 'Admin finance',
  title: 'List transfer type configuration',
  description: 'All types, those that are switched off too.',
  method: 'GET',
  path: '/v1/admin/transfer-types',
  effect: 'read',
  permission: 'transfers:read',
  query: z.strictObject(pageQuery(byCode)),
  status: 200,
  answer: wire.TransferTypeList,
  refuses: [],
  async handle({ db, query }) {
    const found = await transferTypes.all(db, { after: query.cursor ?? null, most: query.limit + 1 });
    return byCode.page(found, query.limit, (type) => type.code, transferTypeView);
  },
});

export const getTransferType = forAdmins({
  id: 'getTransferType',
  area: 'Admin finance',
  title: 'Get transfer type configuration',
  description: 'One type, with the version that `If-Match` names.',
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
    return transferTypeView(await typeOf(db, code));
  },
});

export const updateTransferType = forAdmins({
  id: 'updateTransferType',
  area: 'Admin finance',
  title: 'Update transfer type configuration',
  description:
    'Changes a type. What waits already waits on as it was opened. What is left out stays as it is; `currencies` and `limits` replace the whole list. A limit counts what was moved before it was set.',
  method: 'PATCH',
  path: '/v1/admin/transfer-types/{code}',
  effect: 'transaction',
  permission: 'transfers:configure',
  params,
  body: wire.TransferTypeUpdate,
  status: 200,
  answer: wire.TransferTypeConfig,
  refuses: [],
  async handle({ caller, params: { code }, body, db, requestId, client }) {
    const before = await typeOf(db, code);
    const { currencies, limits, cut_off_zone: zone } = body;
    if (zone !== undefined && !(await isTimeZone.one(db, { name: zone })).known)
      throw faultIn('/cut_off_zone', 'unknown', 'is not a time zone');
    await configureTransferType.run(db, { code, ...settingsOf(before, body) });
    if (currencies !== undefined) await replaceCurrencies(db, code, currenciesOf(currencies));
    if (limits !== undefined) await replaceLimits(db, code, limitsOf(limits));
    const after = transferTypeView(await typeOf(db, code));
    await record(db, {
      actorId: caller.id,
      actorRole: 'admin',
      action: 'transfer_type.updated',
      subjectType: 'transfer_type',
      subjectId: code,
      before: transferTypeView(before),
      after,
      requestId,
      address: client.address,
    });
    return after;
  },
});

function settingsOf(
  before: TransferTypeRow,
  wished: z.output<typeof wire.TransferTypeUpdate>,
): TransferTypeSettings {
  return {
    name: wished.name ?? before.name,
    enabled: wished.enabled ?? before.enabled,
    approvalSeconds: wished.approval_seconds ?? before.approvalSeconds,
    cutOff: wished.cut_off === undefined ? before.cutOff : wished.cut_off,
    cutOffZone: wished.cut_off_zone ?? before.cutOffZone,
    businessDaysOnly: wished.business_days_only ?? before.businessDaysOnly,
  };
}

async function typeOf(db: EntityManager, code: string): Promise<TransferTypeRow> {
  const type = await transferType.first(db, { code });
  if (type === undefined) throw new Refusal('not_found');
  return type;
}

/** In the order of the documentation. */
export const operations = [listTransferTypesAsAdmin, getTransferType, updateTransferType];
