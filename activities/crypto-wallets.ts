/** What the custodian is asked about wallets of coins. */
import { openWallets, refreshWallet } from '../services/crypto/opening-wallets.ts';
import type { WalletActivities } from '../workflows/crypto-wallets/workflow.ts';
import type { ActivityDeps } from './deps.ts';

export function walletActivities(deps: Pick<ActivityDeps, 'em' | 'custodian' | 'log'>): WalletActivities {
  return {
    openWallets: (vault) => openWallets(deps, vault),
    refreshWallet: (wallet) => refreshWallet(deps, wallet),
  };
}
