/** 3-D Secure: whether a holder is at the other end of an online payment. */
import type { ANSWER_REASONS } from './payments.ts';

/** How an authentication is kept. `pending`: the holder is asked; a challenge that nobody has answered in time has expired. */
export const STORED_AUTHENTICATIONS = ['pending', 'authenticated', 'declined', 'refused'] as const;

/** What a holder sees of what they were asked. */
export const CHALLENGE_STATUSES = ['pending', 'authenticated', 'declined', 'expired'] as const;
export type ChallengeStatus = (typeof CHALLENGE_STATUSES)[number];

/** What the network is answered. */
export const AUTHENTICATION_STATUSES = [...CHALLENGE_STATUSES, 'refused'] as const;
export type AuthenticationStatus = (typeof AUTHENTICATION_STATUSES)[number];

/** Why one is refused: as a payment would have been declined. */
export type AuthenticationReason = (typeof ANSWER_REASONS)[number];

/** How long a merchant can wait before it asks for the money. */
export const PROOF_MINUTES = 60;
