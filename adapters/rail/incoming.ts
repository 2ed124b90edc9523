/**
 * What the rail sends, read: pain.002.001.10 (payment status report: accepted or rejected) and camt.054.001.08 (debit and credit
 * notification: settled or returned). A file is taken whole or not at all: whatever is not understood is for people to look at.
 */
import { parseMoney, type Money } from '../../domain/money.ts';
import { MAX_RAIL_ID, uuidOfRailId, type RailReportKind } from '../../domain/transfers/rail.ts';
import { FileFault, readXml, type Reading } from './xml.ts';

export const PAIN_002 = 'urn:iso:std:iso:20022:tech:xsd:pain.002.001.10';
export const CAMT_054 = 'urn:iso:std:iso:20022:tech:xsd:camt.054.001.08';

/** A report as the file says it: nobody has looked yet whether there is such a payment. */
export interface IncomingReport {
  readonly messageId: string;
  /** A UUID. */
  readonly transferId: string;
  readonly at: string;
  readonly kind: RailReportKind;
  /** Where it was rejected or returned. */
  readonly code: string | null;
  /** Where the file says it. */
  readonly amount: Money | null;
}

/** What the rail said, without its place in the file. */
type Said = Pick<IncomingReport, 'transferId' | 'kind' | 'code' | 'amount'>;

/** ISO 20022's own code for a reason that is not given: narrative. */
const NO_REASON = 'NARR';

/**
 * ISO 20022: duplicate message, instruction, transaction or payment. Such a rejection may be the answer to a file that was
 * delivered a second time after a crash, and the first one paid: giving the money back would give it twice.
 */
const DUPLICATE = /^(DU0[1-5]|DUPL|AM05)$/;

/** Reads a file. Throws FileFault where it is none of the two, or says anything that is not about one of our payments. */
export function readIncoming(bytes: Buffer): IncomingReport[] {
  return readXml(bytes, [PAIN_002, CAMT_054], (root, namespace) => {
    const [kind, header, said] =
      namespace === PAIN_002
        ? (['pain.002', 'CstmrPmtStsRpt/GrpHdr', statuses(root)] as const)
        : (['camt.054', 'BkToCstmrDbtCdtNtfctn/GrpHdr', movements(root)] as const);
    if (said.length === 0) throw new FileFault('it reports nothing');
    const id = identifier(root.needed(`${header}/MsgId`));
    const at = moment(root.needed(`${header}/CreDtTm`));
    return said.map((one, place) => ({ ...one, messageId: `${kind}/${id}/${place + 1}`, at }));
  });
}

function statuses(root: Reading): Said[] {
  const [report] = root.all('CstmrPmtStsRpt');
  if (report === undefined) throw new FileFault('CstmrPmtStsRpt is missing');
  const transactions = report.all('OrgnlPmtInfAndSts/TxInfAndSts');
  if (transactions.length > 0) return transactions.map(statusOfTransaction);
  // our files hold one payment each, so what is said of the file is said of it
  const transferId = ours(report.needed('OrgnlGrpInfAndSts/OrgnlMsgId'));
  const status = report.needed('OrgnlGrpInfAndSts/GrpSts');
  return [{ transferId, ...verdict(status, report.all('OrgnlGrpInfAndSts/StsRsnInf')), amount: null }];
}

function statusOfTransaction(transaction: Reading): Said {
  return {
    transferId: ours(transaction.needed('OrgnlEndToEndId')),
    ...verdict(transaction.needed('TxSts'), transaction.all('StsRsnInf')),
    amount: money(transaction, 'OrgnlTxRef/Amt/InstdAmt'),
  };
}

/** ISO 20022 external payment transaction and group status codes. Settled is what the account's notification says, nothing else. */
function verdict(status: string, reasons: readonly Reading[]): Pick<Said, 'kind' | 'code'> {
  switch (status) {
    case 'RCVD':
    case 'PDNG':
    case 'ACTC':
    case 'ACCP':
    case 'ACSP':
    case 'ACSC':
    case 'ACWC':
    case 'ACCC':
      return { kind: 'accepted', code: null };
    case 'RJCT': {
      const code = reasonOf(reasons);
      if (DUPLICATE.test(code))
        throw new FileFault('it calls a payment a duplicate: ask whether it was paid');
      return { kind: 'rejected', code };
    }
    default:
      throw new FileFault('it has a status that is not known here');
  }
}

function movements(root: Reading): Said[] {
  return root.all('BkToCstmrDbtCdtNtfctn/Ntfctn/Ntry').flatMap((entry) => {
    if (entry.needed('Sts/Cd') !== 'BOOK') throw new FileFault('an entry is not booked');
    const direction = entry.needed('CdtDbtInd');
    const details = entry.all('NtryDtls/TxDtls');
    if (details.length === 0) throw new FileFault('an entry does not say what it is about');
    return details.map((detail) => {
      const amount = money(detail, 'Amt') ?? (details.length === 1 ? money(entry, 'Amt') : null);
      if (amount === null) throw new FileFault('an amount is missing');
      return movement(detail, detail.text('CdtDbtInd') ?? direction, amount);
    });
  });
}

function movement(detail: Reading, direction: string, amount: Money): Said {
  const transferId = ours(detail.needed('Refs/EndToEndId'));
  const returned = detail.all('RtrInf').length > 0;
  if (direction === 'DBIT' && !returned) return { transferId, kind: 'settled', code: null, amount };
  if (direction === 'CRDT' && returned)
    return { transferId, kind: 'returned', code: reasonOf(detail.all('RtrInf')), amount };
  throw new FileFault('an entry is neither a payment nor its return');
}

function reasonOf(informations: readonly Reading[]): string {
  const codes = informations.map((one) => one.text('Rsn/Cd') ?? one.text('Rsn/Prtry'));
  const code = codes.find((found) => found !== undefined) ?? NO_REASON;
  if (!/^[A-Za-z0-9./-]{1,35}$/.test(code)) throw new FileFault('a reason is no code');
  return code;
}

function ours(railId: string): string {
  const id = uuidOfRailId(railId);
  if (id === undefined) throw new FileFault('it is about something that is no payment of ours');
  return id;
}

function identifier(text: string): string {
  if (text.length > MAX_RAIL_ID || !/^[\x20-\x7e]+$/.test(text)) throw new FileFault('its id is none');
  return text;
}

/** ISODateTime; where it has no zone it is taken as UTC. */
function moment(text: string): string {
  const zoned = /(Z|[+-]\d\d:\d\d)$/.test(text) ? text : `${text}Z`;
  const milliseconds = /^\d{4}-\d\d-\d\dT/.test(text) ? Date.parse(zoned) : NaN;
  if (Number.isNaN(milliseconds)) throw new FileFault('its time is none');
  const at = new Date(milliseconds).toISOString();
  // other centuries are mistakes, and PostgreSQL does not read years of more than four digits so
  if (!/^2[01]/.test(at)) throw new FileFault('its time is none');
  return at;
}

function money(from: Reading, path: string): Money | null {
  const written = from.text(path);
  if (written === undefined) return null;
  const currency = from.attribute(path, 'Ccy') ?? '';
  // xs:decimal may have zeros in front and behind
  const amount = written
    .replace(/^\+?0*(?=\d)/, '')
    .replace(/(\.\d*?)0+$/, '$1')
    .replace(/\.$/, '');
  const parsed = parseMoney({ amount, currency });
  if (typeof parsed === 'string' || parsed.minor <= 0n) throw new FileFault('an amount is none');
  return parsed;
}
