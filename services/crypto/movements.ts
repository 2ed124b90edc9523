/** What moves at the custodian and is nobody's deposit, in the worker: it is booked by what the custodian answers. */
import type { EntityManager } from '@mikro-orm/postgresql';
import type { CustodyTransfer } from '../../adapters/custody/custodian.ts';
import { movementPlace, noteMovement, type ToldMovement } from '../../db/queries/crypto/movements.ts';
import type { MovementRole } from '../../domain/crypto/movements.ts';
import { parseMinor } from '../../domain/money.ts';
import { machineNow } from '../../domain/time/now.ts';

/** Why the bank cannot take such a transaction in: it takes coins away that nobody has ordered, or an amount has no such digits. */
export type MovementFault = 'not_ordered' | 'unreadable_amount';

/**
 * Books gas that comes to a vault of the bank, coins that come from or go to a vault that is not the bank's, and the fees of the network
 * that the bank's vaults pay. Coins that the books do not know are left out.
 */
export async function takeMovement(
  em: () => EntityManager,
  transfer: CustodyTransfer,
): Promise<MovementFault | undefined> {
  const { from, to } = transfer;
  if (from.kind !== 'vault' && to.kind !== 'vault') return undefined;
  const place = await movementPlace.one(em(), {
    custodyAsset: transfer.asset,
    from: from.kind === 'vault' ? from.vault : null,
    to: to.kind === 'vault' ? to.vault : null,
  });
  if (place.isFromOurs && to.kind === 'outside')
    return transfer.status === 'failed' ? undefined : 'not_ordered';
  const parts = partsOf(transfer, place);
  if (typeof parts === 'string') return parts;
  for (const told of parts) await noteMovement.run(em(), { told, clock: machineNow() });
  return undefined;
}

type Place = Awaited<ReturnType<(typeof movementPlace)['one']>>;

/** What a transaction brings to the bank's vaults, takes from them, and costs them. */
function partsOf(transfer: CustodyTransfer, place: Place): ToldMovement[] | MovementFault {
  const { from, to, status, block } = transfer;
  const { asset, network, scale, isFromOurs, isToOurs, feeAsset, feeScale } = place;
  if (asset === null || network === null || scale === null) return [];
  const amount = parseMinor(transfer.amount, scale);
  const fee = feeScale === null ? 0n : parseMinor(transfer.networkFee ?? '0', feeScale);
  if (typeof amount === 'string' || typeof fee === 'string') return 'unreadable_amount';
  const told = {
    ...{ custody_id: transfer.id, status, network, role: roleOf(transfer, place) },
    updated_at: new Date(transfer.lastUpdated).toISOString(),
  };
  const moved = hasMoved(transfer) ? amount : 0n;
  const parts: ToldMovement[] = [];
  if (isToOurs && to.kind === 'vault')
    parts.push({ ...told, part: 'in', vault: to.vault, asset, chain_amount: String(moved) });
  if (isFromOurs && from.kind === 'vault') {
    parts.push({ ...told, part: 'out', vault: from.vault, asset, chain_amount: String(-moved) });
    // a transaction that a block contains costs its fee also if it has failed there
    const chain_amount = String(block !== null || status === 'completed' ? -fee : 0n);
    if (feeAsset !== null)
      parts.push({
        ...{ ...told, part: 'fee', role: 'network_fees' },
        ...{ vault: from.vault, asset: feeAsset, chain_amount },
      });
  }
  return parts;
}

function roleOf({ from, to }: CustodyTransfer, { isFromOurs, isToOurs }: Place): MovementRole {
  if (from.kind === 'gas_station' || to.kind === 'gas_station') return 'network_fees';
  return isFromOurs && isToOurs ? 'custody_transit' : 'crypto_position';
}

/** Whether the custodian counts it to what the vaults hold: on its way in, that is from the moment it is seen on the chain. */
function hasMoved({ status, from, address, block }: CustodyTransfer): boolean {
  if (status !== 'moving') return status === 'completed';
  return block !== null || (from.kind === 'gas_station' && address !== null);
}
