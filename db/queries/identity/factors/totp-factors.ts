/** Authenticators of users: their sealed secrets, and the steps whose codes were taken. */
import type { EntityManager } from '@mikro-orm/postgresql';
import type { UserId } from '../../../../domain/ids.ts';
import { bigint, boolean } from '../../../rows/columns.ts';
import { query } from '../../../rows/query.ts';
import { statement } from '../../../rows/statement.ts';
import { columnsOf } from '../../../rows/table-columns.ts';
import { TotpFactor } from '../../../schema/identity.ts';

/** Begins a setup, or begins it anew while it is not confirmed. Writes no row if the authenticator is already on. */
export const storeTotpSecret = statement({
  name: 'storeTotpSecret',
  takes: columnsOf(TotpFactor, 'userId', 'sealedSecret'),
  gives: {},
  sql: `
    insert into totp_factors as t (user_id, sealed_secret) values ($userId, $sealedSecret)
    on conflict (user_id) do update set sealed_secret = excluded.sealed_secret, last_step = null, created_at = now()
    where t.confirmed_at is null`,
});

/** The secret of an authenticator that is on, or whose setup is `pending`, with the row locked. */
export const lockTotpSecret = statement({
  name: 'lockTotpSecret',
  takes: { ...columnsOf(TotpFactor, 'userId'), pending: boolean() },
  gives: columnsOf(TotpFactor, 'sealedSecret'),
  sql: 'select sealed_secret from totp_factors where user_id = $userId and (confirmed_at is null) = $pending for update',
});

/** Takes a step, which confirms a setup. Writes no row if this step, or a later one, was taken before. */
export const takeTotpStep = statement({
  name: 'takeTotpStep',
  takes: { ...columnsOf(TotpFactor, 'userId'), step: bigint() },
  gives: {},
  sql: `
    update totp_factors set last_step = $step, confirmed_at = coalesce(confirmed_at, now())
     where user_id = $userId and (last_step is null or last_step < $step)`,
});

export async function deleteTotpFactor(db: EntityManager, user: UserId): Promise<void> {
  await query(db).deleteFrom('totp_factors').where('userId', '=', user).execute();
}
