/** What the custodian is asked about wallets, in the worker: to open those that are wanted, and what they hold. */
import type { EntityManager } from '@mikro-orm/postgresql';
import type { Logger } from 'pino';
import { CustodianFailure, type Custodian, type CustodyAddress } from '../../adapters/custody/custodian.ts';
import {
  knownWallet,
  vaultOpened,
  walletOpened,
  walletRefreshed,
  wantedWallets,
  type WantedWalletRow,
} from '../../db/queries/crypto/wallets.ts';
import { readAddress } from '../../domain/addresses/check.ts';
import { readMemo } from '../../domain/addresses/memo.ts';
import type { CryptoVaultId, CryptoWalletId } from '../../domain/ids.ts';
import { parseMinor } from '../../domain/money.ts';
import type { Refused } from '../../domain/process.ts';
import type { WalletsStep } from '../../workflows/crypto-wallets/contract.ts';
import { someAtOnce } from '../platform/at-once.ts';

export interface OpeningDeps {
  readonly em: () => EntityManager;
  readonly custodian: Custodian;
  readonly log: Logger;
}

/** Fireblocks allows few calls a second. */
const AT_ONCE = 4;

/**
 * Opens the wallets of a vault's customer that are wanted, each noted at once: a repeat goes on where this one stopped. Ends at the
 * first call that the custodian does not answer. One that it refuses is an alert, and keeps no other wallet from being opened.
 */
export async function openWallets(deps: OpeningDeps, vault: CryptoVaultId): Promise<WalletsStep> {
  const { em, log } = deps;
  const wanted = await wantedWallets.all(em(), { vault });
  const open = opener(deps);
  const left = async (): Promise<number> => (await wantedWallets.all(em(), { vault })).length;
  try {
    await someAtOnce(wanted, (wallet) => unlessRefused(deps, wallet, open), AT_ONCE);
  } catch (error) {
    if (!(error instanceof CustodianFailure)) throw error;
    log.warn({ err: error, vault }, 'the custodian opens no wallets now; it is asked again');
    return { left: await left(), isAway: true, retryInSeconds: error.retryAfterSeconds };
  }
  return { left: await left(), isAway: false, retryInSeconds: null };
}

/** True if the wallet is open; false if the custodian will refuse it again, which somebody must look at. */
async function unlessRefused(
  { log }: OpeningDeps,
  wallet: WantedWalletRow,
  open: (wallet: WantedWalletRow) => Promise<void>,
): Promise<boolean> {
  try {
    await open(wallet);
    return true;
  } catch (err) {
    if (!(err instanceof CustodianFailure) || err.kind !== 'refused') throw err;
    const { id, network, custodyAsset } = wallet;
    log.error(
      { alert: 'crypto_wallet_refused', err, wallet: id, network, custodyAsset },
      'a wallet cannot be opened: somebody must look at it',
    );
    return false;
  }
}

/** Opens wallets, each after its vault and the wallet that it shares with others. */
function opener(deps: OpeningDeps): (wallet: WantedWalletRow) => Promise<void> {
  const { em, custodian } = deps;

  const vaults = new Map<CryptoVaultId, Promise<string>>();

  async function openVault({
    vaultId,
    name,
    custodyVault,
    customer,
    sharedId,
  }: WantedWalletRow): Promise<string> {
    if (custodyVault !== null) return custodyVault;
    const reference = sharedId === null ? customer : null;
    const number = await custodian.ensureVault({ name, reference, key: vaultId });
    return (await vaultOpened.one(em(), { vault: vaultId, number })).custodyVault;
  }

  /** The custodian's number of the vault, which is asked for once although several wallets need it at the same time. */
  function vaultOf(wallet: WantedWalletRow): Promise<string> {
    const number = vaults.get(wallet.vaultId) ?? openVault(wallet);
    vaults.set(wallet.vaultId, number);
    return number;
  }

  /** The address that customers share. */
  async function sharedAddress(wallet: WantedWalletRow, sharedId: CryptoWalletId): Promise<string> {
    if (wallet.sharedAddress !== null) return wallet.sharedAddress;
    const { address } = await custodian.ensureWallet(await vaultOf(wallet), wallet.custodyAsset);
    return note(deps, sharedId, wallet, { address, tag: null });
  }

  return async (wallet) => {
    const { id, custodyAsset, customer, sharedId } = wallet;
    const vault = await vaultOf(wallet);
    if (sharedId === null) {
      await note(deps, id, wallet, await custodian.ensureWallet(vault, custodyAsset));
      return;
    }
    const shared = await sharedAddress(wallet, sharedId);
    const tagged = await custodian.ensureTag(vault, custodyAsset, { reference: customer, key: id });
    if (tagged.tag === null || read(wallet, tagged).address !== shared)
      throw new CustodianFailure('refused', 'it gives a tag at another address than the shared one');
    await note(deps, id, wallet, tagged);
  };
}

/** Gives a wallet its address, and returns it as the bank writes it. */
async function note(
  { em }: OpeningDeps,
  id: CryptoWalletId,
  wanted: WantedWalletRow,
  given: CustodyAddress,
): Promise<string> {
  const { custodyAsset } = wanted;
  const { address, memo } = read(wanted, given);
  const { refusal } = await walletOpened.one(em(), { wallet: id, custodyAsset, address, memo });
  if (refusal !== null)
    throw new CustodianFailure('refused', `the bank does not take its address: ${refusal}`);
  return address;
}

/** An address of the custodian in the form in which the bank compares addresses. One that cannot be of the network is refused. */
function read(
  { network, chains }: WantedWalletRow,
  { address: text, tag }: CustodyAddress,
): { readonly address: string; readonly memo: string | null } {
  const found = readAddress(network, text, chains);
  if (typeof found === 'string')
    throw new CustodianFailure('refused', `its address is ${found} on ${network}`);
  if (found.memo !== null) throw new CustodianFailure('refused', 'its address holds a tag');
  const memo = tag === null ? null : readMemo(network, 'required', null, { value: tag, type: null });
  if (typeof memo === 'string') throw new CustodianFailure('refused', `its tag is ${memo} on ${network}`);
  return { address: found.address, memo: memo?.value ?? null };
}

/** Keeps what the custodian says that a wallet holds. */
export async function refreshWallet(
  { em, custodian, log }: OpeningDeps,
  wallet: CryptoWalletId,
): Promise<{ readonly wallet: CryptoWalletId } | Refused> {
  const row = await knownWallet.one(em(), { id: wallet });
  const { custodyVault, custodyAsset, scale } = row;
  if (custodyVault === null) return { refused: 'unavailable' };
  try {
    const { total, available, pending, frozen, locked } = await custodian.refreshBalance(
      custodyVault,
      custodyAsset,
    );
    const minor = (text: string): bigint => {
      const digits = parseMinor(text, scale);
      if (typeof digits === 'string') throw new CustodianFailure('refused', `an amount is ${digits}`);
      return digits;
    };
    await walletRefreshed.one(em(), {
      wallet,
      ...{ total: minor(total), available: minor(available), pending: minor(pending) },
      ...{ frozen: minor(frozen), locked: minor(locked) },
    });
    return { wallet };
  } catch (err) {
    if (!(err instanceof CustodianFailure)) throw err;
    log.warn({ err, wallet }, 'the custodian does not say what a wallet holds');
    return { refused: 'unavailable' };
  }
}
