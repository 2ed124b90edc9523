/** The payments of the bank on the page of the card network: what was asked, told and taken back, and what a payment was after each. */
import type { ToldMessageRow } from '../../db/queries/cards/payments.ts';
import { formatMoney, moneyIn } from '../../domain/money.ts';
import { escapedHtml } from '../../domain/standards/html.ts';
import { table } from '../simulators/page.ts';

/** HTML of the payments, in the order of their messages. */
export function paymentsPage(messages: readonly ToldMessageRow[]): string {
  const payments = [...Map.groupBy(messages, (message) => message.networkId).values()];
  return `<h2>Payments, newest first</h2>\n${payments.map(paymentOf).join('\n') || '<p>None.</p>'}`;
}

const HEADS = ['at', 'message', 'answer', 'authorised', 'taken back', 'held', 'status'];

function paymentOf(messages: readonly ToldMessageRow[]): string {
  const [first] = messages;
  if (first === undefined) return '';
  const title = `${first.merchant.name}, card ··${first.lastFour}, payment ${first.networkId}`;
  return `<h3>${escapedHtml(title)}</h3>${table(HEADS, messages.map(cellsOf))}`;
}

function cellsOf(message: ToldMessageRow): string[] {
  const { at, asset, reason, approved, authorised, reversed, held, status } = message;
  const money = (minor: bigint): string => amountOf(minor, asset);
  const answer = reason === 'partially_approved' && approved !== null ? ` ${money(approved)}` : '';
  return [
    at.toISOString().slice(0, 19).replace('T', ' '),
    sentence(message),
    `${reason}${answer}`,
    money(authorised),
    money(reversed),
    money(held),
    status,
  ];
}

/** `asks: purchase 12.34 EUR`, `takes back 000001: 2.00 EUR`. */
function sentence(message: ToldMessageRow): string {
  const { type, stan, purpose, amount, messageAsset, stoodIn, reversesStan } = message;
  const sum = amount === null || messageAsset === null ? '' : ` ${amountOf(amount, messageAsset)}`;
  switch (type) {
    case '0100':
      return `${stan} asks: ${purpose}${sum}`;
    case '0120':
      return `${stan} tells: ${purpose}${sum}${stoodIn ? ', approved in the place of the bank' : ''}`;
    case '0420':
      return `${stan} takes back${reversesStan === null ? '' : ` ${reversesStan}`}:${sum || ' all of it'}`;
  }
}

function amountOf(minor: bigint, currency: string): string {
  const { amount } = formatMoney(moneyIn(currency)(minor));
  return `${amount} ${currency}`;
}
