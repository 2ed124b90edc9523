/** A customer's balances: summed up now, and at past times. */
import { z } from 'zod';
import { accountOf } from '../../../db/queries/accounts/accounts.ts';
import { accountIdsOf, balancesAt, holdingsOf, type Span } from '../../../db/queries/ledger/history.ts';
import { openValuation } from '../../../db/queries/pricing/valuation.ts';
import { AccountId } from '../../../domain/ids.ts';
import { found } from '../../../domain/refusals.ts';
import { now } from '../../../domain/time/now.ts';
import { forUsers } from '../../declaration/operation.ts';
import * as wire from './schemas.ts';
import { allPointsView, pointView, summaryView } from './views.ts';

const POINTS =
  'There is a point at both ends, and at every beginning of an hour, day, week or month between them. Before the first entry the balance is zero.';

export const getAccountsSummary = forUsers({
  id: 'getAccountsSummary',
  area: 'Finance',
  title: 'Get accounts summary totals',
  description:
    'Returns what the caller has, by currency and in total, at one moment. A currency whose rate is unknown is missing from the total and is named in `without`.',
  method: 'GET',
  path: '/v1/accounts/summary',
  effect: 'read',
  query: z.strictObject(wire.currencyQuery),
  status: 200,
  answer: wire.AccountsSummary,
  refuses: [],
  async handle({ caller, query, db }) {
    const holdings = await holdingsOf.all(db, { ownerId: caller.id });
    const at = now();
    const assets = holdings.map(({ asset }) => asset);
    return summaryView(holdings, await openValuation(db, assets, [at], query.currency ?? null), at);
  },
});

export const getAllBalanceHistory = forUsers({
  id: 'getAllBalanceHistory',
  area: 'Finance',
  title: 'Aggregated balance history across accounts',
  description: `Returns the balances of all the caller’s accounts over a period. ${POINTS} Totals are converted at the mid rates of each moment.`,
  method: 'GET',
  path: '/v1/accounts/balance-history',
  effect: 'read',
  query: wire.allHistoryQuery,
  status: 200,
  answer: wire.AllAccountsBalanceHistory,
  refuses: [],
  async handle({ caller, query, db }) {
    const span = spanOf(query);
    const points = await balancesAt(db, await accountIdsOf(db, caller.id), span, query.by);
    const assets = [...new Set(points.map(({ asset }) => asset))];
    const moments = [...new Set(points.map(({ at }) => at.getTime()))].map((at) => new Date(at));
    const valuation = await openValuation(db, assets, moments, query.currency ?? null);
    return { ...asked(span, query.by), currency: valuation.currency, ...allPointsView(points, valuation) };
  },
});

export const getBalanceHistory = forUsers({
  id: 'getBalanceHistory',
  area: 'Finance',
  title: 'Account balance history',
  description: `Returns the balance of one account over a period. ${POINTS}`,
  method: 'GET',
  path: '/v1/accounts/{id}/balance-history',
  effect: 'read',
  params: z.strictObject({ id: AccountId }),
  query: wire.historyQuery,
  status: 200,
  answer: wire.BalanceHistory,
  refuses: [],
  async handle({ caller, params, query, db }) {
    const account = found(await accountOf.first(db, { ...params, owner: caller.id }));
    const span = spanOf(query);
    const points = await balancesAt(db, [account.id], span, query.by);
    return {
      account_id: account.id,
      currency: account.asset,
      ...asked(span, query.by),
      points: points.map(pointView),
    };
  },
});

function spanOf(query: z.output<typeof wire.historyQuery>): Span {
  return { ...wire.spanOf(query, now()), interval: query.interval, timeZone: query.time_zone };
}

function asked({ from, to, interval, timeZone }: Span, by: 'booking' | 'value') {
  return { from, to, interval, time_zone: timeZone, by };
}

/** In the order of the documentation. */
export const operations = [getAccountsSummary, getAllBalanceHistory, getBalanceHistory];
