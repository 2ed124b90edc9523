/** Wallets of coins, opened and looked at by the custodian. */
import { openWallets, refreshWallet } from '../services/crypto/opening-wallets.ts';
import type { WalletActivities } from '../workflows/crypto-wallets/workflow.ts';
import type { ActivityDeps } from './deps.ts';

export function walletActivities(deps: Pick<ActivityDeps, 'em' | 'custodian' | 'log'>): WalletActivities {
  return {
    openWallets: (vault) => openWallets(deps, vault),
    refreshWallet: (wallet) => refreshWallet(deps, wallet),
  };
}
