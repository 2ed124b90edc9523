/** What currencies are worth. A rate is never rewritten: the next one supersedes it. */
import type { EntityManager } from '@mikro-orm/postgresql';
import { z } from 'zod';
import { record } from '../../../db/queries/platform/audit.ts';
import {
  addFxRate,
  fxRates,
  newestFxRate,
  type FxRateRow,
  type NewFxRate,
} from '../../../db/queries/pricing/fx-rates.ts';
import { currencyScales } from '../../../domain/standards/currencies.ts';
import { fxRateStatuses } from '../../../domain/exchange.ts';
import { FxRateId } from '../../../domain/ids.ts';
import { faultIn } from '../../../domain/refusals.ts';
import { keyset } from '../../wire/cursor.ts';
import { forAdmins } from '../../declaration/operation.ts';
import { pageQuery } from '../../wire/shapes.ts';
import * as wire from './schemas.ts';

const byId = keyset<FxRateId>('fx-rates', FxRateId);
const Code = z.string().max(40).describe('ISO 4217 code.');

export const listFxRates = forAdmins({
  id: 'listFxRates',
  area: 'Admin finance',
  title: 'List FX rates',
  description:
    'All rates, those of the past too. The one set last first. `status=current` shows what conversions use.',
  method: 'GET',
  path: '/v1/admin/fx-rates',
  effect: 'read',
  permission: 'fx:read',
  query: z.strictObject({
    ...pageQuery(byId),
    base: Code.optional(),
    quote: Code.optional(),
    status: z.enum(fxRateStatuses).optional(),
  }),
  status: 200,
  answer: wire.FxRateList,
  refuses: [],
  async handle({ db, query: { limit, cursor, ...filter } }) {
    const found = await fxRates.all(db, { ...filter, before: cursor ?? null, most: limit + 1 });
    return byId.page(found, limit, (rate) => rate.id, fxRateView);
  },
});

export const upsertFxRate = forAdmins({
  id: 'upsertFxRate',
  area: 'Admin finance',
  title: 'Upsert FX rate',
  description:
    'Sets the rate of a pair from a moment on. Conversions use the pair’s own rate; where there was never one, the inverse of the other direction’s; where there was neither, the ' +
    'two legs over the bank’s base currency. A stale rate is refused. Quotes given before keep theirs.',
  method: 'PUT',
  path: '/v1/admin/fx-rates/{base}/{quote}',
  effect: 'transaction',
  permission: 'fx:write',
  params: z.strictObject({ base: Code, quote: Code }),
  body: wire.FxRateUpdate,
  status: 200,
  answer: wire.FxRate,
  refuses: [],
  async handle({ caller, params: { base, quote }, refusal, body, db, newId, requestId, client }) {
    if (!currencyScales.has(base) || !currencyScales.has(quote)) throw refusal('not_found');
    if (base === quote)
      throw faultIn('path/quote', 'same_currency', 'must be another currency than the base');
    const before = await newestFxRate.first(db, { base, quote });
    const after = await added(db, {
      id: FxRateId.parse(newId),
      base,
      quote,
      rate: body.rate,
      spreadBps: body.spread_bps ?? before?.spreadBps ?? '0',
      validFrom: body.valid_from ?? null,
      validUntil: body.valid_until ?? null,
      source: body.source ?? 'manual',
      createdBy: caller.id,
    });
    await record(db, {
      actorId: caller.id,
      actorRole: 'admin',
      action: 'fx_rate.set',
      subjectType: 'fx_rate',
      subjectId: `${base}/${quote}`,
      ...(before === undefined ? {} : { before: fxRateView(before) }),
      after: fxRateView(after),
      requestId,
      address: client.address,
    });
    return fxRateView(after);
  },
});

/** Adds a rate; what the database refuses of it is a fault of the request. */
async function added(db: EntityManager, rate: NewFxRate): Promise<FxRateRow> {
  try {
    return await addFxRate(db, rate);
  } catch (error) {
    if (error instanceof Error && 'constraint' in error && error.constraint === 'fx_rates_period')
      throw faultIn('/valid_until', 'before_valid_from', 'must lie after valid_from');
    throw error;
  }
}

function fxRateView(rate: FxRateRow): z.input<typeof wire.FxRate> {
  return {
    id: rate.id,
    base: rate.base,
    quote: rate.quote,
    rate: rate.rate,
    spread_bps: rate.spreadBps,
    valid_from: rate.validFrom.toISOString(),
    valid_until: rate.validUntil?.toISOString() ?? null,
    source: rate.source,
    status: rate.status,
    created_by: rate.createdBy,
    created_at: rate.createdAt.toISOString(),
  };
}

/** In the order of the documentation. */
export const operations = [listFxRates, upsertFxRate];
