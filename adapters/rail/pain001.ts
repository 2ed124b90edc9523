/** A payment as the rail takes it: ISO 20022 pain.001.001.09, customer credit transfer initiation, one payment a file. */
import { formatMoney, type Money } from '../../domain/money.ts';
import { railIdOf, type Party, type RailPayment } from '../../domain/transfers/rail.ts';
import { sepaText } from './sepa-text.ts';
import { writeXml, type Tree } from './xml.ts';

export const PAIN_001 = 'urn:iso:std:iso:20022:tech:xsd:pain.001.001.09';

/** What stands where a name has nothing that the rail can write (EPC: not provided). */
const NOT_PROVIDED = 'NOTPROVIDED';
const LONGEST_REMITTANCE = 140;
/** A name in SEPA (EPC130-08, AT-P001) and elsewhere (Max140Text). */
const LONGEST_NAME = { sepa: 70, international: 140 } as const;
/** ActiveOrHistoricCurrencyAndAmount: 18 digits, five of them after the point. */
const MOST_DIGITS = 18;
const MOST_DECIMALS = 5;

/** Who gives the file to the rail. */
export interface Initiator {
  readonly name: string;
  readonly bic: string;
}

/** The rail has no way to say this payment: asking again does not help. */
export class Unwritable extends Error {
  override readonly name = 'Unwritable';
}

/** Writes the file. Throws Unwritable where the amount is not one that the rail can say. */
export function writePain001(
  payment: RailPayment,
  file: { readonly messageId: string; readonly createdAt: Date },
  initiator: Initiator,
): Buffer {
  const id = railIdOf(payment.transferId);
  const amount = amountOf(payment.amount);
  const count: Tree = ['NbOfTxs', '1'];
  const sum: Tree = ['CtrlSum', amount];
  const name = (text: string): string => sepaText(text, LONGEST_NAME[payment.type]) || NOT_PROVIDED;
  const sepa = payment.type === 'sepa';
  const remittance = sepaText(payment.remittance, LONGEST_REMITTANCE);

  const header: Tree = [
    'GrpHdr',
    [
      ['MsgId', file.messageId],
      ['CreDtTm', file.createdAt.toISOString()],
      count,
      sum,
      ['InitgPty', [['Nm', name(initiator.name)]]],
    ],
  ];
  const transaction: Tree = [
    'CdtTrfTxInf',
    [
      [
        'PmtId',
        [
          ['InstrId', id],
          ['EndToEndId', id],
        ],
      ],
      ['Amt', [['InstdAmt', amount, { Ccy: payment.amount.asset }]]],
      payment.creditor.bic === undefined ? null : ['CdtrAgt', agent(payment.creditor.bic)],
      ['Cdtr', party(payment.creditor, name)],
      ['CdtrAcct', account(payment.creditor)],
      remittance === '' ? null : ['RmtInf', [['Ustrd', remittance]]],
    ],
  ];
  const instruction: Tree = [
    'PmtInf',
    [
      ['PmtInfId', file.messageId],
      ['PmtMtd', 'TRF'],
      count,
      sum,
      sepa ? ['PmtTpInf', [['SvcLvl', [['Cd', 'SEPA']]]]] : null,
      ['ReqdExctnDt', [['Dt', payment.executionDate]]],
      ['Dbtr', party(payment.debtor, name)],
      ['DbtrAcct', account(payment.debtor)],
      ['DbtrAgt', agent(payment.debtor.bic ?? initiator.bic)],
      // each side bears its own bank's charges; in SEPA the scheme says so
      ['ChrgBr', sepa ? 'SLEV' : 'SHAR'],
      transaction,
    ],
  ];
  return writeXml(PAIN_001, ['Document', [['CstmrCdtTrfInitn', [header, instruction]]]]);
}

function party({ name, country }: Party, written: (name: string) => string): Tree[1] {
  return [['Nm', written(name)], country === undefined ? null : ['PstlAdr', [['Ctry', country]]]];
}

function account({ iban, account: other }: Party): Tree[1] {
  return [['Id', [iban === undefined ? ['Othr', [['Id', other ?? NOT_PROVIDED]]] : ['IBAN', iban]]]];
}

function agent(bic: string): Tree[1] {
  return [['FinInstnId', [['BICFI', bic]]]];
}

function amountOf(money: Money): string {
  const { amount } = formatMoney(money);
  const [whole = '', decimals = ''] = amount.split('.');
  if (money.minor <= 0n || whole.length + decimals.length > MOST_DIGITS || decimals.length > MOST_DECIMALS)
    throw new Unwritable('the rail has no way to say this amount');
  return amount;
}
