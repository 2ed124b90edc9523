/** What Fireblocks says of vaults, wallets and transactions; the names are those of the SDK's models. */
import { ASSETS, RULES, type Asset } from './assets.ts';
import { decimalOf } from './amounts.ts';
import { balanceOf } from './state/balances.ts';
import type { Address, Transaction, Vault } from './state/records.ts';
import type { World } from './state/world.ts';

/** VaultAsset. */
export function vaultAsset(world: World, vault: string, asset: Asset): object {
  const balance = balanceOf(world, vault, asset.id);
  const { height } = world.chains.of(asset.network);
  const amount = (units: bigint): string => decimalOf(units, asset.decimals);
  return {
    id: asset.id,
    total: amount(balance.total),
    balance: amount(balance.total),
    available: amount(balance.available),
    pending: amount(balance.pending),
    frozen: amount(balance.frozen),
    lockedAmount: amount(balance.locked),
    staked: '0',
    blockHeight: String(height),
    blockHash: world.chains.blockHash(asset.network, height),
  };
}

/** The wallets of a vault, in the order in which they were opened; tokens that are not listed have none. */
export function walletsOf(world: World, vault: string): Asset[] {
  const ids = [...world.addresses.values()].filter((one) => one.vault === vault).map(({ asset }) => asset);
  return [...new Set(ids)].flatMap((id) => ASSETS.get(id) ?? []);
}

/** VaultAccount. */
export function vaultAccount(world: World, vault: Vault): object {
  const { customerRefId, ...shown } = vault;
  return {
    ...shown,
    ...(customerRefId === null ? {} : { customerRefId }),
    assets: walletsOf(world, vault.id).map((asset) => vaultAsset(world, vault.id, asset)),
  };
}

/** VaultWalletAddress. */
export function walletAddress({ asset, address, tag, index, description, customerRefId }: Address): object {
  const network = ASSETS.get(asset)?.network;
  const isSegwit = network === 'bitcoin' || network === 'litecoin';
  return {
    ...{ assetId: asset, address, description, tag },
    ...(customerRefId === null ? {} : { customerRefId }),
    type: index === 0 ? 'Permanent' : 'Deposit',
    addressFormat: isSegwit ? 'SEGWIT' : 'BASE',
    legacyAddress: '',
    bip44AddressIndex: index,
    userDefined: false,
  };
}

/** Number of confirmations; 0 while no block contains it. */
export function confirmationsOf(world: World, { network, height }: Transaction): number {
  return height === null ? 0 : world.chains.of(network).height - height + 1;
}

/** What Fireblocks tells of that: it stops counting once a transaction has as many as its policy asks for. */
function confirmationsTold(world: World, transaction: Transaction): number {
  const all = confirmationsOf(world, transaction);
  return transaction.status === 'COMPLETED' ? Math.min(all, RULES[transaction.network].confirmations) : all;
}

/** TransactionResponse, which is also the data of webhooks. Addresses and hash are empty until it is broadcast. */
export function transactionResponse(world: World, transaction: Transaction): object {
  const { network, asset, decimals, height, status, fee } = transaction;
  const gas = RULES[network].gas;
  const isSeen = status === 'CONFIRMING' || height !== null;
  const hasHash = transaction.txHash !== '';
  const amount = decimalOf(transaction.amount, decimals);
  const requested = decimalOf(transaction.requested, decimals);
  const networkFee = decimalOf(fee, ASSETS.get(gas)?.decimals ?? 0);
  const replaced = transaction.replaces === null ? undefined : world.transactions.get(transaction.replaces);
  return {
    id: transaction.id,
    ...{ externalTxId: transaction.externalTxId, customerRefId: transaction.customerRefId },
    ...{ status, subStatus: transaction.subStatus, operation: 'TRANSFER', note: transaction.note },
    ...{ assetId: asset, assetType: asset === gas ? 'BASE_ASSET' : 'TOKEN' },
    source: { ...transaction.source, subType: '' },
    destination: { ...transaction.destination, subType: '' },
    destinations: [],
    sourceAddress: isSeen ? transaction.sourceAddress : '',
    destinationAddress: isSeen ? transaction.destinationAddress : '',
    destinationAddressDescription: '',
    destinationTag: transaction.destinationTag,
    txHash: transaction.txHash,
    // deprecated JSON numbers lose digits at Fireblocks, too
    ...{ amount: Number(amount), requestedAmount: Number(requested), netAmount: Number(amount) },
    ...{ fee: hasHash ? Number(networkFee) : -1, networkFee: hasHash ? Number(networkFee) : -1 },
    amountInfo: { amount: requested, requestedAmount: requested, netAmount: amount },
    feeInfo: hasHash ? { networkFee } : {},
    feeCurrency: gas,
    ...{ createdAt: transaction.createdAt, lastUpdated: transaction.lastUpdated },
    numOfConfirmations: confirmationsTold(world, transaction),
    blockInfo:
      height === null
        ? {}
        : { blockHeight: String(height), blockHash: world.chains.blockHash(network, height) },
    ...(replaced === undefined ? {} : { replacedTxHash: replaced.txHash }),
    ...{ index: transaction.index, networkRecords: [], signedMessages: [], signedBy: [], rejectedBy: '' },
    ...{ createdBy: '', addressType: '', exchangeTxId: '' },
  };
}
