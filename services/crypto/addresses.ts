/** Whether coins can be sent to an address, before anything moves. */
import type { EntityManager } from '@mikro-orm/postgresql';
import { coinNetwork, contractsOn } from '../../db/queries/crypto/setup.ts';
import type { Chains } from '../../domain/addresses/address.ts';
import {
  checkDestination,
  type AddressFault,
  type CheckedDestination,
} from '../../domain/addresses/check.ts';
import type { GivenMemo } from '../../domain/addresses/memo.ts';
import { faultIn } from '../../domain/refusals.ts';

/** Where somebody wants to send a coin. */
export interface WantedDestination {
  readonly asset: string;
  readonly network: string;
  readonly address: string;
  readonly memo: GivenMemo | null;
}

/** The destination in the form in which the bank keeps it, or what is wrong with it. Refuses invalid_request for another network. */
export async function checkedDestination(
  db: EntityManager,
  { asset, network, ...destination }: WantedDestination,
  chains: Chains,
): Promise<CheckedDestination | AddressFault> {
  const row = await coinNetwork.first(db, { asset, network });
  if (row === undefined) throw faultIn('/network', 'unknown', 'is no network that the coin moves on');
  const contracts = await contractsOn.all(db, { network: row.network });
  return checkDestination(
    { ...destination, network: row.network, chains },
    { memo: row.memo, contracts: contracts.map(({ contract }) => contract) },
  );
}
