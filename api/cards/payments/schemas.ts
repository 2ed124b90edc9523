import { z } from 'zod';
import {
  ANSWER_REASONS,
  CARD_FILE_KINDS,
  CARD_FILE_STATUSES,
  CARD_PAYMENT_STATUSES,
  CLEARING_KINDS,
  ENTRY_MODES,
  MESSAGE_PURPOSES,
  MESSAGE_TYPES,
  IRREGULARITIES,
  Merchant,
  PAYMENT_PURPOSES,
  type IrregularityCode,
} from '../../../domain/cards/payments.ts';
import { AccountId, CardFileId, CardId, CardPaymentId, UserId } from '../../../domain/ids.ts';
import { named } from '../../wire/naming.ts';
import { listOf, Money, Timestamp } from '../../wire/shapes.ts';
import { Reason } from '../../wire/text.ts';
import { merchantExample } from './network-schemas.ts';

const EXAMPLE_ID = '0192f0c1-3b1e-7c4e-9d5a-6f0a4c1b2d3e';
const eur = (amount: string) => ({ amount, currency: 'EUR' });

const part = z.union([Money, z.int()]).nullable().describe('An amount, or a number of payments.');

const Decline = z.strictObject({
  reason: z.enum(ANSWER_REASONS),
  rule: z
    .string()
    .describe(
      'What has declined it: `card`, `cvv`, `pin`, `account`, `funds`, `proof`; the kind of the control; `reversed`, `completed`, `cleared` or `stood_in` for a request that came too late; or the period of the limit with its scope, such as `day/online`.',
    ),
  limit: part,
  used: part,
  remaining: part,
  at: Timestamp,
});

const irregularities = Object.keys(IRREGULARITIES) as IrregularityCode[];

const payment = {
  id: CardPaymentId,
  card_id: CardId,
  account_id: AccountId,
  last_four: z.string().describe('The last four digits of the card’s number.'),
  payment_id: z.string().describe('The network’s id of the payment.'),
  purpose: z.enum(PAYMENT_PURPOSES),
  status: z
    .enum(CARD_PAYMENT_STATUSES)
    .describe('Follows from the sums. `authorised`: something is held; `checked`: nothing was to be held.'),
  authorised: Money,
  reversed: Money,
  cleared: Money,
  refunded: Money,
  held: Money.describe('Not available meanwhile. More than is open where the final sum is not known yet.'),
  held_until: Timestamp.nullable(),
  merchant: Merchant,
  merchant_amount: Money.nullable().describe('At the terminal.'),
  entry_mode: z
    .enum(ENTRY_MODES)
    .nullable()
    .describe('How the card was read; null if only clearing has told of the payment.'),
  decline: Decline.nullable().describe('The last attempt, unless one was approved since.'),
  irregularities: z
    .array(z.strictObject({ code: z.enum(irregularities), at: z.string(), message: z.string() }))
    .describe('What did not come as it should.'),
  created_at: Timestamp,
  updated_at: Timestamp,
};

const example = {
  ...{ id: EXAMPLE_ID, card_id: EXAMPLE_ID, account_id: EXAMPLE_ID, last_four: '4242' },
  ...{ payment_id: 'N-4711', purpose: 'purchase' as const, status: 'authorised' as const },
  ...{ authorised: eur('12.34'), reversed: eur('0.00'), cleared: eur('0.00'), refunded: eur('0.00') },
  ...{ held: eur('12.34'), held_until: '2026-11-08T09:30:00.000Z' },
  ...{ merchant: merchantExample, merchant_amount: eur('12.34'), entry_mode: 'chip' as const },
  ...{ decline: null, irregularities: [] },
  ...{ created_at: '2026-11-01T09:30:00.000Z', updated_at: '2026-11-01T09:30:00.000Z' },
};

export const CardPayment = named('CardPayment', z.strictObject(payment), example);
export const CardPaymentList = listOf('CardPaymentList', CardPayment);

const Message = z.strictObject({
  type: z.enum(MESSAGE_TYPES),
  stan: z.string(),
  rrn: z.string(),
  reverses: z
    .strictObject({ stan: z.string(), rrn: z.string() })
    .nullable()
    .describe('The request that a reversal names.'),
  purpose: z.enum(MESSAGE_PURPOSES),
  amount: Money.nullable().describe('What it asked for, told or took back.'),
  stood_in: z.boolean(),
  reason: z.enum(ANSWER_REASONS),
  approval_code: z.string().nullable(),
  approved: Money.nullable(),
  at: Timestamp,
  after: z
    .strictObject({
      status: z.enum(CARD_PAYMENT_STATUSES),
      authorised: Money,
      reversed: Money,
      held: Money.describe('With the fees of today.'),
    })
    .nullable()
    .describe('What the payment was once the message was taken; null after the hundredth one.'),
});

const clearing = {
  record_id: z.string().describe('The network’s id of the record.'),
  file_id: CardFileId,
  payment_id: z.string().nullable().describe('The network’s id of the payment, if the record names one.'),
  kind: z.enum(CLEARING_KINDS).describe('A `refund` gives back.'),
  amount: Money,
  merchant_amount: Money,
  merchant: Merchant,
  interchange: Money.describe('What the bank gets of the merchant’s fee; negative if it gives.'),
  final: z.boolean().describe('No other record of the payment comes.'),
  last_four: z.string(),
  fee: Money.nullable().describe('Of cash and of another currency, booked with it.'),
  fault: z
    .string()
    .nullable()
    .describe(
      'Why somebody has to look: `unknown_card`, `other_currency` and `other_card` are booked in suspense; with anything else nothing is booked.',
    ),
  booked_at: Timestamp.nullable(),
};
export const CardClearing = named('CardClearing', z.strictObject(clearing), {
  ...{ record_id: 'R-1', file_id: EXAMPLE_ID, payment_id: 'N-4711', kind: 'purchase' as const },
  ...{ amount: eur('12.34'), merchant_amount: eur('12.34'), merchant: merchantExample },
  ...{ interchange: eur('0.02'), final: true, last_four: '4242', fee: eur('0.00'), fault: null },
  booked_at: '2026-11-02T03:00:00.000Z',
});

const file = {
  id: CardFileId,
  kind: z.enum(CARD_FILE_KINDS).nullable().describe('Null if the file could not be read.'),
  network: z.string().nullable(),
  file_id: z.string().nullable().describe('The network’s id of the file.'),
  date: z.iso.date().nullable(),
  status: z
    .enum(CARD_FILE_STATUSES)
    .describe('`waiting`: not all of it is booked yet; `refused`: nothing of it was taken.'),
  records: z.int(),
  records_aside: z.int().describe('Somebody has to look at so many.'),
  net: Money.nullable().describe('Of a settlement: what the bank pays; negative if it gets.'),
  fault: z.string().nullable().describe('Why it was refused.'),
  created_at: Timestamp,
};
const fileExample = {
  ...{ id: EXAMPLE_ID, kind: 'clearing' as const, network: 'sandbox', file_id: 'F-1', date: '2026-11-01' },
  ...{ status: 'settled' as const, records: 1, records_aside: 0, net: null, fault: null },
  created_at: '2026-11-02T03:00:00.000Z',
};
export const CardFile = named('CardFile', z.strictObject(file), fileExample);
export const CardFileList = listOf('CardFileList', CardFile);
export const CardFileWithRecords = named(
  'CardFileWithRecords',
  z.strictObject({
    ...file,
    aside: z.array(CardClearing).describe('The first hundred that were put aside.'),
  }),
  { ...fileExample, aside: [] },
);

export const AdminCardPayment = named(
  'AdminCardPayment',
  z.strictObject({
    ...payment,
    user_id: UserId,
    messages: z.array(Message),
    clearings: z.array(CardClearing).describe('The first hundred, oldest first.'),
  }),
  {
    ...example,
    user_id: EXAMPLE_ID,
    clearings: [],
    messages: [
      {
        ...{ type: '0100', stan: '000001', rrn: '632800000001', reverses: null, purpose: 'purchase' },
        amount: eur('12.34'),
        ...{ stood_in: false, reason: 'approved', approval_code: '4F1D9A', approved: eur('12.34') },
        at: '2026-11-01T09:30:00.000Z',
        after: {
          ...{ status: 'authorised', authorised: eur('12.34'), reversed: eur('0.00'), held: eur('12.34') },
        },
      },
    ],
  },
);

export const ReleaseCardPaymentRequest = named(
  'ReleaseCardPaymentRequest',
  z.strictObject({ reason: Reason }),
  { reason: 'The merchant has confirmed that it will not collect' },
);
