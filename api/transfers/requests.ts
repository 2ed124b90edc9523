/** What a customer or an administrator asks for. */
import { z } from 'zod';
import { normaliseEmail, normalisePhone } from '../../domain/identity/contact.ts';
import { isCountry } from '../../domain/standards/countries.ts';
import { readBic, readIban } from '../../domain/standards/iban.ts';
import { AccountId, QuoteId } from '../../domain/ids.ts';
import { named } from '../wire/naming.ts';
import { Line, Reason } from '../wire/text.ts';
import { Amount, Currency, Day } from '../wire/shapes.ts';

const EXAMPLE_ID = '0192f0c1-3b1e-7c4e-9d5a-6f0a4c1b2d3e';
const twelve = { amount: '12.34', currency: 'EUR' };

/** A text that is read into one form, or is at fault. */
function read(most: number, reader: (text: string) => string | undefined, message: string) {
  return z
    .string()
    .max(most)
    .transform((text, context) => {
      const form = reader(text);
      if (form !== undefined) return form;
      context.issues.push({ code: 'custom', message, input: text });
      return z.NEVER;
    });
}

const Iban = read(48, readIban, 'is not an IBAN');
const Bic = read(16, readBic, 'is not a BIC');
const PayeeName = Line(140).describe('Name of the payee, as the payee’s bank knows it.');

export const Destination = z
  .union([
    z.strictObject({ account_id: AccountId }),
    z.strictObject({ account_number: z.string().regex(/^\d{12}$/, 'must be twelve digits') }),
    z.strictObject({ email: read(254, normaliseEmail, 'is not an email address') }),
    z.strictObject({ phone: read(32, normalisePhone, 'is not a phone number') }),
    z.strictObject({ iban: Iban, name: PayeeName, bic: Bic.optional() }),
    z.strictObject({
      account: z.string().regex(/^[A-Za-z0-9]{1,34}$/, 'must be 1 to 34 letters and digits'),
      bic: Bic,
      country: z
        .string()
        .regex(/^[A-Z]{2}$/)
        .refine(isCountry, 'is not a country of ISO 3166'),
      name: PayeeName,
    }),
  ])
  .describe(
    'Inside the bank: an account by id or number, or a customer by email or phone. Outside: an IBAN, or an account and BIC where the country has no IBANs.',
  );

export const intent = {
  type: z
    .string()
    .regex(/^[a-z][a-z0-9_]{1,39}$/)
    .optional()
    .describe('Code of a transfer type; left out, the destination decides.'),
  source_account_id: AccountId.describe('An account of the caller.'),
  destination: Destination,
  amount: Amount.optional().describe(
    'What leaves the source account, before fees, in its currency. Or else:',
  ),
  target_amount: Amount.optional().describe(
    'What reaches the destination, to the last digit, in its currency.',
  ),
  target_currency: Currency.optional().describe(
    'With `amount`, for a payment out of the bank in another currency than the source’s.',
  ),
  description: Line(140, 0).default('').describe('Both sides see it.'),
};
export const intentExample = {
  source_account_id: EXAMPLE_ID,
  destination: { account_number: '100000000287' },
  amount: twelve,
  description: 'Rent',
};

interface Sides {
  readonly amount?: unknown;
  readonly target_amount?: unknown;
}
export const oneSide = ({ amount, target_amount }: Sides): boolean =>
  (amount === undefined) !== (target_amount === undefined);
export const ONE_SIDE = { path: ['amount'], message: 'give either amount or target_amount' };

export const TransferQuoteRequest = named(
  'TransferQuoteRequest',
  z.strictObject(intent).refine(oneSide, ONE_SIDE),
  intentExample,
);

export const TransferRequest = named(
  'TransferRequest',
  z
    .strictObject({
      ...intent,
      quote_id: QuoteId.optional().describe('Binds the transfer to a quote and its numbers.'),
    })
    .refine(oneSide, ONE_SIDE),
  intentExample,
);

export const AdminTransferAdjustRequest = named(
  'AdminTransferAdjustRequest',
  z.strictObject({
    account_id: AccountId,
    direction: z.enum(['credit', 'debit']).describe('`credit` pays into the account, `debit` takes from it.'),
    amount: Amount.describe('In the account’s currency.'),
    reason: Reason,
    description: Line(140, 0).default('').describe('The customer sees it.'),
    value_date: Day.optional().describe(
      'The day from which it counts, in the bank’s time zone, today or up to a year back; left out, the day it is booked.',
    ),
  }),
  {
    account_id: EXAMPLE_ID,
    direction: 'credit',
    amount: twelve,
    reason: 'Goodwill after complaint 4711',
    description: 'Goodwill',
  },
);

export const OptionalReason = named('TransferExecuteRequest', z.strictObject({ reason: Reason.optional() }), {
  reason: 'Checked by phone',
});
export const RequiredReason = named('TransferDecisionRequest', z.strictObject({ reason: Reason }), {
  reason: 'The customer asked for it',
});
