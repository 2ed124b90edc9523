/** A recipient as the payer sees them. */
import type { RecipientRow } from '../../../db/queries/transfers/recipients.ts';
import { viewOf } from '../../wire/rows.ts';
import * as wire from './schemas.ts';

const view = viewOf(wire.RecentRecipient);

export function recipientView({ own, amount: minor, asset, ...recipient }: RecipientRow) {
  return view({
    ...recipient,
    kind: own ? 'own' : recipient.beneficiaryId === null ? 'customer' : 'external',
    accountNumber: recipient.number,
    lastType: recipient.typeCode,
    lastAmount: { minor, asset },
    lastTransferId: recipient.transferId,
  });
}
