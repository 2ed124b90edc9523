/** Movements of money below the API: customers, transfer types and payees of a test's own, and the orders that processes are started with. */
import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import { BeneficiaryId, TransferId, type AccountId, type UserId } from '../../../domain/ids.ts';
import { transferStatuses, type TransferOrder } from '../../../domain/transfers/transfers.ts';
import type { Books } from './books.ts';
import { transferType, type TypeWish } from './transfers.ts';

/** A payer with money, a payee here, a payee outside, and the orders between them. */
export interface Mover {
  readonly customer: UserId;
  readonly friend: UserId;
  readonly from: AccountId;
  readonly to: AccountId;
  readonly beneficiary: BeneficiaryId;
  /** To the friend, of the type `internal` where none is named. */
  order(minor: bigint, changes?: Partial<TransferOrder>): TransferOrder;
  /** Out of the bank. */
  outward(minor: bigint, type: string, changes?: Partial<TransferOrder>): TransferOrder;
}

export async function openMover(books: Books, funds = 10_000n): Promise<Mover> {
  const [customer, friend] = [await books.user(), await books.user()];
  const [from, to] = [await books.account(customer), await books.account(friend)];
  if (funds > 0n) await books.fund(from, funds);
  const [payee] = await books.asOwner(
    `insert into beneficiaries (user_id, name, iban, bic, country, fingerprint)
       values ($1, 'Hélène Müller & Fils', 'FR1420041010050500013M02606', 'PSSTFRPPPAR', 'FR', $2) returning id`,
    [customer, randomUUID()],
  );
  const beneficiary = BeneficiaryId.parse(payee?.['id']);
  const base = (minor: bigint) =>
    ({
      id: TransferId.parse(randomUUID()),
      kind: 'transfer',
      requestedBy: customer,
      customerId: customer,
      source: from,
      asset: 'EUR',
      amount: minor.toString(),
      description: '',
    }) as const;
  return {
    customer,
    friend,
    from,
    to,
    beneficiary,
    order: (minor, changes = {}) => ({
      ...base(minor),
      type: 'internal',
      destination: to,
      ...changes,
    }),
    outward: (minor, type, changes = {}) => ({
      ...base(minor),
      type,
      beneficiaryId: beneficiary,
      ...changes,
    }),
  };
}

/** A type that leaves the bank; its window is open at all hours, or closed until `openWindow`. */
export function railType(books: Books, wish: TypeWish = {}): Promise<string> {
  return transferType(books, { reach: 'sepa', ...wish });
}

/** From now on the rail takes payments of this type at all hours. */
export async function openWindow(books: Books, type: string): Promise<void> {
  await books.asOwner('update transfer_types set cut_off = null where code = $1', [type]);
}

/** Raises a flag of the money-laundering watch; `clearFlag` takes it down as another administrator would. */
export async function flag(books: Books, account: AccountId): Promise<void> {
  await books.asOwner(`select account_flag($1, null, 'many small credits', false)`, [account]);
}

export async function clearFlag(books: Books, account: AccountId, by: UserId): Promise<void> {
  await books.admin(['aml:review'], by);
  await books.asOwner(`select account_clear_flag($1, $2, 'invoices were shown')`, [account, by]);
}

const Look = z.object({
  status: z.enum(transferStatuses),
  failure_code: z.string().nullable(),
  return_code: z.string().nullable(),
  hold: z.string().nullable(),
  decided_by: z.string().nullable(),
  approved_by: z.string().nullable(),
  due_in: z.number().nullable(),
});

/** A transfer's row, as far as the tests of its process look at it; `due_in` are the seconds until the rail's window opens. */
export async function lookAt(books: Books, id: TransferId): Promise<z.output<typeof Look>> {
  const [row] = await books.asOwner(
    `select t.status, t.failure_code, t.return_code, h.status as hold, t.decided_by, t.approved_by,
            extract(epoch from t.due_at - now())::int as due_in
       from transfers t left join holds h on h.id = t.hold_id where t.id = $1`,
    [id],
  );
  return Look.parse(row);
}

/** What one transfer left on each side: signed minor units by role of house account, `customer` for everybody else's, per asset. */
export async function left(books: Books, id: TransferId): Promise<Record<string, string>> {
  const found = await books.asOwner(
    `select coalesce(a.role, 'customer') || ' ' || e.asset as at, sum(e.amount)::text as sum from ledger_transactions t
       join ledger_entries e on e.transaction_id = t.id join accounts a on a.id = e.account_id
      where t.source_id = $1 group by 1 having sum(e.amount) <> 0 order by 1`,
    [id],
  );
  return Object.fromEntries(found.map(({ at, sum }) => [String(at), String(sum)]));
}
