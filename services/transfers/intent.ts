/** From what a customer asks to what is booked: whose accounts, which type, at which price. */
import type { EntityManager } from '@mikro-orm/postgresql';
import { issuerOf } from '../../config.ts';
import { priceTransfer, type PricingCall } from '../pricing/price.ts';
import { accountsOfPayment, type AccountRow, type PayeeKey } from '../../db/queries/accounts/accounts.ts';
import { beneficiaryOf, type BeneficiaryRow } from '../../db/queries/transfers/beneficiaries.ts';
import { frozenPrice, quoteOf } from '../../db/queries/transfers/quotes.ts';
import { reachOfType } from '../../db/queries/transfers/transfer-types.ts';
import { countryOfIban, isIssuedBy } from '../../domain/standards/iban.ts';
import type { QuoteId, TransferId, UserId } from '../../domain/ids.ts';
import type { Person } from '../../domain/actor.ts';
import { transferOrder } from '../../domain/transfers/orders.ts';
import type { Price } from '../../domain/pricing/pricing.ts';
import { found } from '../../domain/refusals.ts';
import { nearestReach, reachCovers } from '../../domain/transfers/reach.ts';
import type { TransferOrder, TransferReach } from '../../domain/transfers/transfers.ts';
import type { Call } from '../callers.ts';
import type { Services } from '../services.ts';
import type { Destination, TransferIntent } from '../../domain/transfers/transfer-intent.ts';

/** Looking customers up by email or phone tells who is one, so it is counted. */
const CONTACT_LOOKUPS = { points: 60, seconds: 3_600 };

/** Where the money goes: into an account of this bank, or to somebody outside. */
type Payee =
  | { readonly account: AccountRow; readonly beneficiary: null }
  | { readonly account: null; readonly beneficiary: BeneficiaryRow };

/** A customer who asks for a transfer, now or later. */
export type Asking = Call<
  'same_account' | 'currency_mismatch' | 'transfer_type_unavailable' | 'too_many_requests'
> & { readonly actor: Person };

/** An intent with everything looked up. */
export interface Intent {
  readonly type: string;
  readonly source: AccountRow;
  readonly payee: Payee;
  /** The payee was named by email or phone. */
  readonly byContact: boolean;
  readonly targetAsset: string;
  readonly description: string;
  readonly fixed: { readonly side: 'source' | 'target'; readonly minor: bigint };
}

/**
 * Looks up both sides. What the books check anyway is refused early here: not_found, same_account, currency_mismatch,
 * transfer_type_unavailable.
 */
export async function intentOf(
  call: Asking,
  wanted: TransferIntent,
  services: Pick<Services, 'config' | 'throttles'>,
): Promise<Intent> {
  const { db, refusal } = call;
  const { source, payee } = await endsOf(call, wanted, services);
  if (source === undefined || payee === undefined) throw refusal('not_found');
  if (payee.account?.id === source.id) throw refusal('same_account');
  const targetAsset =
    payee.account?.asset ?? wanted.target_amount?.asset ?? wanted.target_currency ?? source.asset;
  const { amount, target_amount: target } = wanted;
  const isMismatch =
    (amount !== undefined && amount.asset !== source.asset) ||
    (target !== undefined && target.asset !== targetAsset) ||
    (wanted.target_currency !== undefined && wanted.target_currency !== targetAsset);
  if (isMismatch) throw refusal('currency_mismatch');
  if (wanted.type !== undefined && !(await isUsable(db, wanted.type, source, payee, targetAsset)))
    throw refusal('transfer_type_unavailable');
  return {
    type: wanted.type ?? reachOf(source, payee, targetAsset),
    source,
    payee,
    byContact: isContact(wanted.destination),
    targetAsset,
    description: wanted.description,
    fixed:
      amount === undefined
        ? { side: 'target', minor: target?.minor ?? 0n }
        : { side: 'source', minor: amount.minor },
  };
}

function reachOf(source: AccountRow, { account, beneficiary }: Payee, targetAsset: string): TransferReach {
  const reached = account === null ? beneficiary : { isOwn: account.ownerId === source.ownerId };
  return nearestReach(reached, targetAsset);
}

/** Whether a type that the caller names is there for this payee. What is chosen by the payee reaches it, so it is not read. */
async function isUsable(
  db: EntityManager,
  type: string,
  source: AccountRow,
  payee: Payee,
  targetAsset: string,
): Promise<boolean> {
  const offered = await reachOfType.first(db, { typeCode: type, asset: source.asset });
  return offered !== undefined && reachCovers(offered.reach, reachOf(source, payee, targetAsset));
}

function isContact(destination: Destination): boolean {
  return 'email' in destination || 'phone' in destination;
}

/** Both sides in one round trip, as far as they are accounts of this bank. */
async function endsOf(
  call: Asking,
  wanted: TransferIntent,
  services: Pick<Services, 'config' | 'throttles'>,
): Promise<{ readonly source: AccountRow | undefined; readonly payee: Payee | undefined }> {
  const { destination, source_account_id: id } = wanted;
  const { db, actor } = call;
  if (isContact(destination))
    await services.throttles.take(call, 'payee_by_contact', actor.id, CONTACT_LOOKUPS);
  const { payer, payee } = await accountsOfPayment(db, { id, owner: actor.id }, accountKey(destination));
  return {
    source: payer,
    payee:
      payee === undefined
        ? await beneficiaryIn(db, actor.id, destination, services.config)
        : { account: payee, beneficiary: null },
  };
}

/** Somebody outside the bank, made where there is none with these details. */
async function beneficiaryIn(
  db: EntityManager,
  user: UserId,
  destination: Destination,
  config: Services['config'],
): Promise<Payee | undefined> {
  if ('iban' in destination) {
    const { iban, name, bic } = destination;
    // what the rail is given goes to other banks
    if (isIssuedBy(issuerOf(config), iban)) return undefined;
    const details = { name, iban, account: null, bic: bic ?? null, country: countryOfIban(iban) };
    return { account: null, beneficiary: await beneficiaryOf(db, user, details) };
  }
  if (!('account' in destination)) return undefined;
  const { account: number, name, bic, country } = destination;
  const details = { name, iban: null, account: number, bic, country };
  return { account: null, beneficiary: await beneficiaryOf(db, user, details) };
}

/** How an account of this bank is found; an IBAN may be one of its own. */
function accountKey(destination: Destination): PayeeKey | null {
  if ('account_id' in destination) return { id: destination.account_id };
  if ('account_number' in destination) return { number: destination.account_number };
  if ('email' in destination) return { email: destination.email };
  if ('phone' in destination) return { phone: destination.phone };
  if ('iban' in destination) return { iban: destination.iban };
  return null;
}

/** What it costs now. Refuses: rate_unavailable. */
export function priceNow(call: PricingCall, { type, source, targetAsset, fixed }: Intent): Promise<Price> {
  const { typeId: accountTypeId, asset: sourceAsset } = source;
  return priceTransfer(call, { type, accountTypeId, sourceAsset, targetAsset, fixed });
}

/** What was quoted for this intent. Somebody else's quote is not there; one for something else cannot be used. */
export async function quotedPrice(
  { db, actor, refusal }: Call<'quote_unusable'> & { readonly actor: Person },
  id: QuoteId,
  { targetAsset, source, fixed }: Intent,
): Promise<Price> {
  const price = frozenPrice(found(await quoteOf.first(db, { id, requestedBy: actor.id })));
  const isForIt =
    price.source.asset === source.asset &&
    price.target.asset === targetAsset &&
    (fixed.side === 'source' ? price.source : price.target).minor === fixed.minor;
  if (!isForIt) throw refusal('quote_unusable');
  return price;
}

/** The order for the process. */
export function orderOf(
  id: TransferId,
  user: UserId,
  { type, source, payee, description }: Intent,
  price: Price,
  quoteId: QuoteId | undefined,
): TransferOrder {
  return transferOrder({
    id,
    user,
    type,
    source: source.id,
    payee:
      payee.account === null ? { beneficiary: payee.beneficiary } : { account: { id: payee.account.id } },
    price,
    description,
    quoteId,
  });
}
