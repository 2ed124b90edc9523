/** A recipient as the payer sees them. */
import type { z } from 'zod';
import type { RecipientRow } from '../../../db/queries/transfers/recipients.ts';
import { formatMoney } from '../../../domain/money.ts';
import type * as wire from './schemas.ts';

export function recipientView(recipient: RecipientRow): z.input<typeof wire.RecentRecipient> {
  const { own, accountId, beneficiaryId, asset } = recipient;
  return {
    kind: own ? 'own' : beneficiaryId === null ? 'customer' : 'external',
    account_id: accountId,
    beneficiary_id: beneficiaryId,
    name: recipient.name,
    account_number: recipient.number,
    iban: recipient.iban,
    bic: recipient.bic,
    country: recipient.country,
    last_type: recipient.typeCode,
    last_amount: formatMoney({ minor: recipient.amount, asset }),
    last_used_at: recipient.lastUsedAt.toISOString(),
    last_transfer_id: recipient.transferId,
  };
}
