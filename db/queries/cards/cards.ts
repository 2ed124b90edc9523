/** Cards with what their product says of them, and the functions that issue, move and show them. */
import { CARD_CLOSED_REASONS, REVEALED, type CardStatus } from '../../../domain/cards/cards.ts';
import type { ControlInForce, LimitInForce } from '../../../domain/cards/payments.ts';
import type { CardControl, CardLimit } from '../../../domain/cards/products.ts';
import type { AccountId, CardId, UserId } from '../../../domain/ids.ts';
import { bigint, bytes, id, integer, oneOf, ownJson, text, type RowOf } from '../../rows/columns.ts';
import { LAST_ID, composedStatement, narrowedTo } from '../../rows/composed.ts';
import { statement } from '../../rows/statement.ts';
import { columnsOf, selectList } from '../../rows/table-columns.ts';
import { Card, CardIinRange, CardProduct, CardProductVersion } from '../../schema/cards.ts';

const own = columnsOf(
  Card,
  'id',
  'ownerId',
  'accountId',
  'productId',
  'productVersion',
  'kind',
  'status',
  'blockedBy',
  'closedReason',
  'lastFour',
  'expiresOn',
  'replaces',
  'merchant',
  'singleUseAmount',
  'sealedShipping',
  'pinStatus',
  'createdAt',
  'activatedAt',
  'closedAt',
  'shippedAt',
);
const said = columnsOf(CardProductVersion, 'controls', 'limits');
const card = {
  ...own,
  controls: ownJson<readonly ControlInForce[]>(),
  limits: ownJson<readonly LimitInForce[]>(),
  productControls: said.controls,
  productLimits: said.limits,
  ...columnsOf(CardProduct, 'asset'),
  productCode: text(),
  productName: text(),
};
/** A card, the rules that count for it, and what the version of its product says. Amounts are minor units of `asset`. */
export type CardRow = RowOf<typeof card>;

const SELECT = `
  select ${selectList(own, 'c')}, card_controls(v.controls, t.controls) as controls,
         card_limits(v.limits, t.limits) as limits, v.controls as product_controls, v.limits as product_limits,
         p.asset, p.code as product_code, v.name as product_name
    from cards c join card_products p on p.id = c.product_id
    join card_product_versions v on v.product_id = c.product_id and v.version = c.product_version
    left join card_terms t on t.card_id = c.id`;

/** One card, of this owner if one is given. */
export const cardOf = statement({
  name: 'cardOf',
  takes: { id: own.id, owner: id<UserId>().nullable() },
  gives: card,
  sql: `${SELECT} where c.id = $id and c.owner_id = coalesce($owner, c.owner_id)`,
});

/** Which cards: what is left out is not narrowed to. From below `before`. */
export interface CardPage {
  readonly owner?: UserId | undefined;
  readonly account?: AccountId | undefined;
  readonly status?: CardStatus | undefined;
  readonly lastFour?: string | undefined;
  readonly before: CardId | null;
  readonly most: number;
}

/** A page of cards, newest first. */
export const cardsPage = composedStatement({
  name: 'cardsPage',
  gives: card,
  compose({ owner, account, status, lastFour, before, most }: CardPage, bind) {
    const narrowing = {
      'c.owner_id =': owner,
      'c.account_id =': account,
      'c.status =': status,
      'c.last_four =': lastFour,
      'c.id <': before ?? undefined,
    };
    return `${SELECT} where ${narrowedTo(narrowing, bind)} order by c.id desc limit ${bind(most)}`;
  },
  examples: [
    { before: null, most: 1 },
    {
      ...{ owner: LAST_ID as UserId, account: LAST_ID as AccountId, status: 'active', lastFour: '0000' },
      ...{ before: LAST_ID as CardId, most: 1 },
    },
  ],
});

/** A range of which a new card of the product can get a number. */
export const rangeFor = statement({
  name: 'rangeForCard',
  takes: { product: columnsOf(CardProduct, 'id').id },
  gives: columnsOf(CardIinRange, 'first', 'last'),
  sql: `
    select r.first, r.last from card_products p join card_iin_ranges r on r.payment_system_id = p.payment_system_id
     where p.id = $product and r.issued < r.last - r.first + 1 order by r.first limit 1`,
});

/** What kind of card a product is. */
export const kindOfProduct = statement({
  name: 'kindOfCardProduct',
  takes: { product: columnsOf(CardProduct, 'id').id },
  gives: columnsOf(CardProduct, 'kind', 'asset'),
  sql: 'select p.kind, p.asset from card_products p where p.id = $product',
});

/** A number that a card could get: keyed hashes and the sealed number in hex. */
export interface NumberCandidate {
  readonly indexes: readonly string[];
  readonly sealed: string;
  readonly last_four: string;
}

/** Why a card is not issued. */
export const ISSUE_VERDICTS = [
  'not_found',
  'account_closed',
  'account_blocked',
  'card_product_unavailable',
  'range_exhausted',
  'number_taken',
] as const;

/** Issues a card, or says why not. */
export const issueCard = statement({
  name: 'issueCard',
  takes: {
    ...columnsOf(Card, 'id', 'merchant', 'singleUseAmount', 'sealedShipping', 'replaces'),
    account: id<AccountId>(),
    product: columnsOf(CardProduct, 'id').id,
    first: bigint(),
    candidates: ownJson<readonly NumberCandidate[]>(),
    keyId: text(),
    by: id<UserId>(),
  },
  gives: {
    refusal: oneOf(ISSUE_VERDICTS).nullable(),
  },
  sql: `
    select card_issue($id, $account, $product, $replaces, $merchant, $singleUseAmount, $sealedShipping, $first, $candidates,
                      $keyId, $by) as refusal`,
});

/** What can be done to a card. */
export const CARD_MOVES = ['activate', 'block', 'unblock', 'close'] as const;

/** Moves a card, or says why not. A card is closed for `reason`; null names the side that closes it. */
export const moveCard = statement({
  name: 'moveCard',
  takes: {
    id: own.id,
    move: oneOf(CARD_MOVES),
    by: id<UserId>(),
    reason: oneOf(CARD_CLOSED_REASONS).nullable(),
  },
  gives: { refusal: oneOf(['not_found', 'card_closed', 'blocked_by_bank', 'card_inactive']).nullable() },
  sql: 'select card_move($id, $move, $by, $reason) as refusal',
});

/** Marks a card as damaged, or says why not. It works until one that follows it is activated. */
export const damageCard = statement({
  name: 'damageCard',
  takes: { id: own.id, by: id<UserId>() },
  gives: { refusal: oneOf(['not_found', 'card_closed', 'blocked_by_bank']).nullable() },
  sql: 'select card_damage($id, $by) as refusal',
});

/** Damaged cards that are closed when this one is activated. */
export const damagedBefore = statement({
  name: 'damagedBefore',
  takes: { id: own.id },
  gives: card,
  sql: `${SELECT} where c.id in (select d.id from cards n cross join lateral card_damaged_before(n) d where n.id = $id)`,
});

/** Sets what the holder wants beside the product; null leaves it as it is. */
export const setCardTerms = statement({
  name: 'setCardTerms',
  takes: {
    id: own.id,
    by: id<UserId>(),
    controls: ownJson<readonly CardControl[]>().nullable(),
    limits: ownJson<readonly CardLimit[]>().nullable(),
  },
  gives: { refusal: oneOf(['not_found', 'card_closed']).nullable() },
  sql: 'select card_set_terms($id, $by, $controls, $limits) as refusal',
});

/** The sealed number for its holder, who is written down; or why not. */
export const revealCard = statement({
  name: 'revealCard',
  takes: {
    id: own.id,
    person: id<UserId>(),
    what: oneOf(REVEALED),
    requestId: text().nullable(),
    address: text().nullable(),
  },
  gives: {
    sealedNumber: bytes().nullable(),
    keyId: text().nullable(),
    refusal: oneOf(['not_found', 'card_closed', 'too_many_requests']).nullable(),
    retrySeconds: integer().nullable(),
  },
  sql: `
    select sealed_number, key_id, refusal, retry_seconds from card_reveal($id, $person, $what, $requestId, $address)`,
});
