/** How the processes of wallets are found and started again once they are lost. */
import { overdueVaults, wantingCustomer } from '../../db/queries/crypto/wallets.ts';
import { CryptoVaultId } from '../../domain/ids.ts';
import type { WalletsOrder } from '../../workflows/crypto-wallets/contract.ts';
import { walletsProcess } from '../../workflows/crypto-wallets/process.ts';
import type { Recovery } from '../platform/recovery.ts';

export const walletsRecovery: Recovery<WalletsOrder> = {
  process: walletsProcess,
  async orderOf(db, id) {
    const vault = CryptoVaultId.parse(id);
    const wanting = await wantingCustomer.first(db, { vault });
    return wanting && { id: vault, customerId: wanting.customer };
  },
  overdue: (db, page) => overdueVaults.all(db, page),
};
