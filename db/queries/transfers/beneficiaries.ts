/** Whom customers pay outside the bank. A row never changes: another name or number is another beneficiary. */
import type { EntityManager } from '@mikro-orm/postgresql';
import type { UserId } from '../../../domain/ids.ts';
import type { RowOf } from '../../rows/columns.ts';
import { statement } from '../../rows/statement.ts';
import { columnsOf, selectList } from '../../rows/table-columns.ts';
import { Beneficiary } from '../../schema/transfers.ts';

const { id, ...details } = columnsOf(Beneficiary, 'id', 'name', 'iban', 'account', 'bic', 'country');
const beneficiary = { id, ...details };
/** A payee's details; either `iban`, or `account` where the country has no IBANs. */
export type BeneficiaryRow = RowOf<typeof beneficiary>;

const findOrInsertBeneficiary = statement({
  name: 'findOrInsertBeneficiary',
  takes: { ...columnsOf(Beneficiary, 'userId', 'fingerprint'), ...details },
  gives: beneficiary,
  sql: `
    with made as (
      insert into beneficiaries as b (user_id, name, iban, account, bic, country, fingerprint)
      values ($userId, $name, $iban, $account, $bic, $country, $fingerprint)
      on conflict (user_id, fingerprint) do nothing returning ${selectList(beneficiary, 'b')}
    )
    select * from made
    union all
    select ${selectList(beneficiary, 'b')} from beneficiaries b where b.user_id = $userId and b.fingerprint = $fingerprint
    limit 1`,
});

/** The user's beneficiary with these details; made where there is none. */
export async function beneficiaryOf(
  db: EntityManager,
  userId: UserId,
  payee: Omit<BeneficiaryRow, 'id'>,
): Promise<BeneficiaryRow> {
  const fingerprint = [
    payee.country,
    payee.iban ?? payee.account,
    payee.bic ?? '',
    payee.name.toLowerCase(),
  ].join('|');
  const found = await findOrInsertBeneficiary.first(db, { ...payee, userId, fingerprint });
  // made by a call at the same moment, after this statement had begun to look
  return found ?? beneficiaryOf(db, userId, payee);
}
