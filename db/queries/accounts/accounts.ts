/** Reads of customers' accounts. Owner and id together find an account: somebody else's is not there. */
import type { EntityManager } from '@mikro-orm/postgresql';
import type { AccountId, UserId } from '../../../domain/ids.ts';
import { bigCount, id, text, type RowOf } from '../../rows/columns.ts';
import { statement } from '../../rows/statement.ts';
import { columnsOf, selectList } from '../../rows/table-columns.ts';
import { Account, AccountType } from '../../schema/accounts.ts';
import { User } from '../../schema/identity.ts';

const own = {
  ...columnsOf(Account, 'id', 'iban', 'nickname', 'status', 'asset', 'posted', 'held'),
  ...columnsOf(Account, 'overdraftLimit', 'maxBalance', 'openedAt', 'closedAt'),
  ...columnsOf(Account, 'unarranged', 'unarrangedSince'),
  // only the bank's own accounts are without
  ownerId: id<UserId>(),
  number: text(),
};
const type = columnsOf(AccountType, 'id', 'code', 'name');

/** What is read of an account `a` and its type `t`. */
export const account = { ...own, typeId: type.id, typeCode: type.code, typeName: type.name };
export const ACCOUNT_COLUMNS = `${selectList(own, 'a')}, t.id as type_id, t.code as type_code, t.name as type_name`;
/** An account with its type. `overdraftLimit` is below zero where a balance must be kept, see `limitsOfAccount`. */
export type AccountRow = RowOf<typeof account>;

const SELECT = `select ${ACCOUNT_COLUMNS} from accounts a join account_types t on t.id = a.account_type_id`;

/** A page of somebody's accounts in the order of their opening, from after `after`. */
export const accountsOf = statement({
  name: 'accountsOf',
  takes: { owner: own.ownerId, after: own.id.nullable(), most: bigCount() },
  gives: account,
  sql: `${SELECT}
    where a.owner_id = $owner and a.id > coalesce($after::uuid, '00000000-0000-0000-0000-000000000000')
    order by a.id limit $most`,
});

/** One account of this owner. */
export const accountOf = statement({
  name: 'accountOf',
  takes: { id: own.id, owner: own.ownerId },
  gives: account,
  sql: `${SELECT} where a.id = $id and a.owner_id = $owner`,
});

/** One customer's account, whoever owns it. */
export const accountById = statement({
  name: 'accountById',
  takes: { id: own.id },
  gives: account,
  sql: `${SELECT} where a.id = $id`,
});

/** The account of a person that is paid into: the oldest open one of the payer's currency, else the oldest open one. */
const ofPerson = (found: string): string => `${SELECT} join users u on u.id = a.owner_id
    where ${found} and u.status = 'active' and a.status = 'open'
    order by a.asset = (select asset from accounts where id = $payer) desc, a.id limit 1`;

const accountByEmail = statement({
  name: 'accountByEmail',
  takes: { ...columnsOf(User, 'email'), payer: own.id },
  gives: account,
  sql: ofPerson('lower(u.email) = lower($email)'),
});

const accountByPhone = statement({
  name: 'accountByPhone',
  takes: { phone: text(), payer: own.id },
  gives: account,
  sql: ofPerson('u.phone = $phone and u.phone_verified_at is not null'),
});

/** How a payer names a customer's account. */
export type PayeeKey =
  | { readonly id: AccountId }
  | { readonly number: string }
  | { readonly iban: string }
  | { readonly email: string }
  | { readonly phone: string };

const payerAndPayee = statement({
  name: 'payerAndPayee',
  takes: { payer: own.id, id: own.id.nullable(), number: text().nullable(), iban: text().nullable() },
  gives: account,
  sql: `${SELECT} where a.id = $payer or a.id = $id or a.number = $number or a.iban = $iban`,
});

/**
 * The account of the payer, who must own it, and that of the payee, as far as it is a customer's; by email or phone one of that
 * person's accounts. One round trip, unless the payee is named by email or phone.
 */
export async function accountsOfPayment(
  db: EntityManager,
  from: { readonly id: AccountId; readonly owner: UserId },
  to: PayeeKey | null,
): Promise<{ readonly payer: AccountRow | undefined; readonly payee: AccountRow | undefined }> {
  if (to !== null && ('email' in to || 'phone' in to)) {
    const person =
      'email' in to
        ? accountByEmail.first(db, { ...to, payer: from.id })
        : accountByPhone.first(db, { ...to, payer: from.id });
    const [payer, payee] = await Promise.all([accountOf.first(db, from), person]);
    return { payer, payee };
  }
  const rows = await payerAndPayee.all(db, {
    ...{ payer: from.id, id: null, number: null, iban: null },
    ...to,
  });
  const isPayee = ({ id, number, iban }: AccountRow): boolean =>
    to !== null && ('id' in to ? to.id === id : 'number' in to ? to.number === number : to.iban === iban);
  return {
    payer: rows.find(({ id, ownerId }) => id === from.id && ownerId === from.owner),
    payee: rows.find(isPayee),
  };
}

/** Gives an account another nickname; null takes it away. */
export const setNickname = statement({
  name: 'setNickname',
  takes: columnsOf(Account, 'id', 'nickname'),
  gives: {},
  sql: 'update accounts set nickname = $nickname where id = $id',
});
