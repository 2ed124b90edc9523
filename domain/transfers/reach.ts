/**
 * Which payee a type of transfer reaches. The API chooses a type by it and refuses early; the books say the same
 * (`payee_reach` and `reach_covers` in db/functions/transfer-rules.sql), and a test compares.
 */
import { isInSepa } from '../standards/iban.ts';
import type { TransferReach } from './transfers.ts';

/** Somebody with an account of this bank, the payer or not, or somebody outside; null is an account without an IBAN. */
export type Reached = { readonly isOwn: boolean } | { readonly iban: string | null };

/** The nearest reach that gets there. The bank's standard types are called by what they reach. */
export function nearestReach(payee: Reached, targetAsset: string): TransferReach {
  if ('isOwn' in payee) return payee.isOwn ? 'own' : 'internal';
  return payee.iban !== null && isInSepa(payee.iban) && targetAsset === 'EUR' ? 'sepa' : 'international';
}

/** A type that reaches strangers' accounts reaches one's own too, and one that reaches the world reaches SEPA. */
const WIDER: Readonly<Partial<Record<TransferReach, TransferReach>>> = {
  own: 'internal',
  sepa: 'international',
};

/** Whether a type with this reach gets where `nearest` is the nearest that does. */
export function reachCovers(reach: TransferReach, nearest: TransferReach): boolean {
  return reach === nearest || reach === WIDER[nearest];
}
