/** Cards and their products. */
import type { Entry } from './entry.ts';

export const cardRefusals = {
  card_product_unavailable: {
    status: 409,
    title: 'Card product unavailable',
    cause: 'The product is disabled, or its cards do not belong to accounts of this type or currency.',
    cure: 'Read GET /v1/card-products.',
  },
  range_exhausted: {
    status: 409,
    title: 'Numbers exhausted',
    cause: 'The payment system of the product has no card numbers left.',
    cure: 'Let an administrator add a range of numbers.',
  },
  card_inactive: {
    status: 409,
    title: 'Card inactive',
    cause: 'The card has not been activated yet.',
    cure: 'Activate it first.',
  },
  card_closed: {
    status: 409,
    title: 'Card closed',
    cause: 'The card is closed, and this cannot be undone.',
    cure: 'Use another card, or issue one.',
  },
  card_not_loosened: {
    status: 409,
    title: 'Not loosened',
    cause: 'The product of the card does not let its holder loosen this control or limit.',
    cure: 'Leave it out, or make it tighter.',
  },
  weak_pin: {
    status: 400,
    title: 'Weak PIN',
    cause: 'The PIN repeats itself, runs up or down, or is the year of birth of its holder.',
    cure: 'Choose another PIN.',
  },
  nothing_held: {
    status: 409,
    title: 'Nothing held',
    cause: 'The card payment holds nothing any more.',
    cure: 'Read the payment.',
  },
  nothing_to_dispute: {
    status: 409,
    title: 'Nothing to dispute',
    cause: 'Nothing of the card payment is booked, or all of it came back or was disputed before.',
    cure: 'Wait until the payment is cleared, or read its disputes.',
  },
  dispute_open: {
    status: 409,
    title: 'Already disputed',
    cause: 'The card payment has a dispute that is not decided yet.',
    cure: 'Wait for its end, or withdraw it.',
  },
  dispute_too_late: {
    status: 409,
    title: 'Too late to dispute',
    cause: 'The time in which a card payment can be disputed for this reason is over.',
    cure: 'Ask the merchant, or support.',
  },
  dispute_too_large: {
    status: 409,
    title: 'More than can be disputed',
    cause: 'The amount is more than what is left of the card payment; `remaining` is that.',
    cure: 'Dispute less, or leave the amount out.',
  },
  dispute_closed: {
    status: 409,
    title: 'Dispute closed',
    cause: 'The dispute has ended.',
    cure: 'Read the dispute.',
  },
  not_filed: {
    status: 409,
    title: 'Not filed',
    cause: 'The bank has not accepted the dispute, so the network cannot have decided it.',
    cure: 'Look at the id of the dispute.',
  },
  blocked_by_bank: {
    status: 409,
    title: 'Blocked by the bank',
    cause: 'The bank has blocked the card, and only the bank can unblock it.',
    cure: 'Ask support why.',
  },
  pin_unset: {
    status: 409,
    title: 'No PIN',
    cause: 'The card has no PIN yet.',
    cure: 'Set one with PUT /v1/cards/{id}/pin.',
  },
} as const satisfies Record<string, Entry>;
