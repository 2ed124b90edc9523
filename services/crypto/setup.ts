/** The coins that the bank offers, on which terms, and how they move on networks. */
import {
  coinByCode,
  coinNetwork,
  setCoin,
  setCoinNetwork,
  type CoinNetworkRow,
  type CoinRow,
} from '../../db/queries/crypto/setup.ts';
import { record } from '../../db/queries/platform/audit.ts';
import { columnName } from '../../db/rows/columns.ts';
import type { AuditState } from '../../db/schema/platform.ts';
import { contractOf } from '../../domain/addresses/check.ts';
import { carriesMemos, type MemoRule } from '../../domain/addresses/memo.ts';
import { loosensCoin, loosensNetwork } from '../../domain/crypto/loosening.ts';
import { formatHolding, formatMoney, type Money } from '../../domain/money.ts';
import { faultIn, found } from '../../domain/refusals.ts';
import { minorIn } from '../amounts.ts';
import type { AdminCall } from '../callers.ts';
import { fourEyes, type Place } from '../platform/four-eyes.ts';

/** A coin on a network, as a path names it. */
export interface CoinOnNetwork {
  readonly asset: string;
  readonly network: string;
}

/** What loosens the terms of a coin waits for a second administrator. */
export const coinFourEyes = fourEyes({
  resource: ({ params: { code } }: Place<{ readonly code: string }>) => ['crypto_asset', code],
  state: async (db, { params: { code } }) => (await coinByCode.first(db, { code })) ?? null,
  loosens: loosensCoin,
  shown: coinTold,
});

/** So does what loosens how it moves on a network. */
export const networkFourEyes = fourEyes({
  resource: ({ params: { asset, network } }: Place<CoinOnNetwork>) => [
    'crypto_network',
    `${asset}/${network}`,
  ],
  state: async (db, { params: { asset, network } }) =>
    (await coinNetwork.first(db, { asset, network })) ?? null,
  loosens: loosensNetwork,
  shown: networkTold,
});

/** What of a coin is to change; what is left out stays. */
export interface WantedTerms {
  readonly enabled?: boolean;
  readonly spreadBps?: number;
  readonly minOrder?: Money;
  readonly maxOrder?: Money | null;
  readonly breakerBps?: number;
  readonly maxDeviationBps?: number;
  readonly debitsStopped?: boolean;
}

/** Changes the terms of a coin. Refuses invalid_request where the smallest order would be greater than the largest. */
export async function changeCoin(
  { db, actor }: Pick<AdminCall, 'db' | 'actor'>,
  code: string,
  { minOrder, maxOrder, ...wanted }: WantedTerms,
): Promise<CoinRow> {
  const before = found(await coinByCode.first(db, { code }));
  const least = minOrder === undefined ? before.minOrder : minorIn(before.baseAsset, '/min_order', minOrder);
  const most =
    maxOrder === undefined ? before.maxOrder : maxOrder && minorIn(before.baseAsset, '/max_order', maxOrder);
  if (most !== null && least > most)
    throw faultIn(
      maxOrder === undefined ? '/min_order' : '/max_order',
      'limits_conflict',
      'must leave the smallest order at most as large as the largest',
    );
  const change = named({
    ...wanted,
    ...(minOrder === undefined ? {} : { minOrder: least.toString() }),
    ...(maxOrder === undefined ? {} : { maxOrder: most?.toString() ?? null }),
  });
  await setCoin.one(db, { code, by: actor.id, change });
  const changed = await coinByCode.one(db, { code });
  await record(db, actor, {
    action: 'crypto_asset.updated',
    subject: ['crypto_asset', code],
    ...{ before: coinTold(before), after: coinTold(changed) },
  });
  return changed;
}

function coinTold({ baseAsset, ...coin }: CoinRow): AuditState {
  const worth = (minor: bigint) => ({ ...formatMoney({ minor, asset: baseAsset }) });
  return {
    ...{ enabled: coin.enabled, spread_bps: coin.spreadBps, min_order: worth(coin.minOrder) },
    max_order: coin.maxOrder === null ? null : worth(coin.maxOrder),
    ...{ breaker_bps: coin.breakerBps, max_deviation_bps: coin.maxDeviationBps },
    debits_stopped: coin.debitsStopped,
  };
}

/** What of a coin on a network is to change; what is left out stays. */
export interface WantedNetwork {
  readonly enabled?: boolean;
  readonly custodyAsset?: string;
  readonly scale?: number;
  readonly contract?: string | null;
  readonly confirmations?: number;
  readonly minDeposit?: Money;
  readonly minWithdrawal?: Money;
  readonly memo?: MemoRule;
}

/** Changes how a coin moves on a network. Refuses invalid_request for what the network does not know. */
export async function changeCoinNetwork(
  { db, actor }: Pick<AdminCall, 'db' | 'actor'>,
  { asset, network }: CoinOnNetwork,
  { minDeposit, minWithdrawal, contract, ...wanted }: WantedNetwork,
): Promise<CoinNetworkRow> {
  const before = found(await coinNetwork.first(db, { asset, network }));
  if (wanted.memo !== undefined && wanted.memo !== 'none' && !carriesMemos(before.network))
    throw faultIn('/memo', 'not_applicable', 'must be "none": payments on this network carry no memo');
  const kept = contract && contractOf(before.network, contract, before.chains);
  if (contract !== undefined && kept === undefined)
    throw faultIn('/contract', 'not_an_address', 'must be an address of a token or issuer on the network');
  const change = named({
    ...wanted,
    ...(minDeposit && { minDeposit: minorIn(asset, '/min_deposit', minDeposit).toString() }),
    ...(minWithdrawal && { minWithdrawal: minorIn(asset, '/min_withdrawal', minWithdrawal).toString() }),
    ...(kept === undefined ? {} : { contract: kept }),
  });
  const { refusal } = await setCoinNetwork.one(db, { asset, network, by: actor.id, change });
  if (refusal === 'custody_asset_taken')
    throw faultIn('/custody_asset', 'taken', 'stands for another coin or network already');
  if (refusal === 'has_wallets') {
    const differs = (['custodyAsset', 'scale', 'contract'] as const).find(
      (name) => columnName(name) in change && change[columnName(name)] !== before[name],
    );
    const field = columnName(differs ?? 'custodyAsset');
    throw faultIn(`/${field}`, 'has_wallets', 'must stay, because customers have wallets there');
  }
  const changed = await coinNetwork.one(db, { asset, network });
  await record(db, actor, {
    action: 'crypto_network.updated',
    subject: ['crypto_network', `${asset}/${network}`],
    ...{ before: networkTold(before), after: networkTold(changed) },
  });
  return changed;
}

/** A change by the names of the columns. */
function named(change: Readonly<Record<string, string | number | boolean | null>>) {
  return Object.fromEntries(Object.entries(change).map(([name, value]) => [columnName(name), value]));
}

function networkTold(row: CoinNetworkRow): AuditState {
  return {
    ...{ enabled: row.enabled, custody_asset: row.custodyAsset, scale: row.scale, contract: row.contract },
    confirmations: row.confirmations,
    min_deposit: { ...formatHolding({ minor: row.minDeposit, asset: row.asset }) },
    min_withdrawal: { ...formatHolding({ minor: row.minWithdrawal, asset: row.asset }) },
    memo: row.memo,
  };
}
