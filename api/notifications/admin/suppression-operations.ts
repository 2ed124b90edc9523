/** Addresses that get no mail because it came back. */
import { z } from 'zod';
import { pageOfSuppressed, type SuppressedAddressRow } from '../../../db/queries/notifications/bounces.ts';
import { maskedEmail } from '../../../domain/identity/personal-data.ts';
import { DeliveryId, SuppressedAddressId, UserId } from '../../../domain/ids.ts';
import { liftAddress } from '../../../services/notifications/bounces/suppressions.ts';
import { forAdmins } from '../../declaration/operation.ts';
import { keysetById } from '../../wire/cursor.ts';
import { named } from '../../wire/naming.ts';
import { listOf, Timestamp } from '../../wire/shapes.ts';

const area = 'Admin notifications';
const byId = keysetById('suppressed-addresses', SuppressedAddressId);
const EXAMPLE_ID = '0192f0c1-3b1e-7c4e-9d5a-6f0a4c1b2d3e';

const SuppressedAddress = named(
  'SuppressedAddress',
  z.strictObject({
    id: SuppressedAddressId,
    user_id: UserId.nullable().describe('Who was written to; null for somebody without a login.'),
    email: z.string().nullable().describe('In part; null if the person has another address now.'),
    reason: z.enum(['refused', 'bounced']).describe('Refused when it was sent, or returned later.'),
    type: z.string().describe('Type of the notification that showed it.'),
    delivery_id: DeliveryId,
    created_at: Timestamp,
  }),
  {
    ...{ id: EXAMPLE_ID, user_id: EXAMPLE_ID, email: 'a•••@example.com', reason: 'bounced' as const },
    ...{ type: 'ticket_reply', delivery_id: EXAMPLE_ID, created_at: '2026-03-01T09:30:00.000Z' },
  },
);

function view({ id, userId, email, reason, typeCode, deliveryId, createdAt }: SuppressedAddressRow) {
  return {
    ...{ id, user_id: userId, reason, type: typeCode, delivery_id: deliveryId, created_at: createdAt },
    email: email === null ? null : maskedEmail(email),
  };
}

export const listSuppressedAddresses = forAdmins({
  id: 'listSuppressedAddresses',
  area,
  title: 'List suppressed addresses',
  description:
    'Email addresses that get no mail because mail to them was refused or came back, newest first. Codes are sent all the same. A person who proves an address lifts it.',
  method: 'GET',
  path: '/v1/admin/suppressed-addresses',
  effect: 'read',
  permission: 'notifications:read',
  query: byId.query({ user_id: UserId.optional() }),
  status: 200,
  answer: listOf('SuppressedAddressList', SuppressedAddress),
  refuses: [],
  beyond: true,
  handle: ({ db, query: { user_id: userId = null, ...page } }) =>
    byId.page(page, (before, most) => pageOfSuppressed.all(db, { before, most, userId }), view),
});

export const liftSuppressedAddress = forAdmins({
  id: 'liftSuppressedAddress',
  area,
  title: 'Lift suppressed address',
  description: 'Lets mail go to an address again. If it comes back, the address is suppressed again.',
  method: 'DELETE',
  path: '/v1/admin/suppressed-addresses/{id}',
  effect: 'transaction',
  permission: 'notifications:write',
  params: z.strictObject({ id: SuppressedAddressId }),
  status: 204,
  answer: null,
  refuses: [],
  beyond: true,
  async handle(request) {
    await liftAddress(request, request.params.id);
    return null;
  },
});

/** In the order of the documentation. */
export const operations = [listSuppressedAddresses, liftSuppressedAddress];
