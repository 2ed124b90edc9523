/** A recipient as the payer sees them. */
import type { z } from 'zod';
import type { RecipientRow } from '../../db/queries/transfers/recipients.ts';
import { formatMoney } from '../../domain/money.ts';
import type * as wire from './schemas.ts';

export function recipientView(recipient: RecipientRow): z.input<typeof wire.RecentRecipient> {
  const { own, account_id, beneficiary_id, asset } = recipient;
  return {
    kind: own ? 'own' : beneficiary_id === null ? 'customer' : 'external',
    account_id,
    beneficiary_id,
    name: recipient.name,
    account_number: recipient.number,
    iban: recipient.iban,
    bic: recipient.bic,
    country: recipient.country,
    last_type: recipient.type_code,
    last_amount: formatMoney({ minor: BigInt(recipient.amount), asset }),
    last_used_at: recipient.last_used_at.toISOString(),
    last_transfer_id: recipient.transfer_id,
  };
}
