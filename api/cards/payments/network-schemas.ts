import { z } from 'zod';
import {
  ANSWER_REASONS,
  ANSWER_TYPES,
  ENTRY_MODES,
  Merchant,
  MESSAGE_PURPOSES,
  MESSAGE_TYPES,
} from '../../../domain/cards/payments.ts';
import { named } from '../../wire/naming.ts';
import { Money } from '../../wire/shapes.ts';

/** Of a request, an advice or a reversal. */
const key = {
  payment_id: z
    .string()
    .min(1)
    .max(64)
    .describe('The network’s id of the payment, the same in all its messages.'),
  stan: z.string().min(1).max(32).describe('With `payment_id`, `type` and `rrn` the key of the message.'),
  rrn: z.string().min(1).max(32),
};

/** How a message names a card. */
export const cardFields = {
  pan: z.string().regex(/^\d{12,19}$/),
  expiry: z
    .string()
    .regex(/^(0[1-9]|1[0-2])\/\d{2}$/)
    .optional()
    .describe('MM/YY.'),
};

export const merchantExample = {
  ...{ id: 'SHOP1', name: 'Corner shop', city: 'Berlin' },
  ...{ country: 'DE', mcc: '5411' },
};

/** What each purpose needs of `billing`; a reversal may leave it out. */
const hasAmount = ({ type, purpose, billing }: Shape): boolean => {
  if (billing === undefined) return type === '0420' || purpose === 'account_check' || purpose === 'balance';
  if (purpose === 'account_check' || purpose === 'balance') return billing.minor === 0n;
  return purpose === 'completion' && type !== '0420' ? billing.minor >= 0n : billing.minor > 0n;
};
type Shape = {
  readonly type: string;
  readonly purpose: string;
  readonly billing?: { readonly minor: bigint } | undefined;
};

export const CardNetworkMessage = named(
  'CardNetworkMessage',
  z
    .object({
      type: z.enum(MESSAGE_TYPES).describe('`0100` asks, `0120` tells what has happened, `0420` takes back.'),
      ...key,
      reverses: z
        .object({ stan: key.stan, rrn: key.rrn })
        .optional()
        .describe(
          'Of a reversal: the request that is taken back, whether it has arrived or not. Without it a reversal takes from what is open.',
        ),
      purpose: z
        .enum(MESSAGE_PURPOSES)
        .default('purchase')
        .describe(
          '`increment`: `billing` is added to the payment; `completion`: `billing` is its new total.',
        ),
      billing: Money.optional().describe(
        'In the currency of the account. Of a reversal: what is taken back; left out, all that is open.',
      ),
      merchant_amount: Money.optional().describe('At the terminal.'),
      ...cardFields,
      cvv: z
        .string()
        .regex(/^\d{3}$/)
        .optional(),
      pin_block: z
        .object({
          format: z.union([z.literal(0), z.literal(4)]).describe('Of ISO 9564-1.'),
          key_id: z.string().max(64),
          block: z.string().regex(/^[0-9A-Fa-f]{16,64}$/),
        })
        .optional()
        .describe('The PIN, sealed by the terminal.'),
      merchant: Merchant,
      entry_mode: z.enum(ENTRY_MODES).describe('`recurring` was started by the merchant.'),
      partial_ok: z.boolean().default(false).describe('The merchant takes a part of the amount.'),
      stood_in: z.boolean().default(false).describe('The network has answered in the place of the bank.'),
      proof: z.string().min(1).max(2_000).optional().describe('Of a 3-D Secure authentication.'),
    })
    .refine(({ type, reverses }) => reverses === undefined || type === '0420', {
      path: ['reverses'],
      message: 'is for a reversal only',
    })
    .refine(hasAmount, { path: ['billing'], message: 'does not fit the purpose' }),
  {
    ...{ type: '0100', payment_id: 'N-4711', stan: '000001', rrn: '632800000001', purpose: 'purchase' },
    billing: { amount: '12.34', currency: 'EUR' },
    ...{ pan: '9999900000000009', expiry: '11/30', entry_mode: 'chip', merchant: merchantExample },
  },
);

/** What can be read of the key of a message that is malformed. */
export const ReadableKey = z
  .object({
    type: z.enum(MESSAGE_TYPES).catch('0100'),
    payment_id: key.payment_id.nullable().catch(null),
    stan: key.stan.nullable().catch(null),
    rrn: key.rrn.nullable().catch(null),
  })
  .catch({ type: '0100', payment_id: null, stan: null, rrn: null });

export const CardNetworkAnswer = named(
  'CardNetworkAnswer',
  z.strictObject({
    type: z.enum(ANSWER_TYPES),
    payment_id: key.payment_id
      .nullable()
      .describe('Null, like the rest of the key, if it could not be read.'),
    stan: key.stan.nullable(),
    rrn: key.rrn.nullable(),
    response_code: z.string().describe('ISO 8583, field 39.'),
    reason: z.enum(ANSWER_REASONS).describe('The first that applies.'),
    approval_code: z.string().nullable(),
    approved: Money.nullable(),
    balance: Money.nullable().describe('What can be spent, if that was asked.'),
  }),
  {
    ...{ type: '0110', payment_id: 'N-4711', stan: '000001', rrn: '632800000001' },
    ...{ response_code: '00', reason: 'approved', approval_code: '4F1D9A' },
    ...{ approved: { amount: '12.34', currency: 'EUR' }, balance: null },
  },
);
