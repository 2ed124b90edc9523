/** Vaults, their wallets and addresses, and the owner of an address. */
import { createHmac } from 'node:crypto';
import { ASSETS, RULES, type Asset, type Network } from './assets.ts';
import { FORMATS } from './chain/address-formats.ts';
import type { Address, Vault } from './state/records.ts';
import type { World } from './state/world.ts';
import { vaultAccount } from './views.ts';

/** On ripple and stellar all vaults share one account, and tags tell them apart. */
const SHARED = 'workspace';

/** Creates a vault with the next number as its id, as Fireblocks does. */
export function createVault(world: World, wish: Omit<Vault, 'id'>): Vault {
  const vault = { ...wish, id: String(world.vaults.size) };
  world.vaults.set(vault.id, vault);
  world.tell('vault_account.created', vaultAccount(world, vault), vault.id);
  return vault;
}

/** The wallet of a vault, represented by its first address. */
export function walletOf(world: World, vault: string, asset: string): Address | undefined {
  return world.addresses.get(`${vault}/${asset}/0`);
}

/** Opens the wallet if the vault has none for the asset. */
export function openWallet(world: World, vault: Vault, asset: Asset): Address {
  const open = walletOf(world, vault.id, asset.id);
  if (open !== undefined) return open;
  const address = addressAt(world.seed, asset.network, vault.id, 0);
  const first = { ...{ vault: vault.id, asset: asset.id, address, tag: '', index: 0 }, ...NOT_DESCRIBED };
  world.addresses.set(`${vault.id}/${asset.id}/0`, first);
  const data = { accountId: vault.id, accountName: vault.name, assetId: asset.id };
  world.tell('vault_account.asset.added', data, vault.id);
  return first;
}

const NOT_DESCRIBED = { description: '', customerRefId: null };

/** The addresses of a wallet, oldest first. */
export function addressesOf(world: World, vault: string, asset: string): Address[] {
  return [...world.addresses.values()].filter((one) => one.vault === vault && one.asset === asset);
}

/** Whether a wallet of this asset can have more than one address. */
export function hasFurtherAddresses({ network }: Asset): boolean {
  return RULES[network].kind === 'utxo' || RULES[network].tag !== 'none';
}

/** Adds an address to a wallet: another key on UTXO chains, another tag where vaults share an account. */
export function addAddress(
  world: World,
  { vault, asset: { id, network } }: { readonly vault: string; readonly asset: Asset },
  described: Pick<Address, 'description' | 'customerRefId'>,
): Address {
  const index = addressesOf(world, vault, id).length;
  const address = addressAt(world.seed, network, vault, index);
  const tag = RULES[network].tag === 'none' ? '' : newTag(world, `${vault}/${id}/${String(index)}`);
  const added = { vault, asset: id, address, tag, index, ...described };
  world.addresses.set(`${vault}/${id}/${String(index)}`, added);
  return added;
}

/** A 32-bit tag of the XRP Ledger; its digits are also a valid text memo of Stellar. */
function newTag(world: World, path: string): string {
  const taken = new Set([...world.addresses.values()].map(({ tag }) => tag));
  for (let attempt = 0; ; attempt += 1) {
    const drawn = createHmac('sha256', world.seed)
      .update(`tag/${path}/${String(attempt)}`)
      .digest();
    const tag = String(drawn.readUInt32BE());
    if (!taken.has(tag)) return tag;
  }
}

/** Derives address `index` of a vault. It is the same on all EVM networks. */
export function addressAt(seed: Buffer, network: Network, vault: string, index: number): string {
  const { kind, tag } = RULES[network];
  const path =
    tag !== 'none'
      ? `${network}/${SHARED}/0`
      : `${kind === 'evm' ? 'evm' : network}/${vault}/${kind === 'utxo' ? String(index) : '0'}`;
  return FORMATS[network].encode(createHmac('sha256', seed).update(path).digest());
}

/**
 * The vault that an address belongs to. On a shared account the tag decides; one that nobody was given belongs to the vault that
 * opened the account first.
 */
export function ownerOf(world: World, asset: Asset, address: string, tag: string): Vault | undefined {
  const { kind, tag: rule } = RULES[asset.network];
  const written = (text: string): string => (kind === 'evm' ? text.toLowerCase() : text);
  const found = [...world.addresses.values()].filter(
    (one) => written(one.address) === written(address) && ASSETS.get(one.asset)?.network === asset.network,
  );
  const tagged = rule === 'none' ? undefined : found.find((one) => tag !== '' && one.tag === tag);
  const first = found.find((one) => one.asset === asset.id) ?? found[0];
  const owner = tagged ?? first;
  return owner === undefined ? undefined : world.vaults.get(owner.vault);
}
