/** Codes for a lost authenticator, kept as keyed hashes. */
import type { EntityManager } from '@mikro-orm/postgresql';
import { sql } from 'kysely';
import type { UserId } from '../../../../domain/ids.ts';
import { bytesArray } from '../../../rows/columns.ts';
import { query } from '../../../rows/query.ts';
import { statement } from '../../../rows/statement.ts';
import { columnsOf } from '../../../rows/table-columns.ts';
import { RecoveryCode } from '../../../schema/identity.ts';

export const insertRecoveryCodes = statement({
  name: 'insertRecoveryCodes',
  takes: { ...columnsOf(RecoveryCode, 'userId'), codeMacs: bytesArray() },
  gives: {},
  sql: 'insert into recovery_codes (user_id, code_mac) select $userId, unnest($codeMacs::bytea[])',
});

/** The codes that are left for an authenticator that is on, with their rows locked. */
export const unusedRecoveryCodes = statement({
  name: 'unusedRecoveryCodes',
  takes: columnsOf(RecoveryCode, 'userId'),
  gives: columnsOf(RecoveryCode, 'id', 'codeMac'),
  sql: `
    select c.id, c.code_mac from recovery_codes c join totp_factors t on t.user_id = c.user_id
     where c.user_id = $userId and c.used_at is null and t.confirmed_at is not null for update of c`,
});

/** Uses up a code that this transaction has locked. */
export async function useUpRecoveryCode(db: EntityManager, id: string): Promise<void> {
  await query(db)
    .updateTable('recovery_codes')
    .set({ usedAt: sql<Date>`now()` })
    .where('id', '=', id)
    .execute();
}

/** Used ones too: none of them works any more. */
export async function deleteRecoveryCodes(db: EntityManager, user: UserId): Promise<void> {
  await query(db).deleteFrom('recovery_codes').where('userId', '=', user).execute();
}
