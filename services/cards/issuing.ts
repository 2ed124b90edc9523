/** Issuing cards: for oneself, for somebody else, and in the place of one that is lost. */
import { randomInt } from 'node:crypto';
import type { EntityManager } from '@mikro-orm/postgresql';
import { z } from 'zod';
import type { CardVault } from '../../adapters/card-vault.ts';
import type { Cipher } from '../../adapters/cipher.ts';
import {
  cardOf,
  issueCard,
  kindOfProduct,
  rangeFor,
  type CardRow,
  type NumberCandidate,
} from '../../db/queries/cards/cards.ts';
import { record } from '../../db/queries/platform/audit.ts';
import { launch } from '../../db/queries/platform/outbox.ts';
import type { Actor } from '../../domain/actor.ts';
import { withCheckDigit } from '../../domain/cards/cards.ts';
import type { CardKind } from '../../domain/cards/products.ts';
import type { AccountId, CardId, CardProductId, UserId } from '../../domain/ids.ts';
import type { Money } from '../../domain/money.ts';
import { faultIn } from '../../domain/refusals.ts';
import { cardProcess } from '../../workflows/card/process.ts';
import { minorIn } from '../amounts.ts';
import type { OwnCall } from '../callers.ts';
import type { Services } from '../services.ts';

const Shipping = z.strictObject({
  line1: z.string(),
  line2: z.string().nullish(),
  postal_code: z.string(),
  city: z.string(),
  region: z.string().nullish(),
  country: z.string(),
});
/** Where a card is sent. */
export type Shipping = z.output<typeof Shipping>;

/** What the request of a card says. */
export interface CardWish {
  readonly card_product_id: CardProductId;
  readonly shipping_address?: Shipping | undefined;
  readonly merchant_id?: string | undefined;
  readonly amount?: Money | undefined;
}

export type IssueRefusal =
  'account_closed' | 'account_blocked' | 'card_product_unavailable' | 'range_exhausted';
type Needs = Pick<Services, 'cipher' | 'vault'>;

interface Issue {
  readonly id: CardId;
  readonly account: AccountId;
  readonly product: CardProductId;
  readonly replaces: CardId | null;
  readonly merchant: string | null;
  readonly singleUseAmount: bigint | null;
  readonly sealedShipping: Buffer | null;
}

/** Issues a card as the request wants it. Refuses invalid_request if something is missing that its kind needs, or is not for it. */
export async function issueAsWished(
  call: OwnCall<IssueRefusal>,
  { id, account }: Pick<Issue, 'id' | 'account'>,
  wish: CardWish,
  services: Needs,
): Promise<CardRow> {
  const { card_product_id: product, shipping_address, merchant_id, amount } = wish;
  const known = await kindOfProduct.first(call.db, { product });
  if (known === undefined) throw faultIn('/card_product_id', 'unknown', 'there is no such card product');
  requireFor(known.kind, 'physical', 'shipping_address', shipping_address, true);
  requireFor(known.kind, 'merchant_locked', 'merchant_id', merchant_id, true);
  requireFor(known.kind, 'single_use', 'amount', amount, false);
  return issue(
    call,
    {
      ...{ id, account, product, replaces: null, merchant: merchant_id ?? null },
      singleUseAmount: amount === undefined ? null : minorIn(known.asset, '/amount', amount),
      sealedShipping:
        shipping_address === undefined ? null : sealShipping(shipping_address, id, services.cipher),
    },
    services,
  );
}

function requireFor(kind: CardKind, only: CardKind, field: string, value: unknown, isNeeded: boolean): void {
  if (kind !== only && value !== undefined)
    throw faultIn(`/${field}`, 'not_for_this_kind', `is for cards of kind ${only} only`);
  if (kind === only && value === undefined && isNeeded)
    throw faultIn(`/${field}`, 'required', `is needed for a card of kind ${only}`);
}

/** Issues a card like another one in the place of `replaces`, under the newest version of the same product. */
export function issueInPlaceOf(
  call: OwnCall<IssueRefusal>,
  { id, replaces }: { readonly id: CardId; readonly replaces: CardId },
  old: CardRow,
  services: Needs,
): Promise<CardRow> {
  return issue(
    call,
    {
      ...{ id, account: old.accountId, product: old.productId, replaces, merchant: old.merchant },
      singleUseAmount: old.singleUseAmount,
      sealedShipping: shippingFor(id, old, services.cipher),
    },
    services,
  );
}

/** The address of another card, sealed for this one. */
export function shippingFor(id: CardId, old: CardRow, cipher: Cipher): Buffer | null {
  if (old.sealedShipping === null) return null;
  return sealShipping(openShipping(old.sealedShipping, old.id, cipher), id, cipher);
}

async function issue(call: OwnCall<IssueRefusal>, wanted: Issue, { vault }: Needs): Promise<CardRow> {
  const { db, actor, refusal } = call;
  const verdict = await drawn(db, wanted, vault, (numbers) =>
    issueCard.one(db, { ...wanted, ...numbers, by: actor.id }),
  );
  if (verdict !== null) throw refusal(verdict);
  return recordIssue(db, actor, wanted.id);
}

const ROUNDS = 20;

/** Numbers that a card could get, and where they are from. */
interface Numbers {
  readonly first: bigint;
  readonly candidates: readonly NumberCandidate[];
  readonly keyId: string;
}

/** Draws numbers for a new card of a product until one is free. Answers why there is no card, or null. */
export async function drawn<Verdict extends string>(
  db: EntityManager,
  card: Pick<Issue, 'id' | 'product'>,
  vault: CardVault,
  attempt: (numbers: Numbers) => Promise<{ readonly refusal: Verdict | 'number_taken' | null }>,
): Promise<Verdict | 'range_exhausted' | null> {
  for (let round = 0; round < ROUNDS; round += 1) {
    const range = await rangeFor.first(db, card);
    if (range === undefined) break;
    const candidates = candidatesIn(range, card.id, vault);
    const { refusal } = await attempt({ first: range.first, candidates, keyId: vault.keyId });
    if (refusal !== 'number_taken') return refusal;
  }
  return 'range_exhausted';
}

/** Writes into the audit log that a card was issued, and starts its process. */
export async function recordIssue(db: EntityManager, actor: Actor, id: CardId): Promise<CardRow> {
  const card = await cardOf.one(db, { id, owner: null });
  await record(db, actor, {
    action: 'card.issued',
    subject: ['card', id],
    after: {
      ...{ account_id: card.accountId, owner_id: card.ownerId, last_four: card.lastFour },
      ...{ card_product_id: card.productId, product_version: card.productVersion, replaces: card.replaces },
    },
  });
  await launch(db, cardProcess, { id, customerId: card.ownerId });
  return card;
}

/** A range of up to so many numbers is tried whole. */
const MOST_CANDIDATES = 32;
/** `randomInt` takes no larger span. */
const LARGEST_DRAW = 2 ** 48 - 1;

interface Range {
  readonly first: bigint;
  readonly last: bigint;
}

/** Numbers of a range that nobody can foresee. */
function candidatesIn({ first, last }: Range, id: CardId, vault: CardVault): NumberCandidate[] {
  const size = last - first + 1n;
  const offsets =
    size <= BigInt(MOST_CANDIDATES)
      ? shuffled(Array.from({ length: Number(size) }, (_, offset) => BigInt(offset)))
      : Array.from({ length: MOST_CANDIDATES }, () => drawBelow(size));
  return offsets.map((offset) => {
    const pan = withCheckDigit(first + offset);
    return {
      indexes: vault.indexes(pan),
      sealed: vault.seal(pan, id).toString('hex'),
      last_four: pan.slice(-4),
    };
  });
}

function drawBelow(size: bigint): bigint {
  return BigInt(randomInt(Number(size > BigInt(LARGEST_DRAW) ? BigInt(LARGEST_DRAW) : size)));
}

function shuffled(numbers: readonly bigint[]): bigint[] {
  return numbers
    .map((number) => ({ number, place: randomInt(LARGEST_DRAW) }))
    .toSorted((one, other) => one.place - other.place)
    .map(({ number }) => number);
}

const contextOf = (id: CardId): string => `card_shipping:${id}`;

function sealShipping(address: Shipping, id: CardId, cipher: Cipher): Buffer {
  return cipher.seal(Buffer.from(JSON.stringify(address)), contextOf(id));
}

/** The address as it was sealed for the card. */
export function openShipping(sealed: Uint8Array, id: CardId, cipher: Cipher): Shipping {
  return Shipping.parse(JSON.parse(cipher.open(sealed, contextOf(id)).toString()));
}

/** The customer whose card it is cannot be the administrator who acts. */
export function requireOther(call: OwnCall<'same_person'>, owner: UserId): void {
  if (owner === call.actor.id) throw call.refusal('same_person');
}
