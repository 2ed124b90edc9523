/** Coins that have arrived, booked as the process of a deposit does. */
import { randomUUID } from 'node:crypto';
import { advanceDeposit, noteDeposit } from '../../../db/queries/crypto/deposits.ts';
import type { UserId } from '../../../domain/ids.ts';
import { arrived, vaultOf } from '../custodian/told.ts';
import type { Bank } from './bank.ts';
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

/** A deposit of 0.015 BTC that came where nobody has an address, and lies in suspense. Its process has ended. */
export async function newDepositUnderReview(bank: Pick<Bank, 'asOwner'>): Promise<string> {
  const vault = randomUUID();
  await bank.asOwner('insert into crypto_vaults (name, custody_vault) values ($1, $1)', [vault]);
  const told = JSON.stringify(arrived(vault, { address: `tb1q${vault}`, source_address: `from ${vault}` }));
  const [noted] = await bank.asOwner('select deposit::text as id from crypto_deposit_noted($1)', [told]);
  await bank.asOwner('select from crypto_deposit_advance($1)', [told]);
  return String(noted?.['id']);
}
