/** The values of events that are about a row: read from it when the person is told. */
import type { EntityManager } from '@mikro-orm/postgresql';
import type { Config } from '../../../config.ts';
import {
  cardPaymentToldOf,
  cardRefundToldOf,
  cardToldOf,
  paymentToldOf,
  requestToldOf,
  ticketToldOf,
} from '../../../db/queries/notifications/subjects.ts';
import type { UserId } from '../../../domain/ids.ts';
import { formatAmount } from '../../../domain/money.ts';

interface About {
  readonly subject: string;
  readonly userId: UserId;
  /** What the row was when it happened, where its type does not say it. */
  readonly state: string | null;
}

type Values = Readonly<Record<string, string>>;
type Reads = (db: EntityManager, about: About, bank: string) => Promise<Values | undefined>;

const payment: Reads = async (db, about, bank) => {
  const found = await paymentToldOf.first(db, about);
  if (found === undefined) return undefined;
  const { minor, asset, counterparty, account } = found;
  return {
    amount: `${formatAmount({ minor, asset })} ${asset}`,
    counterparty: counterparty ?? bank,
    account,
  };
};

const cardPayment: Reads = async (db, about) => {
  const found = await cardPaymentToldOf.first(db, about);
  if (found === undefined) return undefined;
  const { minor, asset, ...told } = found;
  return { amount: `${formatAmount({ minor, asset })} ${asset}`, ...told };
};

const cardRefund: Reads = async (db, about) => {
  const found = await cardRefundToldOf.first(db, about);
  if (found === undefined) return undefined;
  const { minor, asset, ...told } = found;
  return { amount: `${formatAmount({ minor, asset })} ${asset}`, ...told };
};

const card: Reads = async (db, { subject, userId, state }) => {
  const found = await cardToldOf.first(db, { subject, userId });
  return found === undefined || state === null ? undefined : { ...found, state };
};

const READS: Readonly<Record<string, Reads>> = {
  payment_sent: payment,
  payment_received: payment,
  payment_waiting: payment,
  payment_failed: payment,
  payment_returned: payment,
  card_payment: cardPayment,
  card_declined: cardPayment,
  card_refunded: cardRefund,
  card_status: card,
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
