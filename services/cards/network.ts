/** Takes messages of the card network. Nothing of a number, a verification value or a proof leaves this file unhashed. */
import type { CardVault } from '../../adapters/card-vault.ts';
import type { Config } from '../../config.ts';
import { cardWithNumber, takeCardMessage } from '../../db/queries/cards/payments.ts';
import {
  ANSWER_TYPES,
  responseCode,
  type AnswerReason,
  type EntryMode,
  type Merchant,
  type MessagePurpose,
  type MessageType,
} from '../../domain/cards/payments.ts';
import { openPinBlock } from '../../domain/cards/pin-block.ts';
import { canonicalJson } from '../../domain/canonical-json.ts';
import type { Money } from '../../domain/money.ts';
import type { EntityManager } from '@mikro-orm/postgresql';
import type { Logger } from 'pino';

/** A message of the network. */
export interface NetworkMessage {
  readonly type: MessageType;
  readonly payment_id: string;
  readonly stan: string;
  readonly rrn: string;
  /** Of a reversal: which request is taken back, whether it has come or not. */
  readonly reverses?: { readonly stan: string; readonly rrn: string } | undefined;
  readonly purpose: MessagePurpose;
  readonly billing?: Money | undefined;
  readonly merchant_amount?: Money | undefined;
  readonly pan: string;
  readonly expiry?: string | undefined;
  readonly cvv?: string | undefined;
  readonly pin_block?:
    { readonly format: 0 | 4; readonly key_id: string; readonly block: string } | undefined;
  readonly merchant: Merchant;
  readonly entry_mode: EntryMode;
  readonly partial_ok: boolean;
  readonly stood_in: boolean;
  readonly proof?: string | undefined;
}

/** What the network is answered. */
export interface NetworkAnswer {
  readonly type: (typeof ANSWER_TYPES)[MessageType];
  readonly payment_id: string;
  readonly stan: string;
  readonly rrn: string;
  readonly response_code: string;
  readonly reason: AnswerReason;
  readonly approval_code: string | null;
  readonly approved: Money | null;
  /** What the account has left, if that was asked. */
  readonly balance: Money | null;
}

type Needs = {
  readonly vault: CardVault;
  readonly log: Logger;
  readonly config: Pick<
    Config,
    'CARD_CVV_TRIES' | 'CARD_CVV_LOCK_MINUTES' | 'CARD_HOLD_DAYS' | 'CARD_PIN_KEYS'
  >;
};

/** Answers a message; `content` is all that was sent, by which a repeat is told from another message with its keys. */
export async function answerMessage(
  db: EntityManager,
  message: NetworkMessage,
  content: unknown,
  { vault, config, log }: Needs,
): Promise<NetworkAnswer> {
  const { type, payment_id, stan, rrn, purpose, billing, stood_in } = message;
  const numbers = vault.indexes(message.pan);
  const pin = await pinIn(db, message, numbers, { vault, config });
  const answer = await takeCardMessage.one(db, {
    message: {
      ...{ type, payment_id, stan, rrn, purpose, stood_in, said: { ...saidIn(message, vault), ...pin } },
      reverses_stan: message.reverses?.stan ?? null,
      reverses_rrn: message.reverses?.rrn ?? null,
      amount: billing === undefined ? null : String(billing.minor),
      asset: billing?.asset ?? null,
      numbers,
      content: vault.indexes(canonicalJson(content)),
    },
    settings: {
      cvv_tries: config.CARD_CVV_TRIES,
      cvv_lock_minutes: config.CARD_CVV_LOCK_MINUTES,
      hold_days: config.CARD_HOLD_DAYS,
    },
  });
  const { reason, approvalCode, asset } = answer;
  if (answer.otherCurrency === true)
    log.error(
      { paymentId: payment_id, currency: asset, alert: 'card_advice_in_other_currency' },
      'a card payment has happened in a currency that is not its account’s; nothing of it is held',
    );
  const money = (minor: bigint | null): Money | null =>
    minor === null || asset === null ? null : { minor, asset };
  return {
    ...{ type: ANSWER_TYPES[type], payment_id, stan, rrn },
    response_code: responseCode(reason, message),
    ...{ reason, approval_code: approvalCode },
    approved: money(answer.approved),
    balance: money(answer.balance),
  };
}

/** What the database may keep of a message, under which keys its verification value is right, and which authentication its proof is of. */
function saidIn(message: NetworkMessage, vault: CardVault): Readonly<Record<string, unknown>> {
  const authentication = message.proof === undefined ? undefined : vault.proofs.read(message.proof);
  const { merchant, merchant_amount: paid, entry_mode, partial_ok, expiry, proof, cvv, pan } = message;
  return {
    ...{ merchant, entry_mode, partial_ok },
    ...(paid === undefined ? {} : { merchant_amount: { minor: String(paid.minor), asset: paid.asset } }),
    ...(expiry === undefined ? {} : { expiry }),
    ...(proof === undefined ? {} : { proof: true }),
    ...(authentication === undefined ? {} : { authentication }),
    // without the expiry that it was made of, nobody knows whether a value is right
    ...(cvv === undefined || expiry === undefined
      ? {}
      : { cvv_keys: vault.keyIds.filter((keyId) => vault.cvv(keyId, pan, expiry) === cvv) }),
  };
}

/** What the PIN of a block is under every key of the ring. A block that cannot be opened was no try: nobody knows which PIN was typed. */
async function pinIn(
  db: EntityManager,
  { pin_block: block, pan }: NetworkMessage,
  numbers: readonly string[],
  { vault, config }: Pick<Needs, 'vault' | 'config'>,
): Promise<Readonly<Record<string, unknown>>> {
  if (block === undefined) return {};
  const { card } = await cardWithNumber.one(db, { numbers });
  const key = new Map(config.CARD_PIN_KEYS.map(pinKey)).get(block.key_id);
  if (card === null || key === undefined) return { pin_unread: true };
  try {
    const pin = openPinBlock({ format: block.format, key, pan, block: block.block });
    const values = vault.pins.values(card, pin).map(({ keyId, value }) => [keyId, value.toString('hex')]);
    return { pin_values: Object.fromEntries(values) };
  } catch (error) {
    if (error instanceof TypeError) return { pin_unread: true };
    throw error;
  }
}

function pinKey(entry: string): readonly [string, string] {
  const split = entry.indexOf(':');
  return [entry.slice(0, split), entry.slice(split + 1)];
}
