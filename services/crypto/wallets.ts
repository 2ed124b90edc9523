/** Where customers receive coins: wallets are wanted here, and the custodian opens them (opening-wallets.ts). */
import { record } from '../../db/queries/platform/audit.ts';
import {
  knownWallet,
  offeredTo,
  wantWallets,
  type KnownWalletRow,
  type OfferedRow,
} from '../../db/queries/crypto/wallets.ts';
import type { CryptoWalletId } from '../../domain/ids.ts';
import { found } from '../../domain/refusals.ts';
import { open, refresh } from '../../workflows/crypto-wallets/contract.ts';
import { walletsProcess } from '../../workflows/crypto-wallets/process.ts';
import type { AdminCall, OwnCall } from '../callers.ts';
import type { Services } from '../services.ts';

/**
 * All networks on which the bank offers coins, or those of one coin, each with the caller's wallet. Wallets that are missing are opened
 * first. If that cannot be done now they are `creating`, and are opened later.
 */
export async function offeredWithWallets(
  { db, caller }: Pick<OwnCall, 'db' | 'caller'>,
  asset: string | null,
  { processes, log }: Pick<Services, 'processes' | 'log'>,
): Promise<OfferedRow[]> {
  const mine = { customer: caller.id, asset };
  const offered = await offeredTo.all(db, mine);
  if (offered.every(({ status }) => status === 'active')) return offered;
  const { vault, fresh } = await wantWallets.one(db, mine);
  if (fresh) {
    const order = { id: vault, customerId: caller.id };
    await processes.ask(walletsProcess, order, open, { id: vault }).catch((err: unknown) => {
      // whoever asks next has them opened, or the watch of the workers
      log.warn({ err, vault }, 'a process could not be asked to have wallets opened');
    });
  }
  return offeredTo.all(db, mine);
}

/** Has the custodian say what a wallet holds. Refuses crypto_wallet_creating, and unavailable, which leaves the figures as they were. */
export async function refreshWallet(
  { db, actor, refusal }: Pick<AdminCall<'crypto_wallet_creating'>, 'db' | 'actor' | 'refusal'>,
  id: CryptoWalletId,
  { processes }: Pick<Services, 'processes'>,
): Promise<KnownWalletRow> {
  const wallet = found(await knownWallet.first(db, { id }));
  // the custodian does not divide what customers share
  const holder = wallet.heldBy === null ? wallet : found(await knownWallet.first(db, { id: wallet.heldBy }));
  if (holder.address === null) throw refusal('crypto_wallet_creating');
  // kept before anybody is asked: what is asked of the custodian leaves a trace there
  await record(db, actor, { action: 'crypto_wallet.refreshed', subject: ['crypto_wallet', holder.id] });
  const order = { id: holder.vaultId, customerId: holder.userId };
  await processes.ask(walletsProcess, order, refresh, { wallet: holder.id });
  return found(await knownWallet.first(db, { id: holder.id }));
}
