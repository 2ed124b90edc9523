import { z } from 'zod';
import {
  DISPUTE_DECISIONS,
  DISPUTE_REASONS,
  DISPUTE_STATUSES,
  NETWORK_OUTCOMES,
} from '../../../domain/cards/disputes.ts';
import { Merchant } from '../../../domain/cards/payments.ts';
import { CardDisputeId, CardId, CardPaymentId, UploadId, UserId } from '../../../domain/ids.ts';
import { fileExample, fileFields } from '../../uploads/schemas.ts';
import { named } from '../../wire/naming.ts';
import { listOf, Money, Timestamp } from '../../wire/shapes.ts';
import { Reason, Text } from '../../wire/text.ts';
import { merchantExample } from '../payments/network-schemas.ts';

const EXAMPLE_ID = '0192f0c1-3b1e-7c4e-9d5a-6f0a4c1b2d3e';
const eur = (amount: string) => ({ amount, currency: 'EUR' });

const dispute = {
  id: CardDisputeId,
  card_payment_id: CardPaymentId,
  card_id: CardId,
  last_four: z.string().describe('The last four digits of the card’s number.'),
  merchant: Merchant,
  reason: z.enum(DISPUTE_REASONS),
  explanation: z.string(),
  amount: Money.describe('What is disputed.'),
  status: z
    .enum(DISPUTE_STATUSES)
    .describe(
      '`in_review`: the bank decides until `due_at`; `filed`: the card network does; `refunded`: the merchant has given the money back.',
    ),
  refunded: Money.describe('What the merchant has given back since: it is disputed no more.'),
  credited: Money.describe(
    'What was given when the dispute was filed, with fees that are given back. Final once it is won. A frozen or closed account does not receive it yet.',
  ),
  taken_back: Money.describe('What of that was taken out of the account again.'),
  due_at: Timestamp.nullable().describe(
    'When the decision, or the answer of the network, is due; null once it has ended.',
  ),
  decided_at: Timestamp.nullable().describe('When the bank decided.'),
  decision_reason: z.string().nullable(),
  ended_at: Timestamp.nullable(),
  created_at: Timestamp,
  updated_at: Timestamp,
};

const example = {
  ...{ id: EXAMPLE_ID, card_payment_id: EXAMPLE_ID, card_id: EXAMPLE_ID, last_four: '4242' },
  ...{ merchant: merchantExample, reason: 'not_received' as const, status: 'filed' as const },
  ...{ explanation: 'The parcel never came, and the shop does not answer', amount: eur('12.34') },
  ...{ refunded: eur('0.00'), credited: eur('12.34'), taken_back: eur('0.00') },
  ...{ due_at: '2026-12-18T09:30:00.000Z', decided_at: '2026-11-03T09:30:00.000Z' },
  ...{ decision_reason: 'No proof of delivery', ended_at: null },
  ...{ created_at: '2026-11-01T09:30:00.000Z', updated_at: '2026-11-03T09:30:00.000Z' },
};

export const CardDispute = named('CardDispute', z.strictObject(dispute), example);
export const CardDisputeList = listOf('CardDisputeList', CardDispute);

export const AdminCardDispute = named(
  'AdminCardDispute',
  z.strictObject({
    ...dispute,
    user_id: UserId,
    overdue: z.boolean(),
    decided_by: UserId.nullable(),
    second_review: z
      .strictObject({ first_by: UserId, first_at: Timestamp })
      .nullable()
      .describe('Waits for another person who accepts it too.'),
  }),
  { ...example, user_id: EXAMPLE_ID, overdue: false, decided_by: EXAMPLE_ID, second_review: null },
);
export const AdminCardDisputeList = listOf('AdminCardDisputeList', AdminCardDispute);

export const OpenCardDisputeRequest = named(
  'OpenCardDisputeRequest',
  z.strictObject({
    reason: z.enum(DISPUTE_REASONS),
    explanation: Text(2_000).describe('What happened, in the holder’s own words.'),
    amount: Money.refine(({ minor }) => minor > 0n, 'must be positive')
      .optional()
      .describe('Left out: all that can be disputed.'),
  }),
  { reason: 'not_received', explanation: 'The parcel never came, and the shop does not answer' },
);

export const DecideCardDisputeRequest = named(
  'DecideCardDisputeRequest',
  z.strictObject({
    decision: z
      .enum(DISPUTE_DECISIONS)
      .describe('`accept` gives the money provisionally and files the claim.'),
    reason: Reason.describe('The holder can read it.'),
  }),
  { decision: 'accept', reason: 'No proof of delivery' },
);

export const CardDisputeAttachment = named(
  'CardDisputeAttachment',
  z.strictObject({ attachment_id: UploadId, dispute_id: CardDisputeId, ...fileFields('list') }),
  { attachment_id: EXAMPLE_ID, dispute_id: EXAMPLE_ID, ...fileExample },
);
export const CardDisputeAttachmentList = named(
  'CardDisputeAttachmentList',
  z.strictObject({ items: z.array(CardDisputeAttachment) }),
  { items: [] },
);

export const CardDisputeOutcome = named(
  'CardDisputeOutcome',
  z.object({
    dispute_id: CardDisputeId.describe('As in the claim.'),
    outcome: z.enum(NETWORK_OUTCOMES).describe('`won`: the network pays what is claimed.'),
  }),
  { dispute_id: EXAMPLE_ID, outcome: 'won' },
);

export const CardDisputeOutcomeAnswer = named(
  'CardDisputeOutcomeAnswer',
  z.strictObject({ dispute_id: CardDisputeId, status: z.enum(DISPUTE_STATUSES) }),
  { dispute_id: EXAMPLE_ID, status: 'won' },
);
