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
 * first call that the custodian does not answer; one that it refuses keeps no other from being opened.
 */
export async function openWallets(deps: OpeningDeps, vault: CryptoVaultId): Promise<WalletsStep> {
  const { em, log } = deps;
  const wanted = await wantedWallets.all(em(), { vault });
  let retryInSeconds: number | null = null;
  try {
    const vaults = await openVaults(deps, wanted);
    const open = async (wallet: WantedWalletRow): Promise<boolean> =>
      unlessRefused(deps, wallet.id, () => openWallet(deps, wallet, vaults.get(wallet.vaultId) ?? ''));
    await someAtOnce(wanted, open, AT_ONCE);
  } catch (error) {
    if (!(error instanceof CustodianFailure)) throw error;
    log.warn({ err: error, vault }, 'the custodian opens no wallets now; it is asked again');
    retryInSeconds = error.retryAfterSeconds;
  }
  return { left: (await wantedWallets.all(em(), { vault })).length, retryInSeconds };
}

/** The custodian's numbers of the vaults that the wallets lie in. */
async function openVaults(
  { em, custodian }: OpeningDeps,
  wanted: readonly WantedWalletRow[],
): Promise<Map<CryptoVaultId, string>> {
  const numbers = new Map<CryptoVaultId, string>();
  for (const { vaultId, name, custodyVault, customer, sharedId } of wanted) {
    if (numbers.has(vaultId)) continue;
    const reference = sharedId === null ? customer : null;
    const number = custodyVault ?? (await custodian.ensureVault({ name, reference, key: vaultId }));
    if (custodyVault === null) await vaultOpened.one(em(), { vault: vaultId, number });
    numbers.set(vaultId, number);
  }
  return numbers;
}

/** True if the custodian has done it; false if it refuses for good, which somebody must look at. */
async function unlessRefused(
  { log }: OpeningDeps,
  wallet: CryptoWalletId,
  act: () => Promise<void>,
): Promise<boolean> {
  try {
    await act();
    return true;
  } catch (err) {
    if (!(err instanceof CustodianFailure) || err.kind !== 'refused') throw err;
    log.error(
      { alert: 'crypto_wallet_refused', err, wallet },
      'the custodian refuses to open a wallet: somebody must look at it',
    );
    return false;
  }
}

async function openWallet(deps: OpeningDeps, wallet: WantedWalletRow, vault: string): Promise<void> {
  const { em, custodian } = deps;
  const { id, custodyAsset, customer, sharedId, sharedAddress } = wallet;
  if (sharedId === null) {
    await walletOpened.one(em(), {
      wallet: id,
      ...read(wallet, await custodian.ensureWallet(vault, custodyAsset)),
    });
    return;
  }
  if (sharedAddress === null) {
    const shared = await custodian.ensureWallet(vault, custodyAsset);
    await walletOpened.one(em(), { wallet: sharedId, ...read(wallet, { ...shared, tag: null }) });
  }
  const tagged = await custodian.ensureTag(vault, custodyAsset, { reference: customer, key: id });
  await walletOpened.one(em(), { wallet: id, ...read(wallet, tagged) });
}

/** An address of the custodian in the form in which the bank compares addresses. One of other chains is shown to nobody. */
function read(
  { network, chains }: WantedWalletRow,
  { address: text, tag }: CustodyAddress,
): { readonly address: string; readonly memo: string | null } {
  const found = readAddress(network, text, chains);
  if (typeof found === 'string') throw new CustodianFailure('refused', `its address ${found} on ${network}`);
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
