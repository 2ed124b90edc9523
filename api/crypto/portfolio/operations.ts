/** What customers have in coins, and what it is worth. */
import { z } from 'zod';
import {
  coinHoldingsOf,
  cryptoSnapshotsOf,
  type CryptoSnapshotRow,
} from '../../../db/queries/crypto/portfolio.ts';
import { now } from '../../../domain/time/now.ts';
import { openCoinValuation } from '../../../services/crypto/prices.ts';
import { currencyQuery } from '../../accounts/balances/schemas.ts';
import { forUsers } from '../../declaration/operation.ts';
import { keyset } from '../../wire/cursor.ts';
import { AssetCode } from '../asset-code.ts';
import * as wire from './schemas.ts';
import { portfolioView, snapshotView } from './views.ts';

const byDay = keyset('crypto-snapshots', z.iso.date(), ({ day }: CryptoSnapshotRow) => day);

export const getCryptoPortfolio = forUsers({
  id: 'getCryptoPortfolio',
  area: 'Crypto',
  title: 'Get crypto portfolio balance',
  description:
    'Returns the coins that the caller has or that are on their way in, and what they are worth by the newest prices. A coin that has no price is missing from the total and is named in `without`.',
  method: 'GET',
  path: '/v1/crypto/portfolio',
  effect: 'read',
  query: z.strictObject(currencyQuery),
  status: 200,
  answer: wire.CryptoAccountBalance,
  refuses: [],
  async handle({ caller, query, db }) {
    const holdings = await coinHoldingsOf.all(db, { customer: caller.id });
    const at = now();
    const assets = holdings.map(({ asset }) => asset);
    return portfolioView(holdings, await openCoinValuation(db, assets, at, query.currency ?? null), at);
  },
});

export const getCryptoBalanceHistory = forUsers({
  id: 'getCryptoBalanceHistory',
  area: 'Crypto',
  title: 'Get crypto balance history snapshots',
  description:
    'Lists what the caller had in coins once a day, newest first, with the prices of that moment. A snapshot never changes.',
  method: 'GET',
  path: '/v1/crypto/balance-history',
  effect: 'read',
  query: byDay.query({ ...wire.spanOfDays, asset: AssetCode.optional() }),
  status: 200,
  answer: wire.CryptoBalanceSnapshots,
  refuses: [],
  handle({ db, caller, query }) {
    const { asset = null, from = null, to = null, ...page } = query;
    const mine = { customer: caller.id, asset, from, to };
    return byDay.page(
      page,
      (before, most) => cryptoSnapshotsOf.all(db, { ...mine, before, most }),
      snapshotView,
    );
  },
});

/** In the order of the documentation. */
export const operations = [getCryptoPortfolio, getCryptoBalanceHistory];
