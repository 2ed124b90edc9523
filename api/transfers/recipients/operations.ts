/** Whom a customer has paid. */
import { recipientsOf, type RecipientRow } from '../../../db/queries/transfers/recipients.ts';
import { TransferId } from '../../../domain/ids.ts';
import { keyset } from '../../wire/cursor.ts';
import { forUsers } from '../../declaration/operation.ts';
import * as wire from './schemas.ts';
import { recipientView } from './views.ts';

const byTransfer = keyset('recipients', TransferId, (recipient: RecipientRow) => recipient.transferId);

export const listRecentRecipients = forUsers({
  id: 'listRecentRecipients',
  area: 'Finance',
  title: 'List recent transfer recipients',
  description:
    'Each destination that the caller has paid, once, with its last payment; the one paid last first. Transfers that were refused, rejected, cancelled or expired do not count.',
  method: 'GET',
  path: '/v1/transfers/recipients',
  effect: 'read',
  query: byTransfer.query({}),
  status: 200,
  answer: wire.RecentRecipientList,
  refuses: [],
  handle: ({ caller, query, db }) =>
    byTransfer.page(
      query,
      (before, most) => recipientsOf.all(db, { customerId: caller.id, before, most }),
      recipientView,
    ),
});

/** In the order of the documentation. */
export const operations = [listRecentRecipients];
