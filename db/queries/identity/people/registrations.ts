/** Registrations: what somebody said of themselves, until the email address is proven. */
import type { EntityManager } from '@mikro-orm/postgresql';
import type { RegistrationId } from '../../../../domain/ids.ts';
import { seconds } from '../../../rows/columns.ts';
import { statement } from '../../../rows/statement.ts';
import { columnsOf } from '../../../rows/table-columns.ts';
import { Registration } from '../../../schema/identity.ts';

/** Keeps what somebody said of themselves, sealed, until the email address is proven or `lastsSeconds` are over; clears away old ones. */
export async function insertRegistration(
  db: EntityManager,
  registration: {
    readonly id: RegistrationId;
    readonly sealedApplicant: Buffer;
    readonly lastsSeconds: number;
  },
): Promise<void> {
  await clearRegistrations.run(db);
  await keepRegistration.run(db, registration);
}

const clearRegistrations = statement({
  name: 'clearRegistrations',
  gives: {},
  sql: `
    delete from registrations where id in
      (select id from registrations where expires_at < now() limit 100 for update skip locked)`,
});

const keepRegistration = statement({
  name: 'keepRegistration',
  takes: { ...columnsOf(Registration, 'id', 'sealedApplicant'), lastsSeconds: seconds() },
  gives: {},
  sql: `
    insert into registrations (id, sealed_applicant, expires_at)
    values ($id, $sealedApplicant, now() + make_interval(secs => $lastsSeconds))`,
});

/** A registration that still waits. */
export const waitingRegistration = statement({
  name: 'waitingRegistration',
  takes: columnsOf(Registration, 'id'),
  gives: columnsOf(Registration, 'sealedApplicant'),
  sql: 'select sealed_applicant from registrations where id = $id and expires_at > now()',
});

/** Takes a registration out; no row if it is unknown or has expired. */
export const takeRegistration = statement({
  name: 'takeRegistration',
  takes: columnsOf(Registration, 'id'),
  gives: columnsOf(Registration, 'sealedApplicant', 'phoneVerifiedAt'),
  sql: `
    delete from registrations where id = $id and expires_at > now()
    returning sealed_applicant, phone_verified_at`,
});
