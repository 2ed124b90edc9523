/** Whom a customer has paid. */
import { z } from 'zod';
import { recipientsOf } from '../../../db/queries/transfers/recipients.ts';
import { TransferId } from '../../../domain/ids.ts';
import { keyset } from '../../wire/cursor.ts';
import { forUsers } from '../../declaration/operation.ts';
import { pageQuery } from '../../wire/shapes.ts';
import * as wire from './schemas.ts';
import { recipientView } from './views.ts';

const byTransfer = keyset<TransferId>('recipients', TransferId);

export const listRecentRecipients = forUsers({
  id: 'listRecentRecipients',
  area: 'Finance',
  title: 'List recent transfer recipients',
  description:
    'Each destination once, the one paid last first. Destinations of transfers that were not refused, rejected, cancelled or expired; each once, with its last payment.',
  method: 'GET',
  path: '/v1/transfers/recipients',
  effect: 'read',
  query: z.strictObject(pageQuery(byTransfer)),
  status: 200,
  answer: wire.RecentRecipientList,
  refuses: [],
  async handle({ caller, query, db }) {
    const found = await recipientsOf.all(db, {
      customerId: caller.id,
      before: query.cursor ?? null,
      most: query.limit + 1,
    });
    return byTransfer.page(found, query.limit, (recipient) => recipient.transferId, recipientView);
  },
});

/** In the order of the documentation. */
export const operations = [listRecentRecipients];
