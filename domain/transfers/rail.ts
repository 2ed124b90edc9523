/** What the payment rail is told and what it tells: payments that leave the bank, and reports on what became of them. */
import type { TransferId } from '../ids.ts';
import type { Money } from '../money.ts';

/** Which rail carries it. */
export const railTypes = ['sepa', 'international'] as const;
export type RailType = (typeof railTypes)[number];

/** One side of a payment. Either `iban`, or `account` where the country has no IBAN. */
export interface Party {
  readonly name: string;
  readonly iban?: string;
  readonly account?: string;
  readonly bic?: string;
  /** ISO 3166-1 alpha-2. */
  readonly country?: string;
}

/** A payment as it is given to the rail; `transferId` makes a repeat the same payment. */
export interface RailPayment {
  readonly transferId: TransferId;
  readonly type: RailType;
  readonly amount: Money;
  readonly debtor: Party;
  readonly creditor: Party;
  /** What the payee reads. */
  readonly remittance: string;
  /** ISO 8601 day. */
  readonly executionDate: string;
}

export const railReportKinds = ['accepted', 'rejected', 'settled', 'returned'] as const;
export type RailReportKind = (typeof railReportKinds)[number];

/**
 * What the rail says of one payment. `accepted`: taken, on its way. `rejected`: not taken, nothing has moved. `settled`: the
 * money has gone. `returned`: the money has come back, also after it was settled. Reports may come twice and in any order.
 */
export type RailReport = {
  /** Unique in the rail's whole life: the file's message id and the report's place in the file. */
  readonly messageId: string;
  readonly transferId: TransferId;
  /** RFC 3339: when the rail made it. */
  readonly at: string;
} & (
  | { readonly kind: 'accepted' | 'settled' }
  /** An ISO 20022 external reason code, such as AC04 (account closed). */
  | { readonly kind: 'rejected' | 'returned'; readonly code: string }
);

/** The longest id ISO 20022 takes (Max35Text); a UUID with its hyphens has 36. */
export const MAX_RAIL_ID = 35;

/** A transfer's id as the rail carries it: 32 hexadecimal digits. */
export function railIdOf(id: TransferId): string {
  return id.replaceAll('-', '');
}

/** The UUID in an id of the rail; undefined where it is none of ours. Whether there is such a transfer is another question. */
export function uuidOfRailId(text: string): string | undefined {
  const match = /^([0-9a-f]{8})([0-9a-f]{4})([0-9a-f]{4})([0-9a-f]{4})([0-9a-f]{12})$/.exec(text);
  return match?.slice(1).join('-');
}
