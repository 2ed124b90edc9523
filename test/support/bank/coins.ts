/** Coins that customers have received, booked as the process of a deposit does. */
import { advanceDeposit, noteDeposit } from '../../../db/queries/crypto/deposits.ts';
import type { UserId } from '../../../domain/ids.ts';
import { arrived, vaultOf } from '../custodian/told.ts';
import type { Books } from './books.ts';

const NETWORKS: Readonly<Record<string, string>> = { BTC: 'bitcoin', SOL: 'solana', XRP: 'ripple' };

/** Has a customer receive so many of the smallest units of a coin, in a vault of their own. */
export async function receiveCoins(
  books: Pick<Books, 'em' | 'asOwner'>,
  customer: UserId,
  asset: string,
  units: bigint,
): Promise<void> {
  const network = NETWORKS[asset] ?? '';
  const told = arrived(await vaultOf(books, customer), { asset, network, chain_amount: units.toString() });
  await noteDeposit.one(books.em(), { told });
  const { state } = await advanceDeposit.one(books.em(), { told, clock: new Date() });
  if (state !== 'credited') throw new Error(`the coins were not credited: ${state}`);
}
