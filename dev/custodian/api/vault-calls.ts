/** Vault accounts, their wallets and balances, and the list of assets. */
import { z } from 'zod';
import { ASSETS, RULES, type Asset } from '../assets.ts';
import { decimalOf } from '../amounts.ts';
import { balanceOf } from '../state/balances.ts';
import type { Vault } from '../state/records.ts';
import type { World } from '../state/world.ts';
import { vaultAccount, vaultAsset, walletAddress } from '../views.ts';
import {
  addAddress,
  addressesOf,
  createVault,
  hasFurtherAddresses,
  openWallet,
  walletOf,
} from '../wallets.ts';
import { badRequest, CODES, notFound } from './refused.ts';
import { assetIn, read, vaultIn, type Reply, type Request, type Route } from './route.ts';

const NewVault = z.looseObject({
  name: z.string().max(500).default(''),
  hiddenOnUI: z.boolean().default(false),
  customerRefId: z.string().optional(),
  autoFuel: z.boolean().default(false),
});
const Page = z.object({
  namePrefix: z.string().default(''),
  nameSuffix: z.string().default(''),
  assetId: z.string().optional(),
  limit: z.coerce.number().int().min(1).max(500).default(200),
  after: z.string().optional(),
});
const AddressPage = Page.pick({ limit: true, after: true });
const NewAddress = z.looseObject({
  description: z.string().default(''),
  customerRefId: z.string().optional(),
});

/** All calls about vaults, wallets and assets. */
export function vaultCalls(world: World): readonly Route[] {
  return [...accountCalls(world), ...walletCalls(world), ...addressCalls(world)];
}

function accountCalls(world: World): readonly Route[] {
  function create({ body }: Request): Reply {
    const { name, hiddenOnUI, customerRefId = null, autoFuel } = read(NewVault, body, CODES.createVault);
    return { body: vaultAccount(world, createVault(world, { name, hiddenOnUI, customerRefId, autoFuel })) };
  }

  function list({ query }: Request): Reply {
    const wish = read(Page, Object.fromEntries(query), CODES.listVaults);
    const { namePrefix, nameSuffix, assetId, limit, after } = wish;
    const fits = ({ id, name }: Vault): boolean =>
      name.startsWith(namePrefix) &&
      name.endsWith(nameSuffix) &&
      (assetId === undefined || walletOf(world, id, assetId) !== undefined);
    const { items, paging } = pageOf([...world.vaults.values()].filter(fits), ({ id }) => id, limit, after);
    return { body: { accounts: items.map((vault) => vaultAccount(world, vault)), paging } };
  }

  return [
    { call: 'create_vault', method: 'POST', path: '/vault/accounts', handle: create },
    { call: 'list_vaults', method: 'GET', path: '/vault/accounts_paged', handle: list },
    {
      ...{ call: 'vault_assets', method: 'GET', path: '/vault/assets' },
      handle: ({ query }) => ({ body: totals(world, query.get('accountNamePrefix') ?? '') }),
    },
    {
      ...{ call: 'get_vault', method: 'GET', path: '/vault/accounts/{}' },
      handle: ({ params: [id] }) => ({ body: vaultAccount(world, vaultIn(world, id)) }),
    },
    {
      ...{ call: 'supported_assets', method: 'GET', path: '/supported_assets' },
      handle: () => ({ body: [...ASSETS.values()].map(assetType) }),
    },
  ];
}

function walletCalls(world: World): readonly Route[] {
  function create({ params: [id, assetId] }: Request): Reply {
    const [vault, asset] = [vaultIn(world, id), assetIn(assetId)];
    if (walletOf(world, vault.id, asset.id) !== undefined)
      throw badRequest(`Vault account ${vault.id} has a wallet of ${asset.id} already`);
    const { address, tag } = openWallet(world, vault, asset);
    return { body: { id: asset.id, address, legacyAddress: '', tag } };
  }

  function balance({ params }: Request): Reply {
    const { vault, asset } = walletIn(world, params);
    return { body: vaultAsset(world, vault.id, asset) };
  }

  return [
    { call: 'create_wallet', method: 'POST', path: '/vault/accounts/{}/{}', handle: create },
    { call: 'balance', method: 'GET', path: '/vault/accounts/{}/{}', handle: balance },
    { call: 'refresh_balance', method: 'POST', path: '/vault/accounts/{}/{}/balance', handle: balance },
  ];
}

function addressCalls(world: World): readonly Route[] {
  function list({ params: [id, assetId], query }: Request): Reply {
    const [vault, asset] = [vaultIn(world, id), assetIn(assetId)];
    const { limit, after } = read(AddressPage, Object.fromEntries(query));
    const all = addressesOf(world, vault.id, asset.id);
    const { items, paging } = pageOf(all, ({ index }) => String(index), limit, after);
    return { body: { addresses: items.map(walletAddress), paging } };
  }

  function create({ params, body }: Request): Reply {
    const { vault, asset } = walletIn(world, params);
    const { description, customerRefId = null } = read(NewAddress, body);
    if (!hasFurtherAddresses(asset)) throw badRequest(`A wallet of ${asset.id} has one address only`);
    const added = addAddress(world, { vault: vault.id, asset }, { description, customerRefId });
    const { address, tag, index } = added;
    return { body: { address, legacyAddress: '', tag, bip44AddressIndex: index } };
  }

  return [
    {
      ...{ call: 'list_addresses', method: 'GET', path: '/vault/accounts/{}/{}/addresses_paginated' },
      handle: list,
    },
    { call: 'create_address', method: 'POST', path: '/vault/accounts/{}/{}/addresses', handle: create },
  ];
}

/** The wallet that a path names; 404 if there is none. */
function walletIn(
  world: World,
  [id, assetId]: readonly string[],
): { readonly vault: Vault; readonly asset: Asset } {
  const [vault, asset] = [vaultIn(world, id), assetIn(assetId)];
  if (walletOf(world, vault.id, asset.id) === undefined)
    throw notFound(`Vault account ${vault.id} has no wallet of ${asset.id}`, CODES.noAsset);
  return { vault, asset };
}

/** One page of a list; `paging.after` is the cursor of the next page, if there is one. */
function pageOf<Item>(
  all: readonly Item[],
  idOf: (item: Item) => string,
  limit: number,
  after: string | undefined,
): { readonly items: Item[]; readonly paging: { readonly after?: string } } {
  const start = after === undefined ? 0 : all.findIndex((item) => idOf(item) === after) + 1;
  const items = all.slice(start, start + limit);
  const last = items.at(-1);
  const hasMore = start + limit < all.length && last !== undefined;
  return { items, paging: hasMore ? { after: idOf(last) } : {} };
}

/** The sum of all vaults for each asset that has a wallet. */
function totals(world: World, namePrefix: string): object[] {
  const vaults = [...world.vaults.values()].filter(({ name }) => name.startsWith(namePrefix));
  return [...ASSETS.values()].flatMap(({ id, network, decimals }) => {
    const having = vaults.filter((vault) => walletOf(world, vault.id, id) !== undefined);
    if (having.length === 0) return [];
    const balances = having.map((vault) => balanceOf(world, vault.id, id));
    const sum = (part: keyof (typeof balances)[number]): string =>
      decimalOf(
        balances.reduce((all, one) => all + one[part], 0n),
        decimals,
      );
    const { height } = world.chains.of(network);
    return {
      ...{ id, total: sum('total'), balance: sum('total'), available: sum('available') },
      ...{ pending: sum('pending'), frozen: sum('frozen'), lockedAmount: sum('locked'), staked: '0' },
      ...{ blockHeight: String(height), blockHash: world.chains.blockHash(network, height) },
    };
  });
}

const TOKENS: Readonly<Record<string, string>> = {
  tron: 'TRON_TRC20',
  solana: 'SOL_ASSET',
  stellar: 'XLM_ASSET',
};

function assetType({ id, name, network, decimals, contract }: Asset): object {
  const type = contract === null ? 'BASE_ASSET' : (TOKENS[network] ?? 'ERC20');
  return { id, name, type, contractAddress: contract ?? '', nativeAsset: RULES[network].gas, decimals };
}
