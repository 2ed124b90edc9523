/** Binding quotes of transfers. */
import type { EntityManager } from '@mikro-orm/postgresql';
import { restoredPrice, storedPrice, type Price } from '../../../domain/pricing/pricing.ts';
import { QUOTE_SECONDS } from '../../../domain/transfers/transfers.ts';
import { integer, type RowOf } from '../../rows/columns.ts';
import { statement } from '../../rows/statement.ts';
import { columnsOf, selectList } from '../../rows/table-columns.ts';
import { TransferQuote } from '../../schema/transfers.ts';

const terms = columnsOf(TransferQuote, 'requiresApproval', 'expiresAt');
/** Until when a quote binds, and whether the transfer would wait for an approval. */
export type QuoteTerms = RowOf<typeof terms>;

const wanted = columnsOf(
  TransferQuote,
  'id',
  'requestedBy',
  'typeCode',
  'sourceAccountId',
  'destinationAccountId',
  'beneficiaryId',
);
const priced = columnsOf(
  TransferQuote,
  'asset',
  'amount',
  'targetAsset',
  'targetAmount',
  'feeTotal',
  'price',
);

/** What a flag holds waits as if for an approval, so the quote of its payer says so beforehand, as it does for others. */
const FLAGGED =
  'exists (select from account_aml_flags f where f.account_id = $sourceAccountId and f.cleared_at is null)';

const insertQuote = statement({
  name: 'insertQuote',
  takes: { ...wanted, ...priced, seconds: integer() },
  gives: terms,
  sql: `
    insert into transfer_quotes (id, requested_by, type_code, source_account_id, destination_account_id, beneficiary_id, asset, amount,
                                 target_asset, target_amount, fee_total, price, requires_approval, expires_at)
    select $id, $requestedBy, t.code, $sourceAccountId, $destinationAccountId, $beneficiaryId, c.asset, $amount::minor,
           $targetAsset, $targetAmount::minor, $feeTotal::minor, $price::jsonb, $amount::minor > c.approval_above or ${FLAGGED},
           bank_now() + make_interval(secs => $seconds::integer)
      from transfer_types t join transfer_type_currencies c on c.type_code = t.code and c.asset = $asset
     where t.code = $typeCode and t.enabled
    on conflict do nothing
    returning requires_approval, expires_at`,
});

/**
 * Freezes a price, and whether it would wait: by the type's threshold of now, or because of what the payer must not know. Undefined
 * where the type is off or not offered in this currency, and where a twin has frozen it. Whether the type reaches the payee is
 * checked where the quote is used.
 */
export function quoteTransfer(
  db: EntityManager,
  asked: RowOf<typeof wanted>,
  price: Price,
): Promise<QuoteTerms | undefined> {
  return insertQuote.first(db, {
    ...asked,
    asset: price.source.asset,
    amount: price.source.minor,
    targetAsset: price.target.asset,
    targetAmount: price.target.minor,
    feeTotal: price.totalDebit.minor - price.source.minor,
    price: storedPrice(price) ?? null,
    seconds: QUOTE_SECONDS,
  });
}

const quote = {
  ...columnsOf(TransferQuote, 'asset', 'amount', 'targetAsset', 'targetAmount', 'price'),
  ...terms,
};
/** What a quote froze. */
export type QuoteRow = RowOf<typeof quote>;

/** The price that a quote froze. */
export function frozenPrice({ amount, asset, targetAmount, targetAsset, price }: QuoteRow): Price {
  return restoredPrice({ minor: amount, asset }, { minor: targetAmount, asset: targetAsset }, price);
}

/** One quote of this user. Whether it can still be used is decided where it is used, under its lock. */
export const quoteOf = statement({
  name: 'quoteOf',
  takes: columnsOf(TransferQuote, 'id', 'requestedBy'),
  gives: quote,
  sql: `select ${selectList(quote, 'q')} from transfer_quotes q where q.id = $id and q.requested_by = $requestedBy`,
});
