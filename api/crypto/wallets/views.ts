/** Wallets of coins as their customers and administrators see them. */
import type { z } from 'zod';
import type { KnownWalletRow, OfferedRow, WalletRow } from '../../../db/queries/crypto/wallets.ts';
import { usualMemoType } from '../../../domain/addresses/memo.ts';
import { scaleOf } from '../../../domain/assets.ts';
import { formatMinor, moneyIn } from '../../../domain/money.ts';
import { viewOf } from '../../wire/rows.ts';
import { priceView } from '../prices/views.ts';
import * as wire from './schemas.ts';

const wallet = viewOf(wire.CryptoWallet);
const known = viewOf(wire.AdminCryptoWallet);

export function walletView(row: WalletRow): z.output<typeof wire.CryptoWallet> {
  return wallet({ ...row, memoType: row.memo === null ? null : usualMemoType(row.network) });
}

/** Coins with their networks, which follow each other in the order of their coins. */
export function assetsView(rows: readonly OfferedRow[]): z.output<typeof wire.CryptoAssetsResponse> {
  const items: z.output<typeof wire.CryptoAsset>[] = [];
  for (const row of rows) {
    const before = items.at(-1);
    if (before?.code === row.asset) before.networks.push(...networkView(row));
    else items.push(coinView(row));
  }
  return { items };
}

function coinView({ asset: code, name, ...row }: OfferedRow): z.output<typeof wire.CryptoAsset> {
  const worth = moneyIn(row.baseAsset);
  return {
    ...{ code, name, scale: scaleOf(code), min_order: worth(row.minOrder) },
    max_order: row.maxOrder === null ? null : worth(row.maxOrder),
    price: priceView({ ...row, currency: row.baseAsset, stale: row.priceStale }),
    networks: networkView({ asset: code, name, ...row }),
  };
}

/** A network whose wallet was taken from the customer in this moment is left out. */
function networkView(row: OfferedRow): z.output<typeof wire.CryptoAsset>['networks'] {
  const { asset, network, walletId: id, status, walletCreatedAt: createdAt } = row;
  if (id === null || status === null || createdAt === null) return [];
  const amount = moneyIn(asset);
  const { contract, confirmations, memoRule, address, memo } = row;
  return [
    {
      ...{ network, contract, confirmations, memo: memoRule },
      ...{ min_deposit: amount(row.minDeposit), min_withdrawal: amount(row.minWithdrawal) },
      wallet: walletView({ id, asset, network, status, address, memo, createdAt }),
    },
  ];
}

export function knownWalletView(row: KnownWalletRow): z.output<typeof wire.AdminCryptoWallet> {
  return known({
    ...row,
    memoType: row.memo === null ? null : usualMemoType(row.network),
    balance: heldView(row),
  });
}

/** What the custodian said of the wallet; undefined if it was never asked. */
export function balanceView(row: KnownWalletRow): z.output<typeof wire.AdminCryptoWalletBalance> | undefined {
  const held = heldView(row);
  return held === null ? undefined : { wallet_id: row.id, asset: row.asset, network: row.network, ...held };
}

function heldView(row: KnownWalletRow) {
  const { custodyTotal: total, custodyAvailable: available, custodyPending: pending } = row;
  const { custodyFrozen: frozen, custodyLocked: locked, custodyExpected: expected, refreshedAt } = row;
  if (total === null || available === null || pending === null) return null;
  if (frozen === null || locked === null || refreshedAt === null) return null;
  const digits = (minor: bigint): string => formatMinor(minor, row.scale);
  return {
    ...{ total: digits(total), available: digits(available), pending: digits(pending) },
    ...{ frozen: digits(frozen), locked: digits(locked), refreshed_at: refreshedAt },
    ...(expected === null
      ? { expected: null, difference: null }
      : { expected: digits(expected), difference: digits(total - expected) }),
  };
}
