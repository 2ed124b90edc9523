/** Kinds of transfer with their currencies and limits, as configured and as they are for one customer. */
import { z } from 'zod';
import { StoredCurrency } from '../../../domain/assets.ts';
import { limitSubjects } from '../../../domain/transfers/limits.ts';
import { bigCount, json, text, type RowOf } from '../../rows/columns.ts';
import { statement } from '../../rows/statement.ts';
import { columnsOf, selectList } from '../../rows/table-columns.ts';
import { User } from '../../schema/identity.ts';
import { minorText } from '../../schema/minor.ts';
import { TransferType, TransferTypeCurrency } from '../../schema/transfers.ts';

const Currency = z.strictObject({ asset: StoredCurrency, approvalAbove: minorText });
/** A currency that a type is offered in; an amount above waits for an administrator. */
export type OfferedCurrency = z.output<typeof Currency>;

const Limit = z.strictObject({
  asset: StoredCurrency,
  kycLevel: z.int(),
  subject: z.enum(limitSubjects),
  single: minorText.nullable(),
  day: minorText.nullable(),
  month: minorText.nullable(),
});
/** Limits from a level on, for one subject; null is none. */
export type LimitRow = z.output<typeof Limit>;

/** What of a type's own row can be configured. */
export const settings = columnsOf(
  TransferType,
  'name',
  'enabled',
  'approvalSeconds',
  'cutOff',
  'cutOffZone',
  'businessDaysOnly',
);
export type TransferTypeSettings = RowOf<typeof settings>;

const stored = { ...columnsOf(TransferType, 'code', 'reach', 'updatedAt'), ...settings };
const type = { ...stored, currencies: json(z.array(Currency)), limits: json(z.array(Limit)) };
/** A kind of transfer with the currencies that it is offered in, and its limits. */
export type TransferTypeRow = RowOf<typeof type>;

const limit = `jsonb_build_object('asset', l.asset, 'kycLevel', l.kyc_level, 'subject', l.subject, 'single', l.single::text,
                                  'day', l.day::text, 'month', l.month::text) order by l.asset, l.subject, l.kyc_level`;

const select = (limits: string): string => `
  select ${selectList(stored, 't')},
         coalesce((select jsonb_agg(jsonb_build_object('asset', c.asset, 'approvalAbove', c.approval_above::text) order by c.asset)
            from transfer_type_currencies c where c.type_code = t.code), '[]') as currencies,
         coalesce((${limits}), '[]') as limits
    from transfer_types t`;

const CONFIGURED = select(`select jsonb_agg(${limit}) from transfer_limits l where l.type_code = t.code`);

const MINE = select(`select jsonb_agg(${limit}) from limits_in_force($customer, t.code) l`);

/** A page of all types by code, from after `after`. */
export const transferTypes = statement({
  name: 'transferTypes',
  takes: { after: text().nullable(), most: bigCount() },
  gives: type,
  sql: `${CONFIGURED} where t.code > coalesce($after, '') order by t.code limit $most`,
});

/** A page of the types that are switched on, with the limits of this customer. */
export const transferTypesFor = statement({
  name: 'transferTypesFor',
  takes: { customer: columnsOf(User, 'id').id, after: text().nullable(), most: bigCount() },
  gives: type,
  sql: `${MINE} where t.enabled and t.code > coalesce($after, '') order by t.code limit $most`,
});

/** One type, switched on or off. */
export const transferType = statement({
  name: 'transferType',
  takes: columnsOf(TransferType, 'code'),
  gives: type,
  sql: `${CONFIGURED} where t.code = $code`,
});

/** Whom the type reaches, where it is switched on and offered in the currency. */
export const reachOfType = statement({
  name: 'reachOfType',
  takes: { ...columnsOf(TransferTypeCurrency, 'typeCode'), asset: text() },
  gives: columnsOf(TransferType, 'reach'),
  sql: `
    select t.reach from transfer_types t join transfer_type_currencies c on c.type_code = t.code
     where t.code = $typeCode and c.asset = $asset and t.enabled`,
});
