/** What a card can be, and the form of its number and expiry. */

/** `inactive`: sent and not activated yet; `blocked`: by its holder or the bank; `closed`: for ever. */
export const CARD_STATUSES = ['inactive', 'active', 'blocked', 'closed'] as const;
export type CardStatus = (typeof CARD_STATUSES)[number];

export const CARD_BLOCKERS = ['customer', 'bank'] as const;

export const CARD_CLOSED_REASONS = [
  'lost',
  'stolen',
  'damaged',
  'expired',
  'customer',
  'bank',
  'account_closed',
] as const;
export type CardClosedReason = (typeof CARD_CLOSED_REASONS)[number];

/** Why a holder wants another card. */
export const REPLACEMENT_REASONS = ['lost', 'stolen', 'damaged'] as const;
export type ReplacementReason = (typeof REPLACEMENT_REASONS)[number];

/** `locked` after too many wrong tries. */
export const PIN_STATUSES = ['unset', 'set', 'locked'] as const;

/** What a holder does with the PIN of a card. */
export const PIN_CHANGES = ['set', 'unlocked'] as const;

/** What can be seen of a card’s secrets. */
export const REVEALED = ['number', 'cvv'] as const;

/** The number with its check digit (ISO/IEC 7812-1, annex B). */
export function withCheckDigit(number: bigint): string {
  const digits = String(number);
  const sum = [...digits].toReversed().reduce((total, digit, place) => {
    const doubled = Number(digit) * (place % 2 === 0 ? 2 : 1);
    return total + (doubled > 9 ? doubled - 9 : doubled);
  }, 0);
  return `${digits}${String((10 - (sum % 10)) % 10)}`;
}

/** `2030-11-30` as it is written on a card: `11/30`. */
export function expiryOf(lastDay: string): string {
  return `${lastDay.slice(5, 7)}/${lastDay.slice(2, 4)}`;
}
