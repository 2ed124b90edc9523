/** Payments that leave the bank, put straight into the books: of a type whose window is always open, to a payee outside. */
import { randomUUID } from 'node:crypto';
import { BeneficiaryId, TransferId, type AccountId, type UserId } from '../../../domain/ids.ts';
import type { TransferOrder } from '../../../domain/transfers/transfers.ts';
import type { Books } from './books.ts';

export interface RailPayer {
  readonly customer: UserId;
  readonly account: AccountId;
  /** An order of so many cents; the text tells the sandbox bank what to do with it, see docs/rail.md. */
  order(minor: bigint, description?: string): TransferOrder;
}

/** Somebody with money who pays somebody in France. */
export async function openRailPayer(books: Books, funds = 1_000_000n): Promise<RailPayer> {
  const type = `sepa_${randomUUID().slice(0, 8)}`;
  await books.asOwner(
    `insert into transfer_types (code, name, reach) values ($1, 'Open at all hours', 'sepa')`,
    [type],
  );
  await books.asOwner(
    `insert into transfer_type_currencies (type_code, asset, approval_above) values ($1, 'EUR', 100000000)`,
    [type],
  );
  const customer = await books.user();
  const account = await books.account(customer);
  await books.fund(account, funds);
  const [payee] = await books.asOwner(
    `insert into beneficiaries (user_id, name, iban, bic, country, fingerprint)
     values ($1, 'Hélène Müller & Fils', 'FR1420041010050500013M02606', 'PSSTFRPPPAR', 'FR', $2) returning id`,
    [customer, randomUUID()],
  );
  const beneficiaryId = BeneficiaryId.parse(payee?.['id']);
  return {
    customer,
    account,
    order: (minor, description = 'Invoice 7') => ({
      id: TransferId.parse(randomUUID()),
      kind: 'transfer',
      type,
      requestedBy: customer,
      customerId: customer,
      source: account,
      beneficiaryId,
      asset: 'EUR',
      amount: minor.toString(),
      description,
    }),
  };
}
