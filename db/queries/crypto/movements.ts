/** What moves at the custodian for the bank itself. Functions of the database write it (db/functions/custody-movements.sql). */
import { NETWORKS } from '../../../domain/addresses/address.ts';
import type { TransferStatus } from '../../../domain/crypto/deposits.ts';
import type { MOVEMENT_PARTS, MovementRole } from '../../../domain/crypto/movements.ts';
import { boolean, integer, moment, oneOf, ownJson, text } from '../../rows/columns.ts';
import { statement } from '../../rows/statement.ts';
import { AssetNetwork } from '../../schema/crypto.ts';
import { columnsOf } from '../../rows/table-columns.ts';

/** Whether the vaults of a transaction are the bank's, its coin, and the coin in which its network is paid; null where the bank does not know them. */
export const movementPlace = statement({
  name: 'movementPlace',
  takes: {
    ...{ from: text().nullable(), to: text().nullable() },
    ...columnsOf(AssetNetwork, 'custodyAsset'),
  },
  gives: {
    ...{ isFromOurs: boolean(), isToOurs: boolean() },
    ...{ asset: text().nullable(), network: oneOf(NETWORKS).nullable(), scale: integer().nullable() },
    ...{ feeAsset: text().nullable(), feeScale: integer().nullable() },
  },
  sql: `
    select exists (select from crypto_vaults v where v.custody_vault = $from) as is_from_ours,
           exists (select from crypto_vaults v where v.custody_vault = $to) as is_to_ours,
           n.asset, n.network, n.scale, g.asset as fee_asset, g.scale as fee_scale
      from bank_settings s left join asset_networks n on n.custody_asset = $custodyAsset
      left join asset_networks g on g.network = n.network and g.contract is null
     limit 1`,
});

/** A part of a transaction as it is told now. `chain_amount` is in the chain's smallest unit, negative if it goes, zero if nothing moves. */
export interface ToldMovement {
  readonly custody_id: string;
  readonly part: (typeof MOVEMENT_PARTS)[number];
  readonly vault: string;
  readonly role: MovementRole;
  readonly status: TransferStatus;
  readonly updated_at: string;
  readonly asset: string;
  readonly network: string;
  readonly chain_amount: string;
}

/** Notes what the custodian says of a movement, having been asked, and books it once that is final. */
export const noteMovement = statement({
  name: 'noteMovement',
  takes: { told: ownJson<ToldMovement>(), clock: moment() },
  gives: {},
  sql: 'select from clock_check($clock), custody_movement_note($told)',
});
