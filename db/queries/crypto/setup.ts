/** The coins that the bank offers, and how they move on networks. Functions of the database write them. */
import { CHAINS, NETWORKS } from '../../../domain/addresses/address.ts';
import type { UserId } from '../../../domain/ids.ts';
import { bigCount, id, json, oneOf, text, type RowOf } from '../../rows/columns.ts';
import { statement } from '../../rows/statement.ts';
import { columnsOf, selectList } from '../../rows/table-columns.ts';
import { AssetNetwork, CryptoAsset } from '../../schema/crypto.ts';
import { z } from 'zod';

const terms = columnsOf(
  CryptoAsset,
  ...(['asset', 'name', 'enabled', 'spreadBps', 'minOrder', 'maxOrder', 'breakerBps'] as const),
  ...(['maxDeviationBps', 'debitsStopped', 'updatedBy', 'updatedAt'] as const),
);
/** `baseAsset` is what orders are worth. */
const coin = { ...terms, baseAsset: text() };
export type CoinRow = RowOf<typeof coin>;

const COINS = `select ${selectList(terms, 'c')}, s.base_asset from crypto_assets c, fx_settings s`;

/** A page of the coins by their codes, from after `after`. */
export const coinsAfter = statement({
  name: 'coinsAfter',
  takes: { after: text(), most: bigCount() },
  gives: coin,
  sql: `${COINS} where c.asset > $after order by c.asset limit $most`,
});

export const coinByCode = statement({
  name: 'coinByCode',
  takes: { code: text() },
  gives: coin,
  sql: `${COINS} where c.asset = $code`,
});

const network = columnsOf(
  AssetNetwork,
  ...(['asset', 'network', 'enabled', 'custodyAsset', 'scale', 'contract', 'confirmations'] as const),
  ...(['minDeposit', 'minWithdrawal', 'memo', 'updatedBy', 'updatedAt'] as const),
);
export type CoinNetworkRow = RowOf<typeof network>;

/** A page of how coins move on networks, from after one of them; of one coin where it is named. */
export const coinNetworksAfter = statement({
  name: 'coinNetworksAfter',
  takes: { asset: text().nullable(), afterAsset: text(), afterNetwork: text(), most: bigCount() },
  gives: network,
  sql: `
    select ${selectList(network, 'n')} from asset_networks n
     where (n.asset, n.network) > ($afterAsset, $afterNetwork) and ($asset::text is null or n.asset = $asset)
     order by n.asset, n.network limit $most`,
});

/** How a coin moves on a network, and which of its chains the bank uses. */
export const coinNetwork = statement({
  name: 'coinNetwork',
  takes: { asset: text(), network: text() },
  gives: { ...network, chains: oneOf(CHAINS) },
  sql: `
    select ${selectList(network, 'n')}, s.crypto_chains as chains from asset_networks n, bank_settings s
     where n.asset = $asset and n.network = $network`,
});

/** The contracts of all tokens on a network, offered or not. */
export const contractsOn = statement({
  name: 'contractsOn',
  takes: { network: oneOf(NETWORKS) },
  gives: { contract: text() },
  sql: `select n.contract from asset_networks n where n.network = $network and n.contract is not null`,
});

const change = json(z.record(z.string(), z.union([z.string(), z.number(), z.boolean(), z.null()])));

/** Changes of the terms of a coin that are named; by the names of the columns, amounts as texts. */
export const setCoin = statement({
  name: 'setCoin',
  takes: { code: text(), by: id<UserId>(), change },
  gives: {},
  sql: 'select from crypto_asset_set($code, $by, $change)',
});

/** Changes how a coin moves on a network; or says why not. */
export const setCoinNetwork = statement({
  name: 'setCoinNetwork',
  takes: { asset: text(), network: text(), by: id<UserId>(), change },
  gives: { refusal: oneOf(['custody_asset_taken', 'has_wallets']).nullable() },
  sql: 'select asset_network_set($asset, $network, $by, $change) as refusal',
});
