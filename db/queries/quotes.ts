/** Binding quotes of transfers. */
import type { EntityManager } from '@mikro-orm/postgresql';
import type { AccountId, QuoteId, UserId } from '../../domain/ids.ts';
import type { Money } from '../../domain/money.ts';
import { QUOTE_SECONDS } from '../../domain/transfers.ts';
import { row } from '../sql.ts';

/** Freezes a quote by the type's threshold of now; undefined where the type is off or not offered in this currency. */
export function quoteTransfer(
  em: EntityManager,
  wanted: {
    id: QuoteId;
    requestedBy: UserId;
    type: string;
    source: AccountId;
    destination: AccountId;
    amount: Money;
  },
): Promise<{ requires_approval: boolean; expires_at: Date } | undefined> {
  return row(
    em,
    `insert into transfer_quotes (id, requested_by, type_code, source_account_id, destination_account_id, asset, amount, requires_approval, expires_at)
     select $1, $2, t.code, $4, $5, c.asset, $7::minor, $7::minor > c.approval_above, now() + make_interval(secs => $8)
       from transfer_types t join transfer_type_currencies c on c.type_code = t.code and c.asset = $6
      where t.code = $3 and t.enabled
     returning requires_approval, expires_at`,
    [
      wanted.id,
      wanted.requestedBy,
      wanted.type,
      wanted.source,
      wanted.destination,
      wanted.amount.asset,
      wanted.amount.minor.toString(),
      QUOTE_SECONDS,
    ],
  );
}
