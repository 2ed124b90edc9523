/** What moves at the custodian for the bank itself. */

/** What comes to a vault of the bank, what leaves one, and what the network takes for that. */
export const MOVEMENT_PARTS = ['in', 'out', 'fee'] as const;

/**
 * The house account that stands for it. Gas and fees are costs; what comes from a vault that is not the bank's, or goes there, is the
 * bank's own; between two vaults of the bank it is in transit, and the two parts cancel each other out.
 */
export const MOVEMENT_ROLES = ['network_fees', 'crypto_position', 'custody_transit'] as const;
export type MovementRole = (typeof MOVEMENT_ROLES)[number];
