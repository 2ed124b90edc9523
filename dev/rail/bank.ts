/** What a bank would answer to a payment file: a clearing house that settles, refuses or returns as the remittance text asks. */
import { readXml, writeXml, type Reading, type Tree } from '../../adapters/rail/xml.ts';

/** How a payment is answered: `sandbox: return AC04` in its remittance text, see docs/rail.md. */
const BEHAVIOURS = ['settle', 'reject', 'return', 'return-late', 'twice', 'unordered', 'silent'] as const;
export type Behaviour = (typeof BEHAVIOURS)[number];

const WISH = /sandbox: ?([a-z-]+)(?: ([A-Z]{2}[A-Z0-9]{2}))?/i;
/** ISO 20022: closed account. */
const USUAL_REASON = 'AC04';

/** A payment as the file says it. */
export interface Order {
  readonly messageId: string;
  /** When the payment's bank made the file, by that bank's clock. */
  readonly createdAt: Date;
  readonly endToEndId: string;
  readonly amount: string;
  readonly currency: string;
  readonly debtorAccount: Tree;
  readonly behaviour: Behaviour;
  readonly reason: string;
}

/** A file that the bank will send. */
export interface Answer {
  /** Seconds after the payment was taken. */
  readonly after: number;
  readonly name: string;
  readonly xml: string;
}

export interface Delays {
  readonly acceptSeconds: number;
  readonly settleSeconds: number;
}

/** Reads a pain.001.001.09 with one payment. Throws where it is none. */
export function readOrder(bytes: Buffer): Order {
  return readXml(bytes, ['urn:iso:std:iso:20022:tech:xsd:pain.001.001.09'], (root) => {
    const instruction = 'CstmrCdtTrfInitn/PmtInf';
    const payment = `${instruction}/CdtTrfTxInf`;
    const [, wish = '', reason = USUAL_REASON] = WISH.exec(root.text(`${payment}/RmtInf/Ustrd`) ?? '') ?? [];
    return {
      messageId: root.needed('CstmrCdtTrfInitn/GrpHdr/MsgId'),
      createdAt: new Date(root.needed('CstmrCdtTrfInitn/GrpHdr/CreDtTm')),
      endToEndId: root.needed(`${payment}/PmtId/EndToEndId`),
      amount: root.needed(`${payment}/Amt/InstdAmt`),
      currency: root.attribute(`${payment}/Amt/InstdAmt`, 'Ccy') ?? '',
      debtorAccount: accountOf(root, `${instruction}/DbtrAcct/Id`),
      behaviour: BEHAVIOURS.find((known) => known === wish.toLowerCase()) ?? 'settle',
      reason: reason.toUpperCase(),
    };
  });
}

function accountOf(root: Reading, path: string): Tree {
  const iban = root.text(`${path}/IBAN`);
  return ['Id', [iban === undefined ? ['Othr', [['Id', root.needed(`${path}/Othr/Id`)]]] : ['IBAN', iban]]];
}

/** All that the bank will say to it. */
export function answersTo(order: Order, { acceptSeconds, settleSeconds }: Delays, at: Date): Answer[] {
  const file = (after: number, kind: 'ACC' | 'RJC' | 'STL' | 'RTN', copy = ''): Answer => ({
    after,
    name: `${kind}${order.endToEndId}${copy}.xml`,
    // as the bank's clock will show it then
    xml: write(order, kind, new Date(at.getTime() + after * 1_000)),
  });
  const accepted = file(acceptSeconds, 'ACC');
  const settled = file(settleSeconds, 'STL');
  switch (order.behaviour) {
    case 'settle':
      return [accepted, settled];
    case 'reject':
      return [file(acceptSeconds, 'RJC')];
    case 'return':
      return [accepted, file(settleSeconds, 'RTN')];
    case 'return-late':
      return [accepted, settled, file(settleSeconds * 2, 'RTN')];
    case 'twice':
      return [
        accepted,
        { ...accepted, name: `again-${accepted.name}` },
        settled,
        { ...settled, name: `again-${settled.name}` },
      ];
    case 'unordered':
      return [
        { ...settled, after: acceptSeconds },
        { ...accepted, after: settleSeconds },
      ];
    case 'silent':
      return [];
  }
}

function write(order: Order, kind: 'ACC' | 'RJC' | 'STL' | 'RTN', at: Date): string {
  const messageId = `${kind}${order.endToEndId}`;
  const header: Tree = [
    'GrpHdr',
    [
      ['MsgId', messageId],
      ['CreDtTm', at.toISOString()],
    ],
  ];
  const [namespace, tree] =
    kind === 'ACC' || kind === 'RJC'
      ? (['pain.002.001.10', statusReport(order, kind === 'ACC', header)] as const)
      : (['camt.054.001.08', notification(order, kind === 'STL', header, messageId, at)] as const);
  return writeXml(`urn:iso:std:iso:20022:tech:xsd:${namespace}`, ['Document', [tree]]).toString();
}

function statusReport(order: Order, accepted: boolean, header: Tree): Tree {
  const transaction: Tree = [
    'TxInfAndSts',
    [
      ['OrgnlEndToEndId', order.endToEndId],
      ['TxSts', accepted ? 'ACSP' : 'RJCT'],
      accepted ? null : ['StsRsnInf', [['Rsn', [['Cd', order.reason]]]]],
      ['OrgnlTxRef', [['Amt', [['InstdAmt', order.amount, { Ccy: order.currency }]]]]],
    ],
  ];
  const group: Tree = [
    'OrgnlGrpInfAndSts',
    [
      ['OrgnlMsgId', order.messageId],
      ['OrgnlMsgNmId', 'pain.001.001.09'],
    ],
  ];
  const instruction: Tree = ['OrgnlPmtInfAndSts', [['OrgnlPmtInfId', order.messageId], transaction]];
  return ['CstmrPmtStsRpt', [header, group, instruction]];
}

function notification(order: Order, settled: boolean, header: Tree, id: string, at: Date): Tree {
  const amount: Tree = ['Amt', order.amount, { Ccy: order.currency }];
  const direction: Tree = ['CdtDbtInd', settled ? 'DBIT' : 'CRDT'];
  const detail: Tree = [
    'TxDtls',
    [
      ['Refs', [['EndToEndId', order.endToEndId]]],
      amount,
      direction,
      settled ? null : ['RtrInf', [['Rsn', [['Cd', order.reason]]]]],
    ],
  ];
  const code: Tree = [
    'BkTxCd',
    [
      [
        'Domn',
        [
          ['Cd', 'PMNT'],
          [
            'Fmly',
            [
              ['Cd', settled ? 'ICDT' : 'RCDT'],
              ['SubFmlyCd', settled ? 'ESCT' : 'RRTN'],
            ],
          ],
        ],
      ],
    ],
  ];
  const entry: Tree = [
    'Ntry',
    [
      ['NtryRef', id],
      amount,
      direction,
      ['Sts', [['Cd', 'BOOK']]],
      ['BookgDt', [['Dt', at.toISOString().slice(0, 10)]]],
      code,
      ['NtryDtls', [detail]],
    ],
  ];
  const account: Tree = ['Acct', [order.debtorAccount]];
  return [
    'BkToCstmrDbtCdtNtfctn',
    [header, ['Ntfctn', [['Id', id], ['CreDtTm', at.toISOString()], account, entry]]],
  ];
}
