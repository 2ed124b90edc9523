/** Mail that comes back, and the addresses that get no more of it. */
import type { DeliveryId, SuppressedAddressId, UserId } from '../../../domain/ids.ts';
import { bigCount, boolean, id, integer, oneOf, text, type RowOf } from '../../rows/columns.ts';
import { statement } from '../../rows/statement.ts';
import { columnsOf, nullable, selectList } from '../../rows/table-columns.ts';
import { User } from '../../schema/identity.ts';
import { Notification, SuppressedAddress } from '../../schema/notifications.ts';

const unreachable = { owner: id<UserId>(), readerLocale: text() };
/** Whoever is to be told that mail does not reach them. */
export type Unreachable = RowOf<typeof unreachable>;

/** A mail that was sent has come back. */
export const bounceDelivery = statement({
  name: 'bounceDelivery',
  takes: { id: id<DeliveryId>(), kind: oneOf(['hard', 'soft', 'refused']) },
  gives: unreachable,
  sql: 'select owner, reader_locale from delivery_bounced($id, $kind)',
});

/** The address of a delivery gets no more mail. */
export const suppressAddress = statement({
  name: 'suppressAddress',
  takes: { id: id<DeliveryId>(), reason: oneOf(['refused', 'bounced']) },
  gives: unreachable,
  sql: 'select owner, reader_locale from address_suppress($id, $reason)',
});

/** Whether an address gets no mail now. */
export const addressIsSuppressed = statement({
  name: 'addressIsSuppressed',
  takes: { address: text() },
  gives: { suppressed: boolean() },
  sql: `
    select exists (select from suppressed_addresses s
      where s.address_hash = address_hash($address) and s.lifted_at is null) as suppressed`,
});

export const emailOf = statement({
  name: 'emailOf',
  takes: { id: id<UserId>() },
  gives: columnsOf(User, 'email'),
  sql: 'select email from users where id = $id',
});

/** Erases what events held whose mail can no longer come back. */
export const eraseEvents = statement({
  name: 'eraseEvents',
  takes: { most: integer() },
  gives: { erased: bigCount() },
  sql: 'select events_erase($most) as erased',
});

const suppressed = columnsOf(
  SuppressedAddress,
  ...(['id', 'deliveryId', 'reason', 'createdAt', 'liftedAt', 'liftedBy'] as const),
);
const person = nullable({ ...columnsOf(Notification, 'userId'), ...columnsOf(User, 'email') });
const shown = { ...suppressed, ...person, typeCode: columnsOf(Notification, 'typeCode').typeCode };
/** `email` is null if the address is nobody's any more. */
export type SuppressedAddressRow = RowOf<typeof shown>;

const SELECT = `
    select ${selectList(suppressed, 's')}, n.user_id, n.type_code,
           case when address_hash(u.email) = s.address_hash then u.email end as email
      from suppressed_addresses s join notification_deliveries d on d.id = s.delivery_id
        join notifications n on n.id = d.notification_id left join users u on u.id = n.user_id`;

/** Addresses that get no mail now, newest first. */
export const pageOfSuppressed = statement({
  name: 'pageOfSuppressed',
  takes: {
    before: id<SuppressedAddressId>().nullable(),
    userId: id<UserId>().nullable(),
    most: bigCount(),
  },
  gives: shown,
  sql: `${SELECT}
     where s.lifted_at is null and ($before::uuid is null or s.id < $before) and ($userId::uuid is null or n.user_id = $userId)
     order by s.id desc limit $most`,
});

/** Lets mail go to an address again. Writes nothing if nothing keeps it. */
export const liftSuppression = statement({
  name: 'liftSuppression',
  takes: { id: id<SuppressedAddressId>(), liftedBy: id<UserId>() },
  gives: {},
  sql: 'update suppressed_addresses set lifted_at = bank_now(), lifted_by = $liftedBy where id = $id and lifted_at is null',
});

export const suppressedAddress = statement({
  name: 'suppressedAddress',
  takes: { id: id<SuppressedAddressId>() },
  gives: shown,
  sql: `${SELECT} where s.id = $id`,
});
