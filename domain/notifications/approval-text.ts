/** What a payer is asked to confirm, in their language: amount and payee on one line that fits a text message. */
import { formatMoney, type Money } from '../money.ts';
import type { Destination } from '../transfers/transfer-intent.ts';
import { languageOf, type Language } from './messages.ts';

const NAME_CHARACTERS = 20;
/** An IBAN has at most 34. */
const CONTACT_CHARACTERS = 56;

const WORDS = {
  en: { thousands: ',', point: '.', to: 'to' },
  de: { thousands: '.', point: ',', to: 'an' },
} as const satisfies Record<Language, object>;

/** `1,234.56 EUR to Hélène Müller, FR14…`; for a converted amount `1.00 EUR = 1.08 USD to …`. */
export function approvalText(
  {
    amount,
    target,
    payee,
  }: { readonly amount: Money; readonly target: Money | null; readonly payee: string },
  locale: string,
): string {
  const language = languageOf(locale);
  const amounts = [amount, ...(target === null ? [] : [target])];
  return `${amounts.map((money) => moneyText(money, language)).join(' = ')} ${WORDS[language].to} ${payee}`;
}

/**
 * The payee as the payer named them; `number` is that of the account which a destination names by its id. What decides who is paid
 * is shown in full, but for an email address of more than 56 characters.
 */
export function payeeText(destination: Destination, number: string): string {
  if ('account_number' in destination) return destination.account_number;
  if ('email' in destination) return shortened(destination.email, CONTACT_CHARACTERS);
  if ('phone' in destination) return destination.phone;
  if ('account_id' in destination) return number;
  const account = 'iban' in destination ? destination.iban : destination.account;
  return `${shortened(destination.name, NAME_CHARACTERS)}, ${account}`;
}

/** The merchant of a card payment as the payer reads it. */
export function merchantText(name: string): string {
  return shortened(name, NAME_CHARACTERS);
}

function moneyText(money: Money, language: Language): string {
  const { amount, currency } = formatMoney(money);
  const { thousands, point } = WORDS[language];
  const [whole = '0', fraction] = amount.split('.');
  const figures = whole.replace(/\B(?=(\d{3})+$)/g, thousands);
  return `${fraction === undefined ? figures : `${figures}${point}${fraction}`} ${currency}`;
}

/** Begin and end, so that neither the name nor the domain of an address is lost. */
function shortened(text: string, most: number): string {
  const characters = [...text];
  if (characters.length <= most) return text;
  const end = Math.floor((most - 1) / 2);
  return `${characters.slice(0, most - 1 - end).join('')}…${characters.slice(-end).join('')}`;
}
