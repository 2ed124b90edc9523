import { z } from 'zod';
import { AUTHENTICATION_STATUSES, CHALLENGE_STATUSES } from '../../../domain/cards/authentications.ts';
import { ANSWER_REASONS, Merchant } from '../../../domain/cards/payments.ts';
import { CardAuthenticationId, CardId } from '../../../domain/ids.ts';
import { named } from '../../wire/naming.ts';
import { listOf, Money, Timestamp } from '../../wire/shapes.ts';
import { cardFields, merchantExample } from '../payments/network-schemas.ts';

const EXAMPLE_ID = '0192f0c1-3b1e-7c4e-9d5a-6f0a4c1b2d3e';
const amountExample = { amount: '49.90', currency: 'EUR' };
const Positive = Money.refine(({ minor }) => minor > 0n, 'must be positive');

export const CardAuthenticationRequest = named(
  'CardAuthenticationRequest',
  z.object({
    authentication_id: z
      .string()
      .min(1)
      .max(64)
      .describe('The network’s id of the authentication. The same request again asks how it is now.'),
    pan: cardFields.pan,
    expiry: cardFields.expiry,
    // the holder is told whom they pay
    merchant: Merchant.refine(({ name }) => name.trim() !== '', { path: ['name'], message: 'is empty' }),
    billing: Positive.describe('What will be asked for at most, in the currency of the account.'),
  }),
  {
    ...{ authentication_id: 'A-4711', pan: '9999900000000009', expiry: '11/30' },
    ...{ merchant: merchantExample, billing: amountExample },
  },
);

export const CardAuthenticationAnswer = named(
  'CardAuthenticationAnswer',
  z.strictObject({
    id: CardAuthenticationId.describe('The bank’s id, which its holder sees as that of the challenge.'),
    authentication_id: z.string(),
    status: z
      .enum(AUTHENTICATION_STATUSES)
      .describe(
        '`pending`: the holder is asked, so ask again; `expired`: the holder has not answered in time; `refused`: the card cannot pay.',
      ),
    reason: z.enum(ANSWER_REASONS).nullable().describe('Why it is refused, as a payment would be.'),
    proof: z
      .string()
      .nullable()
      .describe('Once it is authenticated: what the payment brings as its `proof`, within an hour and once.'),
  }),
  {
    ...{ id: EXAMPLE_ID, authentication_id: 'A-4711', status: 'pending' },
    ...{ reason: null, proof: null },
  },
);

export const CardChallenge = named(
  'CardChallenge',
  z.strictObject({
    id: CardAuthenticationId,
    card_id: CardId,
    last_four: z.string().describe('The last four digits of the card’s number.'),
    merchant: Merchant,
    amount: Money.describe('What the merchant can ask for at most.'),
    status: z
      .enum(CHALLENGE_STATUSES)
      .describe('`pending` until the holder approves (`authenticated`) or declines it, or time is over.'),
    expires_at: Timestamp.describe('Until when the holder can answer.'),
    decided_at: Timestamp.nullable().describe('When the holder answered.'),
    created_at: Timestamp,
  }),
  {
    ...{ id: EXAMPLE_ID, card_id: EXAMPLE_ID, last_four: '4242', merchant: merchantExample },
    ...{ amount: amountExample, status: 'pending', expires_at: '2026-11-01T09:40:00.000Z' },
    ...{ decided_at: null, created_at: '2026-11-01T09:30:00.000Z' },
  },
);
export const CardChallengeList = listOf('CardChallengeList', CardChallenge);

export const ApproveCardChallengeRequest = named(
  'ApproveCardChallengeRequest',
  z.strictObject({
    amount: Positive.describe('As in the challenge.'),
    merchant: z.string().min(1).max(100).describe('The name of the merchant, as in the challenge.'),
  }),
  { amount: amountExample, merchant: merchantExample.name },
);

export const DeclineCardChallengeRequest = named(
  'DeclineCardChallengeRequest',
  z.strictObject({
    block_card: z.boolean().default(false).describe('Blocks the card too, because somebody else has it.'),
  }),
  { block_card: true },
);
