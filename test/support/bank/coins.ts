/** Coins that customers have received, booked as the process of a deposit does. */
import { randomUUID } from 'node:crypto';
import { advanceDeposit, noteDeposit, type ToldDeposit } from '../../../db/queries/crypto/deposits.ts';
import type { UserId } from '../../../domain/ids.ts';
import type { Books } from './books.ts';

const NETWORKS: Readonly<Record<string, string>> = { BTC: 'bitcoin', XRP: 'ripple', DOGE: 'dogecoin' };

/** Has a customer receive so many of the smallest units of a coin, in a vault of their own. */
export async function receiveCoins(
  books: Pick<Books, 'em' | 'asOwner'>,
  customer: UserId,
  asset: string,
  units: bigint,
): Promise<void> {
  await books.asOwner(
    `insert into crypto_vaults (user_id, name, custody_vault) values ($1, $2, $3) on conflict do nothing`,
    [customer, `u:${customer}`, customer],
  );
  const told: ToldDeposit = {
    ...{
      custody_id: randomUUID(),
      status: 'completed',
      told: 'COMPLETED',
      updated_at: new Date().toISOString(),
    },
    ...{ vault: customer, asset, network: NETWORKS[asset] ?? '', tx_hash: randomUUID(), output_index: 0 },
    ...{ address: 'any', memo: null, source_address: null, chain_amount: units.toString() },
    ...{ confirmations: 1_000, block_hash: 'b' },
  };
  await noteDeposit.one(books.em(), { told });
  const { state } = await advanceDeposit.one(books.em(), { told, clock: new Date() });
  if (state !== 'credited') throw new Error(`the coins were not credited: ${state}`);
}
