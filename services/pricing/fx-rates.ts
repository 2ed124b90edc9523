/** What currencies are worth. A rate is never rewritten: the next one supersedes it. */
import { record } from '../../db/queries/platform/audit.ts';
import {
  addFxRate,
  fxRateById,
  newestFxRate,
  ratesAround,
  type FxRateRow,
} from '../../db/queries/pricing/fx-rates.ts';
import type { AuditState } from '../../db/schema/platform.ts';
import { isCurrency } from '../../domain/assets.ts';
import { FxRateId } from '../../domain/ids.ts';
import { leavesBand } from '../../domain/pricing/rate-band.ts';
import { faultIn } from '../../domain/refusals.ts';
import type { Call } from '../callers.ts';
import { fourEyes, type Place } from '../platform/four-eyes.ts';

/** A rate that somebody sets: one unit of `base` is `rate` units of `quote`. */
interface Setting {
  readonly id: FxRateId;
  readonly base: string;
  readonly quote: string;
  readonly rate: string;
  /** That of the rate before it, if it is left out. */
  readonly spreadBps?: string;
  /** Now, if it is left out. */
  readonly validFrom?: Date;
  readonly validUntil?: Date | null;
  readonly source?: string;
}

/** A rate outside the band of the last day waits for a second administrator. */
export const rateFourEyes = fourEyes({
  resource: ({ params: { base, quote } }: Place<Pair>) => ['fx_rate', `${base}/${quote}`],
  async state(db, { params: { base, quote }, newId }) {
    const [added, newest, { recent, opposite }] = [
      await fxRateById.first(db, { id: FxRateId.parse(newId) }),
      await newestFxRate.first(db, { base, quote }),
      await ratesAround.one(db, { base, quote }),
    ];
    const shown = added ?? newest;
    return shown === undefined ? null : { shown, added: added ?? null, recent, opposite };
  },
  loosens: (before, after, { FX_RATE_BAND_BPS: band }) => leavesBand(before?.recent ?? [], after, band),
  shown: ({ shown }) => told(shown),
});

interface Pair {
  readonly base: string;
  readonly quote: string;
}

/** Sets the rate of a pair from a moment on. */
export async function setFxRate({ db, actor, refusal }: Call, setting: Setting): Promise<FxRateRow> {
  const { base, quote } = setting;
  if (!isCurrency(base) || !isCurrency(quote)) throw refusal('not_found');
  if (base === quote) throw faultIn('path/quote', 'same_currency', 'must be another currency than the base');
  const before = await newestFxRate.first(db, { base, quote });
  const rest = { spreadBps: before?.spreadBps ?? '0', validFrom: null, validUntil: null, source: 'manual' };
  const row = { ...rest, ...setting, base, quote, createdBy: actor.id };
  const after = await addFxRate(db, row).catch((error: unknown) => {
    if (error instanceof Error && 'constraint' in error && error.constraint === 'fx_rates_period')
      throw faultIn('/valid_until', 'before_valid_from', 'must lie after valid_from');
    throw error;
  });
  await record(db, actor, {
    action: 'fx_rate.set',
    subject: ['fx_rate', `${base}/${quote}`],
    before: before && told(before),
    after: told(after),
  });
  return after;
}

/** A rate as the audit log keeps it. */
function told(rate: FxRateRow): AuditState {
  return {
    id: rate.id,
    rate: rate.rate,
    spread_bps: rate.spreadBps,
    valid_from: rate.validFrom,
    valid_until: rate.validUntil,
    source: rate.source,
  };
}
