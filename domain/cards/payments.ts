/** Card payments: what the network asks, and what it is answered. */
import { z } from 'zod';
import type { CardControl, CardLimit } from './products.ts';

/** `0100` asks, `0120` tells what has happened, `0420` takes back (ISO 8583). */
export const MESSAGE_TYPES = ['0100', '0120', '0420'] as const;
export type MessageType = (typeof MESSAGE_TYPES)[number];

/** The type of the answer to a message. */
export const ANSWER_TYPES = { '0100': '0110', '0120': '0130', '0420': '0430' } as const;

export const MESSAGE_PURPOSES = [
  'purchase',
  'cash',
  'account_check',
  'refund',
  'increment',
  'completion',
  'balance',
] as const;
export type MessagePurpose = (typeof MESSAGE_PURPOSES)[number];

/** What a payment is; increments and completions belong to one. */
export const PAYMENT_PURPOSES = ['purchase', 'cash', 'account_check', 'refund', 'balance'] as const;

/** What a clearing record books; a refund gives back. */
export const CLEARING_KINDS = ['purchase', 'cash', 'refund'] as const;
export type ClearingKind = (typeof CLEARING_KINDS)[number];

/** `aside`: it cannot be booked, and somebody has to look. */
export const CLEARING_STATUSES = ['waiting', 'booked', 'aside'] as const;

/** Clearing says what is booked, settlement what is paid between the bank and the network. */
export const CARD_FILE_KINDS = ['clearing', 'settlement'] as const;

/** `booked`: nothing of it waits, but it is not paid for yet. */
export const CARD_FILE_STATUSES = ['waiting', 'booked', 'settled', 'refused'] as const;
export type CardFileStatus = (typeof CARD_FILE_STATUSES)[number];

/** How a card was read. A `recurring` payment was started by the merchant. */
export const ENTRY_MODES = ['chip', 'contactless', 'magstripe', 'ecommerce', 'manual', 'recurring'] as const;
export type EntryMode = (typeof ENTRY_MODES)[number];

/** What follows from the sums of a payment. `checked`: the network asked about the card and held nothing. */
export const CARD_PAYMENT_STATUSES = [
  'declined',
  'checked',
  'authorised',
  'cleared',
  'reversed',
  'expired',
  'refunded',
] as const;
export type CardPaymentStatus = (typeof CARD_PAYMENT_STATUSES)[number];

/**
 * Why a message is answered as it is, with the response code of ISO 8583 that the network is told; docs/cards.md shows the same table.
 * The first that applies counts, from top to bottom.
 */
export const RESPONSE_CODES = {
  format_error: '30',
  contradiction: '94',
  unknown_card: '14',
  card_lost: '41',
  card_stolen: '43',
  card_blocked: '62',
  card_inactive: '62',
  card_closed: '62',
  card_replaced: '62',
  expired_card: '54',
  wrong_cvv: '82',
  cvv_locked: '82',
  pin_locked: '75',
  wrong_pin: '55',
  account_unavailable: '05',
  control: '57',
  proof_mismatch: '05',
  sca_required: '65',
  limit_exceeded: '61',
  insufficient_funds: '51',
  approved: '00',
  partially_approved: '10',
} as const;
export type AnswerReason = keyof typeof RESPONSE_CODES;
/** Without the card at hand the merchant is asked to let the holder prove who they are. */
const SCA_REMOTE = '1A';

export const ANSWER_REASONS = Object.keys(RESPONSE_CODES) as readonly AnswerReason[];

/** The response code of a reason. */
export function responseCode(
  reason: AnswerReason,
  { entry_mode, purpose }: { readonly entry_mode: EntryMode; readonly purpose: MessagePurpose },
): string {
  const isRemote = ['ecommerce', 'manual', 'recurring'].includes(entry_mode);
  // a PIN can be asked for at a terminal only
  const wantsPin = purpose === 'cash' || purpose === 'balance';
  return reason === 'sca_required' && isRemote && !wantsPin ? SCA_REMOTE : RESPONSE_CODES[reason];
}

/** Why a payment was declined, as it is stored. Amounts are decimals of the payment's currency, counts are numbers. */
export interface StoredDecline {
  readonly reason: AnswerReason;
  readonly rule: string;
  readonly limit?: string | number;
  readonly used?: string | number;
  readonly remaining?: string | number;
}

/** What did not come as it should. */
export const IRREGULARITIES = {
  without_authorisation: 'The network added to a payment, or named its total, before it asked for it.',
  reversal_without_authorisation: 'The network took back more than it had asked for.',
  request_after_reversal: 'The network asked for a payment that it had taken back.',
  other_currency: 'The network has told of a sum in another currency: nothing of it is held.',
  other_purpose: 'The network asked for money under the id of something that holds none.',
  account_closed: 'The payment has happened, but the account is closed: nothing is held.',
  cleared_without_authorisation: 'It was booked without having been asked for.',
  cleared_after_reversal: 'It was booked although all of it had been taken back.',
  cleared_above_authorisation: 'More was booked than had been asked for.',
  refunded_after_dispute: 'The merchant gave back what a dispute had won already: the holder has it twice.',
  refund_without_purchase: 'Something was given back that was not booked before.',
  hold_captured: 'The payment went on after its final clearing: nothing more is held.',
} as const;
export type IrregularityCode = keyof typeof IRREGULARITIES;

export interface StoredIrregularity {
  readonly code: IrregularityCode;
  readonly at: string;
}

/** Where a payment was made, as the network says it. */
export const Merchant = z.object({
  id: z.string().regex(/^[\x21-\x7e]{1,40}$/),
  name: z.string().max(100),
  city: z.string().max(100),
  country: z
    .string()
    .regex(/^[A-Z]{2}$/)
    .describe('ISO 3166-1 alpha-2.'),
  mcc: z
    .string()
    .regex(/^\d{4}$/)
    .describe('Merchant category, ISO 18245.'),
});
export type Merchant = z.output<typeof Merchant>;

/** Who has set a rule that counts for a card. */
export const RULE_SETTERS = ['bank', 'customer'] as const;
type SetBy = (typeof RULE_SETTERS)[number];

interface InForce {
  readonly customer_may_loosen?: boolean;
  readonly set_by: SetBy;
}
export type ControlInForce = CardControl & InForce;
export type LimitInForce = CardLimit & InForce;
