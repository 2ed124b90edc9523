/** Exchange rates, as the treasury sets them. */
import { z } from 'zod';
import { fxRates } from '../../../db/queries/pricing/fx-rates.ts';
import { fxRateStatuses } from '../../../domain/exchange.ts';
import { FxRateId } from '../../../domain/ids.ts';
import { rateFourEyes, setFxRate } from '../../../services/pricing/fx-rates.ts';
import { keysetById } from '../../wire/cursor.ts';
import { patchOf, viewOf } from '../../wire/rows.ts';
import { forAdmins } from '../../declaration/operation.ts';
import * as wire from './schemas.ts';

const byId = keysetById('fx-rates', FxRateId);
const fxRateView = viewOf(wire.FxRate);
const Code = z.string().max(40).describe('ISO 4217 code.');

export const listFxRates = forAdmins({
  id: 'listFxRates',
  area: 'Admin finance',
  title: 'List FX rates',
  description:
    'All rates, including past ones, the one set last first. `status=current` shows those that conversions use.',
  method: 'GET',
  path: '/v1/admin/fx-rates',
  effect: 'read',
  permission: 'fx:read',
  query: byId.query({
    base: Code.optional(),
    quote: Code.optional(),
    status: z.enum(fxRateStatuses).optional(),
  }),
  status: 200,
  answer: wire.FxRateList,
  refuses: [],
  handle: ({ db, query: { base, quote, status, ...query } }) =>
    byId.page(query, (before, most) => fxRates.all(db, { base, quote, status, before, most }), fxRateView),
});

export const upsertFxRate = forAdmins({
  id: 'upsertFxRate',
  area: 'Admin finance',
  title: 'Upsert FX rate',
  description:
    'Sets the rate of a currency pair from a moment on. A conversion uses the pair’s own rate; if there never was one, the inverse of the opposite pair’s; if there is neither, the two rates over the bank’s base currency. A conversion by a stale rate is refused. Quotes given before keep their rate. A rate outside the band (`FX_RATE_BAND_BPS`) of those of the last day waits for a second administrator, and so does the first rate of a pair, one that begins in the past, and one by which exchanging to and fro would gain.',
  method: 'PUT',
  path: '/v1/admin/fx-rates/{base}/{quote}',
  effect: 'transaction',
  permission: 'fx:write',
  fourEyes: rateFourEyes,
  params: z.strictObject({ base: Code, quote: Code }),
  body: wire.FxRateUpdate,
  status: 200,
  answer: wire.FxRate,
  refuses: [],
  async handle(request) {
    const id = FxRateId.parse(request.newId);
    return fxRateView(await setFxRate(request, { ...request.params, ...patchOf(request.body), id }));
  },
});

/** In the order of the documentation. */
export const operations = [listFxRates, upsertFxRate];
