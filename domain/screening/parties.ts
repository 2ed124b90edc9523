/** Who is screened, and what screening says of somebody. */
import type { Explanation } from '../matching/compare.ts';
import type { ListSource } from './lists.ts';

/** Customers, whom they pay outside the bank, names on applications that differ from that of the profile, and companies. */
export const PARTY_TYPES = ['customer', 'beneficiary', 'kyc_application', 'kyb_application'] as const;
export type PartyType = (typeof PARTY_TYPES)[number];

/** Somebody as they are compared with lists. Without a kind they may be a person or a company. */
export interface PartyAsked {
  readonly kind?: 'person' | 'company';
  readonly name: string;
  /** Other names that count as much: those under which a company trades, and of the companies that own it. */
  readonly names?: readonly string[];
  readonly birth_date?: string;
}

/** An entry that somebody could be. */
export interface PartyMatch {
  /** The row of the entry. */
  readonly entry: string;
  readonly list: ListSource;
  readonly version: number;
  readonly ref: string;
  readonly programme: string | null;
  readonly reference: string | null;
  readonly score: number;
  readonly explanation: Explanation;
}

/** What a payment is booked with: what was found on the lists of an epoch, or why nothing could be. */
export type Screened =
  | { readonly epoch: string; readonly matches: readonly PartyMatch[] }
  | { readonly epoch: string; readonly failed: 'unreadable' | 'stale' };
