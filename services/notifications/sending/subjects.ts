/** The values of events that are about a row: read from it when the person is told. */
import type { EntityManager } from '@mikro-orm/postgresql';
import type { Config } from '../../../config.ts';
import {
  authenticationToldOf,
  cardPaymentToldOf,
  cardToldOf,
  clearingToldOf,
  depositToldOf,
  disputeToldOf,
  expiringDocumentToldOf,
  kycToldOf,
  orderToldOf,
  paymentToldOf,
  requestToldOf,
  ticketToldOf,
} from '../../../db/queries/notifications/subjects.ts';
import type { UserId } from '../../../domain/ids.ts';
import { formatAmount, type Money } from '../../../domain/money.ts';

interface About {
  readonly subject: string;
  readonly userId: UserId;
  /** What the row was when it happened, where its type does not say it. */
  readonly state: string | null;
}

type Values = Readonly<Record<string, string>>;
type Reads = (db: EntityManager, about: About, bank: string) => Promise<Values | undefined>;

/** What is told, with its amount as a decimal and a currency. */
function withAmount<Told extends object>({
  minor,
  asset,
  ...told
}: Told & Money): Omit<Told, keyof Money> & { readonly amount: string } {
  return { ...told, amount: shown({ minor, asset }) };
}

const shown = (money: Money): string => `${formatAmount(money)} ${money.asset}`;

const payment: Reads = async (db, about, bank) => {
  const found = await paymentToldOf.first(db, about);
  if (found === undefined) return undefined;
  return withAmount({ ...found, counterparty: found.counterparty ?? bank });
};

const clearing: Reads = async (db, about) => {
  const found = await clearingToldOf.first(db, about);
  return found && withAmount(found);
};

const deposit: Reads = async (db, about) => {
  const found = await depositToldOf.first(db, about);
  return found && withAmount(found);
};

/** Of what was cleared without having been asked for, there is only the record. */
const cardPayment: Reads = async (db, about, bank) => {
  const found = await cardPaymentToldOf.first(db, about);
  return found === undefined ? clearing(db, about, bank) : withAmount(found);
};

const authentication: Reads = async (db, about) => {
  const found = await authenticationToldOf.first(db, about);
  return found && withAmount(found);
};

/** Of a card that was locked by guesses before anybody paid, there is only the authentication. */
const declined: Reads = async (db, about, bank) =>
  (await cardPayment(db, about, bank)) ?? authentication(db, about, bank);

const card: Reads = async (db, { subject, userId, state }) => {
  const found = await cardToldOf.first(db, { subject, userId });
  return found === undefined || state === null ? undefined : { ...found, state };
};

const order: Reads = async (db, { subject, userId, state }) => {
  const found = await orderToldOf.first(db, { subject, userId });
  if (found === undefined || state === null) return undefined;
  const { asset, coins, currency, money } = found;
  return { coins: shown({ minor: coins, asset }), money: shown({ minor: money, asset: currency }), state };
};

const dispute: Reads = async (db, { subject, userId, state }) => {
  const found = await disputeToldOf.first(db, { subject, userId });
  return found === undefined || state === null ? undefined : { ...withAmount(found), state };
};

/** Only what has become of it is told; the rest stands in the app. */
const kyc: Reads = async (db, { subject, userId, state }) => {
  const found = await kycToldOf.first(db, { subject, userId });
  return found === undefined || state === null ? undefined : { state };
};

const expiringDocument: Reads = async (db, about) => {
  const found = await expiringDocumentToldOf.first(db, about);
  return found && { expires_on: found.expiresOn };
};

const READS: Readonly<Record<string, Reads>> = {
  payment_sent: payment,
  payment_received: payment,
  payment_waiting: payment,
  payment_failed: payment,
  payment_returned: payment,
  card_payment: cardPayment,
  card_declined: declined,
  card_challenge: authentication,
  card_refunded: clearing,
  crypto_deposit: deposit,
  crypto_order: order,
  card_status: card,
  dispute_update: dispute,
  document_expiring: expiringDocument,
  kyc_update: kyc,
  kyb_update: kyc,
  ticket_closed: (db, about) => ticketToldOf.first(db, about),
  account_request: (db, about) => requestToldOf.first(db, about),
};

/** Undefined if this type is about no row, or if the row is not there. */
export function valuesOfSubject(
  db: EntityManager,
  typeCode: string,
  about: About,
  { BANK_NAME }: Pick<Config, 'BANK_NAME'>,
): Promise<Values | undefined> {
  return READS[typeCode]?.(db, about, BANK_NAME) ?? Promise.resolve(undefined);
}
