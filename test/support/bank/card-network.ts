/** The card network of a test: signs messages about a card and sends them to the door. */
import { createCipheriv, randomInt } from 'node:crypto';
import { z } from 'zod';
import { networkKeys, networkSignature } from '../../../adapters/card-network.ts';
import { createStorage } from '../../../adapters/storage.ts';
import { loadConfig } from '../../../config.ts';
import { ClearingWish, createClearing, type Clearing } from '../../../dev/cards/clearing.ts';
import { MERCHANT } from '../../../dev/cards/messages.ts';
import type { Bank, Person } from './bank.ts';
import { cardPlan, cvvOf, newCard, numberOf, type CardAnswer } from './cards.ts';
import { call, euro } from './accounts.ts';
import { setPin } from './pins.ts';
import { apiClient, newKey, patiently, type Answered } from '../client.ts';
import { stack } from '../stack/stack.ts';
import { until } from '../until.ts';

const DOOR = '/v1/cards/network/messages';
const [key] = networkKeys(loadConfig(stack.serviceEnv).CARD_NETWORK_KEYS);
const client = apiClient();

/** What the door answers. */
export const Answer = z.looseObject({
  type: z.string(),
  response_code: z.string(),
  reason: z.string(),
  approval_code: z.string().nullable(),
  approved: z.strictObject({ amount: z.string(), currency: z.string() }).nullable(),
});

/** A payment as its holder sees it, as far as tests look. */
export const PaymentAnswer = z.looseObject({
  id: z.uuid(),
  status: z.string(),
  authorised: z.looseObject({ amount: z.string() }),
  reversed: z.looseObject({ amount: z.string() }),
  held: z.looseObject({ amount: z.string() }),
  decline: z.looseObject({ reason: z.string(), rule: z.string() }).nullable(),
  irregularities: z.array(z.looseObject({ code: z.string() })),
});
export type PaymentAnswer = z.output<typeof PaymentAnswer>;

/** The headers and bytes of a signed message. */
export function signed(body: object, at = new Date(), [kid, secret] = key ?? ['none', Buffer.alloc(32)]) {
  const bytes = JSON.stringify(body);
  return { bytes, headers: { 'Network-Signature': networkSignature(kid, secret, bytes, at) } };
}

/** Sends a message as it is. A bank that is too busy to decide is asked again, as the network does. */
export const send = (body: object): Promise<Answered> => sendTo(DOOR, body);

/** Sends it to another door of the network. */
export const sendTo = (door: string, body: object): Promise<Answered> =>
  patiently(() => client.call('POST', door, signed(body)));

export const shop = MERCHANT;

/** A PIN as a terminal seals it: ISO 9564-1, format 0. */
export function pinBlock(pan: string, pin: string): object {
  const [entry = ''] = loadConfig(stack.serviceEnv).CARD_PIN_KEYS;
  const [key_id, hex = ''] = entry.split(':');
  const key = Buffer.from(hex + hex.slice(0, 16), 'hex');
  const field = Buffer.from(`0${pin.length.toString(16)}${pin}`.padEnd(16, 'f'), 'hex');
  const number = Buffer.from(`0000${pan.slice(-13, -1)}`, 'hex');
  const clear = Buffer.from(field.map((byte, index) => byte ^ (number[index] ?? 0)));
  const cipher = createCipheriv('des-ede3', key, null).setAutoPadding(false);
  return { format: 0, key_id, block: Buffer.concat([cipher.update(clear), cipher.final()]).toString('hex') };
}

/** A card with all that its holder knows of it, and what it has left. */
export interface Wallet {
  readonly card: CardAnswer;
  readonly holder: Person;
  readonly pan: string;
  readonly cvv: string;
  /** A message about this card; by its chip, of 10.00 EUR, unless it says otherwise. */
  message(more?: object): Record<string, unknown>;
  /** Sends such a message. */
  pay(more?: object): Promise<z.output<typeof Answer>>;
  payments(): Promise<PaymentAnswer[]>;
  /** The payment of this network id. */
  payment(networkId: string): Promise<PaymentAnswer>;
  /** Balance and what of it can be spent. */
  account(): Promise<{ readonly balance: string; readonly available: string }>;
}

export const newRrn = (): string => String(randomInt(1e9)).padStart(12, '6');
export const newStan = (): string => String(randomInt(1e9));

const Payments = z.looseObject({ items: z.array(PaymentAnswer) });
const Money = z.looseObject({ amount: z.string() });
const Account = z.looseObject({ balance: Money, available: Money });

/** A holder with a card of a product of these terms, and so much money. */
export async function newWallet(
  bank: Bank,
  terms: object = {},
  { amount = '100.00', wish = {}, holder }: { amount?: string; wish?: object; holder?: Person } = {},
): Promise<Wallet> {
  const person = holder ?? (await bank.customer());
  const { productId } = await cardPlan(bank, { limits: [], sca: { mode: 'off' }, ...terms });
  const card = await newCard(bank, person, productId, wish);
  if (amount !== '0.00') await bank.fund({ id: card.account_id, currency: 'EUR' }, amount);
  return walletOf(person, card);
}

/** Sets a PIN; what a terminal sends of it. */
export async function withPin({ holder, card, pan }: Wallet): Promise<{ readonly pin_block: object }> {
  const set = await setPin(holder, card, '4711');
  if (set.status >= 300) throw new Error(`the PIN was not set: ${set.text}`);
  return { pin_block: pinBlock(pan, '4711') };
}

/** The wallet of a card that there is. */
export async function walletOf(holder: Person, card: CardAnswer): Promise<Wallet> {
  const pan = await numberOf(holder, card);
  const { cvv } = (await cvvOf(holder, card)).as(z.object({ cvv: z.string() }));
  const message = (more: object = {}): Record<string, unknown> => ({
    ...{ type: '0100', payment_id: newKey(), stan: newStan(), rrn: newRrn(), purpose: 'purchase' },
    ...{ billing: euro('10.00'), pan, expiry: card.expiry, merchant: shop, entry_mode: 'chip' },
    ...more,
  });
  const payments = async (): Promise<PaymentAnswer[]> =>
    (await call(holder, 'GET', `/v1/cards/${card.id}/payments`)).as(Payments).items;
  return {
    ...{ card, holder, pan, cvv, message, payments },
    pay: async (more) => (await send(message(more))).as(Answer),
    async payment(networkId) {
      const found = (await payments()).find(({ payment_id: id }) => id === networkId);
      if (found === undefined) throw new Error(`there is no payment ${networkId}`);
      return found;
    },
    async account() {
      const { balance, available } = (await call(holder, 'GET', `/v1/accounts/${card.account_id}`)).as(
        Account,
      );
      return { balance: balance.amount, available: available.amount };
    },
  };
}

/** A payment that holds something. */
export async function newPayment(bank: Bank): Promise<string> {
  const { pay, payments } = await newWallet(bank);
  await pay();
  return (await payments())[0]?.id ?? '';
}

/** What the network delivers to the bank of this test. */
export function newClearing(): Clearing {
  const config = loadConfig(stack.serviceEnv);
  return createClearing(createStorage(config), config.CARD_FOLDER);
}

/** A payment of 10.00 that is cleared, and the bank's id of the file that has cleared it. */
export async function newClearedPayment(
  bank: Bank,
): Promise<{ readonly wallet: Wallet; readonly payment: PaymentAnswer; readonly fileId: string }> {
  const wallet = await newWallet(bank);
  const payment_id = newKey();
  await wallet.pay({ payment_id });
  const record = { pan: wallet.pan, payment_id, billing: euro('10.00') };
  const { file_id } = await newClearing().clear(ClearingWish.parse({ records: [record] }));
  await until(async () => (await wallet.payment(payment_id)).status === 'cleared');
  const [file] = await bank.asOwner('select id from card_files where network_id = $1', [file_id]);
  return { wallet, payment: await wallet.payment(payment_id), fileId: String(file?.['id']) };
}
