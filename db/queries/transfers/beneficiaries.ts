/** Whom customers pay outside the bank. A row never changes: another name or number is another beneficiary. */
import type { EntityManager } from '@mikro-orm/postgresql';
import type { BeneficiaryId, UserId } from '../../../domain/ids.ts';
import { row } from '../../sql.ts';

/** A payee's details; either `iban`, or `account` where the country has no IBANs. */
export interface BeneficiaryRow {
  readonly id: BeneficiaryId;
  readonly name: string;
  readonly iban: string | null;
  readonly account: string | null;
  readonly bic: string | null;
  readonly country: string;
}

/** The user's beneficiary with these details; made where there is none. */
export async function beneficiaryOf(
  em: EntityManager,
  user: UserId,
  payee: Omit<BeneficiaryRow, 'id'>,
): Promise<BeneficiaryRow> {
  const fingerprint = [payee.country, payee.iban ?? payee.account, payee.bic ?? '', payee.name.toLowerCase()];
  const found = await row<BeneficiaryRow>(
    em,
    `with made as (
       insert into beneficiaries (user_id, name, iban, account, bic, country, fingerprint) values ($1, $2, $3, $4, $5, $6, $7)
       on conflict (user_id, fingerprint) do nothing returning id, name, iban, account, bic, country
     )
     select * from made
     union all select id, name, iban, account, bic, country from beneficiaries where user_id = $1 and fingerprint = $7
     limit 1`,
    [user, payee.name, payee.iban, payee.account, payee.bic, payee.country, fingerprint.join('|')],
  );
  // made by a call at the same moment, after this statement had begun to look
  return found ?? beneficiaryOf(em, user, payee);
}
