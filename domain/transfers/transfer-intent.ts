/** What somebody wants to pay, before anything is looked up. */
import type { AccountId } from '../ids.ts';
import type { Money } from '../money.ts';

/** Inside the bank: an account by id or number, or a customer by email or phone. Outside: an IBAN, or an account with its BIC. */
export type Destination =
  | { readonly account_id: AccountId }
  | { readonly account_number: string }
  | { readonly email: string }
  | { readonly phone: string }
  | { readonly iban: string; readonly name: string; readonly bic?: string | undefined }
  | { readonly account: string; readonly bic: string; readonly country: string; readonly name: string };

/** One of the two amounts is given: what leaves the source, or what reaches the destination. */
export interface TransferIntent {
  /** Code of a transfer type; the destination decides if there is none. */
  readonly type?: string | undefined;
  readonly source_account_id: AccountId;
  readonly destination: Destination;
  readonly amount?: Money | undefined;
  readonly target_amount?: Money | undefined;
  readonly target_currency?: string | undefined;
  readonly description: string;
}
