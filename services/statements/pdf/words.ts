/** The words of a printed statement in the languages of the bank, and how days and amounts are written in them. */
import type { StatementRow } from '../../../db/queries/statements/lines.ts';

export interface Words {
  readonly language: string;
  readonly statement: string;
  readonly owner: string;
  readonly account: string;
  readonly accountType: string;
  readonly period: string;
  readonly asOf: string;
  readonly opening: string;
  readonly closing: string;
  readonly credits: string;
  readonly debits: string;
  readonly booked: string;
  readonly valued: string;
  readonly details: string;
  readonly debit: string;
  readonly credit: string;
  readonly balance: string;
  readonly forward: string;
  readonly page: string;
  readonly end: string;
  readonly nothing: string;
  readonly pending: string;
  readonly transliterated: string;
  readonly kinds: Readonly<Record<string, string>>;
  readonly fee: string;
  readonly at: string;
  day(iso: string): string;
  amount(decimal: string): string;
}

const english: Words = {
  language: 'en',
  statement: 'Account statement',
  owner: 'Account holder',
  account: 'Account',
  accountType: 'Product',
  period: 'Period',
  asOf: 'As of',
  opening: 'Opening balance',
  closing: 'Closing balance',
  credits: 'Money in',
  debits: 'Money out',
  booked: 'Booked',
  valued: 'Value',
  details: 'Details',
  debit: 'Debit',
  credit: 'Credit',
  balance: 'Balance',
  forward: 'Balance brought forward',
  page: 'Page',
  end: 'End of the statement',
  nothing: 'Nothing was booked in this period.',
  pending: 'Card payments that are held and not booked yet: they may still change',
  transliterated:
    'Text in ‹ › is in a script that cannot be printed here and stands in Latin letters; □ is a sign without any. The other formats of this statement hold the original.',
  kinds: {
    transfer: 'Transfer',
    adjustment: 'Adjustment',
    reversal: 'Reversal',
    settlement: 'Settlement',
    return: 'Returned transfer',
    account_fee: 'Account fee',
    card_purchase: 'Card payment',
    card_cash: 'Cash withdrawal',
    card_refund: 'Card refund',
    dispute_credit: 'Disputed card payment, credited for now',
    dispute_reversal: 'Disputed card payment, credit taken back',
  },
  fee: 'Fee',
  at: 'at',
  day: (iso) => iso,
  amount: (decimal) => grouped(decimal, ',', '.'),
};

const german: Words = {
  language: 'de',
  statement: 'Kontoauszug',
  owner: 'Kontoinhaber',
  account: 'Konto',
  accountType: 'Produkt',
  period: 'Zeitraum',
  asOf: 'Stand',
  opening: 'Anfangssaldo',
  closing: 'Endsaldo',
  credits: 'Eingänge',
  debits: 'Ausgänge',
  booked: 'Buchung',
  valued: 'Wert',
  details: 'Vorgang',
  debit: 'Soll',
  credit: 'Haben',
  balance: 'Saldo',
  forward: 'Saldovortrag',
  page: 'Seite',
  end: 'Ende des Auszugs',
  nothing: 'In diesem Zeitraum wurde nichts gebucht.',
  pending: 'Kartenzahlungen, die vorgemerkt und noch nicht gebucht sind: sie können sich noch ändern',
  transliterated:
    'Text in ‹ › ist in einer Schrift, die hier nicht gedruckt werden kann, und steht in lateinischen Buchstaben; □ ist ein Zeichen ohne solche. Die anderen Formate dieses Auszugs enthalten das Original.',
  kinds: {
    transfer: 'Überweisung',
    adjustment: 'Korrektur',
    reversal: 'Storno',
    settlement: 'Abrechnung',
    return: 'Rücküberweisung',
    account_fee: 'Kontogebühr',
    card_purchase: 'Kartenzahlung',
    card_cash: 'Bargeldabhebung',
    card_refund: 'Kartenerstattung',
    dispute_credit: 'Reklamierte Kartenzahlung, vorläufig gutgeschrieben',
    dispute_reversal: 'Reklamierte Kartenzahlung, Gutschrift zurückgebucht',
  },
  fee: 'Entgelt',
  at: 'zu',
  day: (iso) => iso.split('-').toReversed().join('.'),
  amount: (decimal) => grouped(decimal, '.', ','),
};

/** German for whoever reads German, English for everybody else. */
export function wordsFor(locale: string): Words {
  return locale.toLowerCase().startsWith('de') ? german : english;
}

/** What a line is about where there is no name on the other side. */
export function kindOf({ kind, part }: Pick<StatementRow, 'kind' | 'part'>, words: Words): string {
  return part === 'principal' ? (words.kinds[kind] ?? kind) : words.fee;
}

/** With a true minus sign, which is as wide as a figure. */
function grouped(decimal: string, thousands: string, point: string): string {
  const [whole = '0', fraction] = decimal.replace('-', '').split('.');
  const sign = decimal.startsWith('-') ? '\u2212' : '';
  const figures = whole.replace(/\B(?=(\d{3})+$)/g, thousands);
  return sign + (fraction === undefined ? figures : `${figures}${point}${fraction}`);
}
