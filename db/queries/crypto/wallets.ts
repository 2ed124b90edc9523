/** Wallets of coins: those of customers, and the vaults of the custodian that they lie in. Functions of the database write them. */
import { CHAINS } from '../../../domain/addresses/address.ts';
import { MEMO_RULES } from '../../../domain/addresses/memo.ts';
import { WALLET_STATUSES } from '../../../domain/crypto/wallets.ts';
import type { CryptoVaultId, CryptoWalletId, UserId } from '../../../domain/ids.ts';
import { bigCount, boolean, id, integer, minor, oneOf, text, type RowOf } from '../../rows/columns.ts';
import { statement } from '../../rows/statement.ts';
import { columnsOf, selectList } from '../../rows/table-columns.ts';
import { AssetNetwork, CoinPrice, CryptoAsset, CryptoVault, CryptoWallet } from '../../schema/crypto.ts';
import { PRICE_IS_STALE } from './prices.ts';

const coin = columnsOf(CryptoAsset, 'asset', 'name', 'minOrder', 'maxOrder');
const network = columnsOf(
  AssetNetwork,
  ...(['network', 'contract', 'confirmations', 'minDeposit', 'minWithdrawal'] as const),
);
const wallet = columnsOf(
  CryptoWallet,
  ...(['id', 'asset', 'network', 'status', 'address', 'memo', 'createdAt'] as const),
);
/** A wallet as its customer sees it. */
export type WalletRow = RowOf<typeof wallet>;

const offered = {
  ...{ ...coin, ...network, memoRule: oneOf(MEMO_RULES), baseAsset: text() },
  ...{ ...columnsOf(CoinPrice, 'price', 'pricedAt'), priceStale: boolean() },
  walletId: id<CryptoWalletId>().nullable(),
  status: oneOf(WALLET_STATUSES).nullable(),
  ...columnsOf(CryptoWallet, 'address', 'memo'),
  walletCreatedAt: columnsOf(CryptoVault, 'createdAt').createdAt.nullable(),
};
/** A network on which the bank offers a coin, with the wallet of a customer there if there is one. */
export type OfferedRow = RowOf<typeof offered>;

/** All networks on which the bank offers coins, or those of one coin, with the wallets of a customer. */
export const offeredTo = statement({
  name: 'offeredTo',
  takes: { customer: id<UserId>(), asset: text().nullable() },
  gives: offered,
  sql: `
    select ${selectList(coin, 'c')}, ${selectList(network, 'n')}, n.memo as memo_rule, s.base_asset,
           p.price, p.priced_at, ${PRICE_IS_STALE} as price_stale,
           w.id as wallet_id, w.status, w.address, w.memo, w.created_at as wallet_created_at
      from fx_settings s cross join bank_settings b cross join crypto_assets c join asset_networks n on n.asset = c.asset
      left join coin_prices p on p.asset = c.asset and p.currency = s.base_asset
      left join crypto_wallets w on (w.asset, w.network) = (n.asset, n.network) and w.user_id = $customer
                                and w.status <> 'retired'
     where c.enabled and n.enabled and ($asset::text is null or c.asset = $asset)
     order by c.asset, n.network`,
});

/**
 * Sees to it that the customer has wallets on all of these networks. `fresh`: one was wanted within the last minute and is not open;
 * the process goes on with what is older by itself.
 */
export const wantWallets = statement({
  name: 'wantWallets',
  takes: { customer: id<UserId>(), asset: text().nullable() },
  gives: { vault: id<CryptoVaultId>(), fresh: boolean() },
  sql: 'select vault, fresh from crypto_wallets_want($customer, $asset)',
});

/** A page of a customer's wallets, newest first. */
export const walletsOf = statement({
  name: 'walletsOf',
  takes: {
    customer: id<UserId>(),
    ...{ asset: text().nullable(), network: text().nullable(), status: text().nullable() },
    ...{ before: id<CryptoWalletId>().nullable(), most: bigCount() },
  },
  gives: wallet,
  sql: `
    select ${selectList(wallet, 'w')} from crypto_wallets w
     where w.user_id = $customer and ($asset::text is null or w.asset = $asset)
       and ($network::text is null or w.network = $network) and ($status::text is null or w.status = $status)
       and ($before::uuid is null or w.id < $before)
     order by w.id desc limit $most`,
});

const held = columnsOf(
  CryptoWallet,
  ...(['custodyTotal', 'custodyAvailable', 'custodyPending', 'custodyFrozen', 'custodyLocked'] as const),
  ...(['custodyExpected', 'refreshedAt'] as const),
);
const known = {
  ...{ ...wallet, ...columnsOf(CryptoWallet, 'userId', 'vaultId'), ...held },
  ...columnsOf(CryptoVault, 'custodyVault'),
  ...columnsOf(AssetNetwork, 'custodyAsset', 'scale'),
  /** The wallet at the custodian that holds what arrives: itself, or the one that it shares. */
  heldBy: id<CryptoWalletId>().nullable(),
};
/** A wallet as administrators see it. */
export type KnownWalletRow = RowOf<typeof known>;

const KNOWN = `
  select ${selectList(wallet, 'w')}, w.user_id, w.vault_id, ${selectList(held, 'w')}, v.custody_vault, n.custody_asset, n.scale,
         case when w.user_id is null or v.user_id is not null then w.id else h.id end as held_by
    from crypto_wallets w join crypto_vaults v on v.id = w.vault_id
    join asset_networks n on (n.asset, n.network) = (w.asset, w.network)
    left join crypto_wallets h on (h.vault_id, h.asset, h.network) = (w.vault_id, w.asset, w.network)
                              and h.user_id is null`;

/** A page of all wallets, newest first. */
export const knownWallets = statement({
  name: 'knownWallets',
  takes: {
    user: id<UserId>().nullable(),
    ...{ asset: text().nullable(), network: text().nullable(), status: text().nullable() },
    ...{ address: text().nullable(), before: id<CryptoWalletId>().nullable(), most: bigCount() },
  },
  gives: known,
  sql: `${KNOWN}
    where ($user::uuid is null or w.user_id = $user) and ($asset::text is null or w.asset = $asset)
      and ($network::text is null or w.network = $network) and ($status::text is null or w.status = $status)
      and ($address::text is null or w.address = $address) and ($before::uuid is null or w.id < $before)
    order by w.id desc limit $most`,
});

/** One wallet as administrators see it. */
export const knownWallet = statement({
  name: 'knownWallet',
  takes: columnsOf(CryptoWallet, 'id'),
  gives: known,
  sql: `${KNOWN} where w.id = $id`,
});

/** Whether an address on a network is one at which the bank receives coins. */
export const isOwnAddress = statement({
  name: 'isOwnAddress',
  takes: { network: text(), address: text() },
  gives: { own: boolean() },
  sql: 'select exists (select from crypto_wallets w where w.network = $network and w.address = $address) as own',
});

/** The wallets of a vault's customer that the custodian has not opened yet, and the custodian's names of their vaults and coins. */
export const wantedWallets = statement({
  name: 'wantedWallets',
  takes: { vault: id<CryptoVaultId>() },
  gives: {
    ...columnsOf(CryptoWallet, 'id', 'vaultId', 'network'),
    ...columnsOf(AssetNetwork, 'custodyAsset'),
    ...columnsOf(CryptoVault, 'name', 'custodyVault'),
    customer: id<UserId>(),
    /** The wallet that it shares with others, if it does. */
    sharedId: id<CryptoWalletId>().nullable(),
    sharedAddress: text().nullable(),
    chains: oneOf(CHAINS),
  },
  sql: `
    select w.id, w.vault_id, w.network, n.custody_asset, l.name, l.custody_vault, w.user_id as customer,
           h.id as shared_id, h.address as shared_address, s.crypto_chains as chains
      from bank_settings s, crypto_vaults v join crypto_wallets w on w.user_id = v.user_id
      join crypto_offered(null) n on (n.asset, n.network) = (w.asset, w.network)
      join crypto_vaults l on l.id = w.vault_id
      left join crypto_wallets h on (h.vault_id, h.asset, h.network) = (w.vault_id, w.asset, w.network)
                                and h.user_id is null
     where v.id = $vault and w.status = 'creating'
     order by w.id`,
});

/** A wallet that the custodian has not opened yet. */
export type WantedWalletRow = RowOf<(typeof wantedWallets)['gives']>;

/** Whose a vault is, if the custodian has not opened all wallets of that customer. */
export const wantingCustomer = statement({
  name: 'wantingCustomer',
  takes: { vault: id<CryptoVaultId>() },
  gives: { customer: id<UserId>() },
  sql: `
    select v.user_id as customer from crypto_vaults v
     where v.id = $vault
       and exists (select from crypto_wallets w join crypto_offered(null) n using (asset, network)
                    where w.user_id = v.user_id and w.status = 'creating')`,
});

/** Notes the custodian's number of a vault; answers the one that counts. */
export const vaultOpened = statement({
  name: 'vaultOpened',
  takes: { vault: id<CryptoVaultId>(), number: text() },
  gives: { custodyVault: text() },
  sql: 'select crypto_vault_opened($vault, $number) as custody_vault',
});

/** Gives a wallet the address that the custodian has for `custodyAsset`, or says why not. */
export const walletOpened = statement({
  name: 'walletOpened',
  takes: { wallet: id<CryptoWalletId>(), custodyAsset: text(), address: text(), memo: text().nullable() },
  gives: { refusal: oneOf(['address_taken', 'asset_changed']).nullable() },
  sql: 'select crypto_wallet_opened($wallet, $custodyAsset, $address, $memo) as refusal',
});

/** Keeps what the custodian says that a wallet holds, in the smallest unit of the chain. */
export const walletRefreshed = statement({
  name: 'walletRefreshed',
  takes: {
    wallet: id<CryptoWalletId>(),
    ...{ total: minor(), available: minor(), pending: minor(), frozen: minor(), locked: minor() },
  },
  gives: {},
  sql: 'select from crypto_wallet_refreshed($wallet, $total, $available, $pending, $frozen, $locked)',
});

/** Vaults of customers of whom a wallet has waited for the custodian for so long. */
export const overdueVaults = statement({
  name: 'overdueVaults',
  takes: { lateSeconds: integer(), most: bigCount(), after: id().nullable() },
  gives: { id: id() },
  sql: `
    select distinct v.id from crypto_wallets w join crypto_vaults v on v.user_id = w.user_id
      join crypto_offered(null) n using (asset, network)
     where w.status = 'creating' and w.created_at < bank_now() - make_interval(secs => $lateSeconds::integer)
       and v.id > coalesce($after::uuid, '00000000-0000-0000-0000-000000000000')
     order by v.id limit $most`,
});
