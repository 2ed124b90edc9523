/** Whether coins can be sent to an address, before anything moves. */
import { coinNetwork, contractsOn } from '../../db/queries/crypto/setup.ts';
import { isOwnAddress } from '../../db/queries/crypto/wallets.ts';
import type { Chains } from '../../domain/addresses/address.ts';
import {
  checkDestination,
  type AddressFault,
  type CheckedDestination,
} from '../../domain/addresses/check.ts';
import type { GivenMemo } from '../../domain/addresses/memo.ts';
import { looksLikeSecret } from '../../domain/addresses/secrets.ts';
import { faultIn } from '../../domain/refusals.ts';
import type { Call } from '../callers.ts';

/** Where somebody wants to send a coin. */
export interface WantedDestination {
  readonly asset: string;
  readonly network: string;
  readonly address: string;
  readonly memo: GivenMemo | null;
  /** Left out: those that the bank uses. */
  readonly chains?: Chains;
}

/**
 * The destination in the form in which the bank keeps it, or what is wrong with it. Refuses looks_like_a_secret for a text that is a key
 * or a seed, before anything else sees it, and invalid_request for a network that the coin does not move on.
 */
export async function checkedDestination(
  { db, refusal }: Pick<Call<'looks_like_a_secret'>, 'db' | 'refusal'>,
  { asset, network, chains, ...destination }: WantedDestination,
): Promise<CheckedDestination | AddressFault> {
  const { address, memo } = destination;
  const secret = looksLikeSecret(address) ? '/address' : looksLikeSecret(memo?.value ?? '') ? '/memo' : null;
  if (secret !== null) {
    const detail = 'looks like a private key or the words of a seed';
    throw refusal('looks_like_a_secret', {
      errors: [{ pointer: secret, code: 'looks_like_a_secret', detail }],
    });
  }
  const row = await coinNetwork.first(db, { asset, network });
  if (row === undefined) throw faultIn('/network', 'unknown', 'is no network that the coin moves on');
  const contracts = await contractsOn.all(db, { network: row.network });
  const checked = checkDestination(
    { ...destination, network: row.network, chains: chains ?? row.chains },
    { memo: row.memo, contracts: contracts.map(({ contract }) => contract) },
  );
  if (typeof checked === 'string') return checked;
  const { own } = await isOwnAddress.one(db, { network: row.network, address: checked.address });
  return own ? 'own_address' : checked;
}
