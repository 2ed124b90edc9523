/** Deposits as the custodian tells of them, for tests that need what is booked and no custodian. */
import { randomUUID } from 'node:crypto';
import type { ToldDeposit } from '../../../db/queries/crypto/deposits.ts';
import type { Bank } from '../bank/bank.ts';

/** The custodian's name of a customer's own vault, which is made unless there is one. */
export async function vaultOf(bank: Pick<Bank, 'asOwner'>, customer: string): Promise<string> {
  const vault = `v${customer}`;
  await bank.asOwner(
    'insert into crypto_vaults (user_id, name, custody_vault) values ($1, $2, $3) on conflict do nothing',
    [customer, `u:${customer}`, vault],
  );
  return vault;
}

/** Bitcoin that have arrived in a vault, with all blocks. */
export function arrived(vault: string, more: Partial<ToldDeposit> = {}): ToldDeposit {
  return {
    ...{ custody_id: randomUUID(), status: 'completed', told: 'COMPLETED CONFIRMED' },
    ...{ updated_at: '2026-03-01T10:00:00Z', vault, asset: 'BTC', network: 'bitcoin' },
    ...{ tx_hash: randomUUID(), output_index: 0, address: 'tb1qany', memo: null },
    ...{ source_address: 'tb1qstranger', chain_amount: '1500000', confirmations: 100, block_hash: 'b1' },
    ...more,
  };
}

/** The same deposit after its chain has dropped it. */
export function dropped(deposit: ToldDeposit): ToldDeposit {
  return { ...deposit, status: 'failed', confirmations: 0, updated_at: '2026-03-01T11:00:00Z' };
}
