/** Binding quotes of transfers. */
import type { EntityManager } from '@mikro-orm/postgresql';
import type { AccountId, BeneficiaryId, QuoteId, UserId } from '../../../domain/ids.ts';
import { restoredPrice, storedPrice, type Price, type StoredPrice } from '../../../domain/pricing.ts';
import { QUOTE_SECONDS } from '../../../domain/transfers.ts';
import { row } from '../../sql.ts';

/** What a quote froze; amounts in minor units. */
export interface QuoteRow {
  readonly asset: string;
  readonly amount: string;
  readonly target_asset: string;
  readonly target_amount: string;
  readonly price: StoredPrice | null;
  readonly requires_approval: boolean;
  readonly expires_at: Date;
}

/**
 * Freezes a price, and whether it needs approval by the type's threshold of now; undefined where the type is off, not offered in
 * this currency, or does not reach there, and where a twin has frozen it.
 */
export function quoteTransfer(
  em: EntityManager,
  wanted: {
    id: QuoteId;
    requestedBy: UserId;
    type: string;
    source: AccountId;
    destination: AccountId | null;
    beneficiary: BeneficiaryId | null;
    price: Price;
  },
): Promise<{ requires_approval: boolean; expires_at: Date } | undefined> {
  const { price } = wanted;
  const stored = storedPrice(price);
  return row(
    em,
    `insert into transfer_quotes (id, requested_by, type_code, source_account_id, destination_account_id, beneficiary_id, asset, amount,
                                  target_asset, target_amount, fee_total, price, requires_approval, expires_at)
     select $1, $2, t.code, $4, $5, $6, c.asset, $8::minor, $9, $10::minor, $11::minor, $12::jsonb, $8::minor > c.approval_above,
            now() + make_interval(secs => $13)
       from transfer_types t join transfer_type_currencies c on c.type_code = t.code and c.asset = $7
      where t.code = $3 and t.enabled and (t.reach in ('own', 'internal')) = ($6::uuid is null)
     on conflict do nothing
     returning requires_approval, expires_at`,
    [
      wanted.id,
      wanted.requestedBy,
      wanted.type,
      wanted.source,
      wanted.destination,
      wanted.beneficiary,
      price.source.asset,
      price.source.minor.toString(),
      price.target.asset,
      price.target.minor.toString(),
      (price.totalDebit.minor - price.source.minor).toString(),
      stored === undefined ? null : JSON.stringify(stored),
      QUOTE_SECONDS,
    ],
  );
}

/** The price that a quote froze. */
export function frozenPrice({ amount, asset, target_amount, target_asset, price }: QuoteRow): Price {
  const target = { minor: BigInt(target_amount), asset: target_asset };
  return restoredPrice({ minor: BigInt(amount), asset }, target, price);
}

/** One quote of this user. Whether it can still be used is decided where it is used, under its lock. */
export function quoteOf(em: EntityManager, user: UserId, id: QuoteId): Promise<QuoteRow | undefined> {
  return row(
    em,
    `select asset, amount, target_asset, target_amount, price, requires_approval, expires_at from transfer_quotes where id = $1 and requested_by = $2`,
    [id, user],
  );
}
