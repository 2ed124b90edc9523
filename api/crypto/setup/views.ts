/** Coins and their networks as the back office sees them. */
import type { z } from 'zod';
import type { CoinNetworkRow, CoinRow } from '../../../db/queries/crypto/setup.ts';
import { scaleOf } from '../../../domain/assets.ts';
import { moneyIn } from '../../../domain/money.ts';
import { viewOf } from '../../wire/rows.ts';
import * as wire from './schemas.ts';

const coin = viewOf(wire.AdminCryptoAsset);
const network = viewOf(wire.AdminCryptoNetwork);

export function coinView({
  asset: code,
  baseAsset,
  ...row
}: CoinRow): z.output<typeof wire.AdminCryptoAsset> {
  const worth = moneyIn(baseAsset);
  const { minOrder, maxOrder } = row;
  return coin({
    ...{ ...row, code, scale: scaleOf(code) },
    ...{ minOrder: worth(minOrder), maxOrder: maxOrder === null ? null : worth(maxOrder) },
  });
}

export function networkView(row: CoinNetworkRow): z.output<typeof wire.AdminCryptoNetwork> {
  const amount = moneyIn(row.asset);
  return network({
    ...row,
    ...{ minDeposit: amount(row.minDeposit), minWithdrawal: amount(row.minWithdrawal) },
  });
}
