/** Fee rules and exchange rates in force at a time. */
import { z } from 'zod';
import { tierModes } from '../../../domain/pricing/fees.ts';
import { FeeRuleId, type AccountTypeId } from '../../../domain/ids.ts';
import { id, json, moment, text, type RowOf } from '../../rows/columns.ts';
import { statement } from '../../rows/statement.ts';
import { columnsOf } from '../../rows/table-columns.ts';
import { minorText } from '../../schema/minor.ts';
import { FxSettings } from '../../schema/pricing.ts';

/** A fee rule in force, as the statement writes it into JSON: exact numbers as text. */
const InForce = z.strictObject({
  ruleId: FeeRuleId,
  version: z.int(),
  code: z.string(),
  description: z.string(),
  transferType: z.string().nullable(),
  accountTypeId: z.string().nullable(),
  priority: z.int(),
  flat: minorText,
  rateBps: z.string(),
  minimum: minorText.nullable(),
  maximum: minorText.nullable(),
  tierMode: z.enum(tierModes),
  tiers: z.array(
    z
      .strictObject({ above: minorText, flat: minorText, rate_bps: z.string() })
      .transform(({ above, flat, rate_bps: rateBps }) => ({ above, flat, rateBps })),
  ),
});

const RateInForce = z.strictObject({
  id: z.string(),
  base: z.string(),
  quote: z.string(),
  rate: z.string(),
  spreadBps: z.string(),
  validFrom: z.string().transform((text) => new Date(text)),
  stale: z.boolean(),
});

/** A column of rules, and one of rates. */
export const feesInForce = () => json(z.array(InForce));
export const ratesInForce = () => json(z.array(RateInForce));

/** A lateral `fee.list`: the rules of a purpose in a currency that are in force `at`. All are expressions in SQL. */
export const FEES = (
  purpose: string,
  currency: string,
  transferType: string,
  accountType: string,
): string => `
      lateral (
        select jsonb_agg(jsonb_build_object('ruleId', r.id, 'version', v.version, 'code', r.code, 'description', v.description,
                 'transferType', v.transfer_type, 'accountTypeId', v.account_type_id, 'priority', v.priority,
                 'flat', v.flat::text, 'rateBps', v.rate_bps::text, 'minimum', v.minimum::text, 'maximum', v.maximum::text,
                 'tierMode', v.tier_mode, 'tiers', v.tiers)) as list
          from fee_rules r cross join lateral (
            select * from fee_rule_versions n where n.rule_id = r.id and n.valid_from <= at order by n.version desc limit 1) v
          where r.asset = ${currency} and r.purpose = ${purpose} and v.enabled and (v.valid_to is null or v.valid_to > at)
            and (v.transfer_type is null or v.transfer_type = ${transferType})
            and (v.account_type_id is null or v.account_type_id = ${accountType})) fee`;

/** A lateral `rate.list`: the rates that a conversion may need `at`, with the base currency of the settings `s` between the two. */
export const RATES = (source: string, target: string): string => `
      lateral (
        select jsonb_agg(jsonb_build_object('id', f.id, 'base', f.base, 'quote', f.quote, 'rate', f.rate::text,
                 'spreadBps', f.spread_bps::text, 'validFrom', f.valid_from, 'stale', f.stale)) as list
          from (select distinct a, b from unnest(array[${source}, ${target}, ${source}, s.base_asset, s.base_asset, ${target}],
                                                 array[${target}, ${source}, s.base_asset, ${source}, ${target}, s.base_asset]) pair(a, b)
                 where ${source} <> ${target} and a <> b) pair
          cross join lateral fx_rate_at(pair.a, pair.b, at) f) rate`;

/** All that the price of a transfer depends on, in one round trip. */
export const pricesInForce = statement({
  name: 'pricesInForce',
  takes: {
    type: text(),
    accountTypeId: id<AccountTypeId>(),
    source: text(),
    target: text(),
    at: moment().nullable(),
  },
  gives: { ...columnsOf(FxSettings, 'baseAsset'), fees: feesInForce(), rates: ratesInForce() },
  sql: `
    select s.base_asset, coalesce(fee.list, '[]') as fees, coalesce(rate.list, '[]') as rates
      from fx_settings s
      cross join (select coalesce($at::timestamptz, bank_now()) as at) moment
      cross join ${FEES(`'transfer'`, '$source', '$type', '$accountTypeId::uuid')}
      cross join ${RATES('$source', '$target')}
     where s.only_row`,
});
export type PricesInForce = RowOf<(typeof pricesInForce)['gives']>;
