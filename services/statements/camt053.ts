/** The statement as camt.053.001.08 (ISO 20022, Bank-to-Customer Statement V08). Identifiers have at most 35 characters. */
import type { PendingRow } from '../../db/queries/statements/pending.ts';
import type { StatementRow } from '../../db/queries/statements/lines.ts';
import type { StatementHead, StatementTotals } from '../../db/queries/statements/statements.ts';
import { formatAmount } from '../../domain/money.ts';
import { asOf, nameOf, type KeepingBank, type Statement } from './statement.ts';
import { transactionCode } from './transaction-codes.ts';
import { element, escaped, textElement, type Xml } from './xml.ts';

const NAMESPACE = 'urn:iso:std:iso:20022:tech:xsd:camt.053.001.08';

export async function* asCamt053(statement: Statement): AsyncGenerator<string, void, undefined> {
  const id = escaped(nameOf(statement));
  const created = element('CreDtTm', asOf(statement.head).toISOString());
  yield (
    '<?xml version="1.0" encoding="UTF-8"?>\n' +
    `<Document xmlns="${NAMESPACE}"><BkToCstmrStmt>` +
    element(
      'GrpHdr',
      element('MsgId', id) + created + '<MsgPgntn><PgNb>1</PgNb><LastPgInd>true</LastPgInd></MsgPgntn>',
    ) +
    `\n<Stmt>${element('Id', id)}${created}${front(statement)}\n`
  );
  yield summary(statement, await statement.totals());
  for await (const rows of statement.lines()) yield rows.map((row) => entry(row, statement)).join('');
  yield pendingNote(await statement.pending(), statement);
  yield '</Stmt></BkToCstmrStmt></Document>\n';
}

/** A statement holds what is booked; what is held is only mentioned. Max500Text. */
function pendingNote(pending: readonly PendingRow[], { head, decimal }: Statement): Xml {
  if (pending.length === 0) return '';
  const sum = pending.reduce((total, { amount }) => total + amount, 0n);
  const each = pending.map(({ amount, merchant, madeOn }) => `${decimal(amount)} ${merchant} ${madeOn}`);
  const note = `Card payments not booked yet: ${String(pending.length)}, ${decimal(sum)} ${head.asset} held: ${each.join('; ')}`;
  return textElement('AddtlStmtInf', note, 500);
}

function front({ head, period, bank, decimal }: Statement): Xml {
  const last = new Date(head.ends.getTime() - 1);
  const range = element('FrDtTm', head.begins.toISOString()) + element('ToDtTm', last.toISOString());
  return (
    element('FrToDt', range) +
    element('Acct', account(head, bank)) +
    balance('OPBD', head.opening, period.from, head, decimal) +
    balance('CLBD', head.closing, period.to, head, decimal)
  );
}

function account(head: StatementHead, bank: KeepingBank): Xml {
  return (
    element('Id', accountId(head.iban, head.number)) +
    element('Tp', textElement('Prtry', head.typeName, 35)) +
    element('Ccy', head.asset) +
    element('Ownr', textElement('Nm', head.ownerName, 140)) +
    element('Svcr', element('FinInstnId', element('BICFI', bank.bic) + textElement('Nm', bank.name, 140)))
  );
}

function accountId(iban: string | null, number: string): Xml {
  return iban === null ? element('Othr', element('Id', escaped(number))) : element('IBAN', iban);
}

function balance(
  type: 'OPBD' | 'CLBD',
  minor: bigint,
  day: string,
  { asset }: StatementHead,
  decimal: Statement['decimal'],
): Xml {
  return `\n${element(
    'Bal',
    element('Tp', element('CdOrPrtry', element('Cd', type))) +
      signed(minor, asset, decimal) +
      element('Dt', element('Dt', day)),
  )}`;
}

/** In camt an amount has no sign; which way it goes stands beside it. */
function signed(minor: bigint, asset: string, decimal: Statement['decimal']): Xml {
  const debit = minor < 0n;
  return `${amountIn(asset, decimal(debit ? -minor : minor))}${direction(debit)}`;
}

function amountIn(asset: string, decimal: string): Xml {
  return `<Amt Ccy="${asset}">${decimal}</Amt>`;
}

function direction(debit: boolean): Xml {
  return `<CdtDbtInd>${debit ? 'DBIT' : 'CRDT'}</CdtDbtInd>`;
}

function summary({ head, decimal }: Statement, totals: StatementTotals): Xml {
  const { credits, creditSum, debits, debitSum } = totals;
  const net = head.closing - head.opening;
  const sum = (count: number, minor: bigint): Xml =>
    element('NbOfNtries', String(count)) + element('Sum', decimal(minor));
  const netEntry = element('Amt', decimal(net < 0n ? -net : net)) + direction(net < 0n);
  return `${element(
    'TxsSummry',
    element('TtlNtries', sum(credits + debits, creditSum + debitSum) + element('TtlNetNtry', netEntry)) +
      element('TtlCdtNtries', sum(credits, creditSum)) +
      element('TtlDbtNtries', sum(debits, debitSum)),
  )}\n`;
}

/** One text rather than a tree of calls: it is most of a long message. */
function entry(row: StatementRow, { head, decimal }: Statement): Xml {
  const { domain, family, sub } = transactionCode(row);
  const amount = signed(row.amount, head.asset, decimal);
  const endToEnd = row.transferId === null ? 'NOTPROVIDED' : hex(row.transferId);
  const remittance = textElement('Ustrd', row.description, 140);
  return (
    `<Ntry><NtryRef>${row.seq}</NtryRef>${amount}${row.kind === 'reversal' ? '<RvslInd>true</RvslInd>' : ''}` +
    `<Sts><Cd>BOOK</Cd></Sts><BookgDt><Dt>${row.bookingDate}</Dt></BookgDt><ValDt><Dt>${row.valueDate}</Dt></ValDt>` +
    `<AcctSvcrRef>${head.number}-${row.seq}</AcctSvcrRef>` +
    `<BkTxCd><Domn><Cd>${domain}</Cd><Fmly><Cd>${family}</Cd><SubFmlyCd>${sub}</SubFmlyCd></Fmly></Domn>` +
    `<Prtry>${textElement('Cd', `${row.kind}/${row.part}`, 35)}</Prtry></BkTxCd><NtryDtls><TxDtls>` +
    `<Refs><AcctSvcrRef>${hex(row.transactionId)}</AcctSvcrRef><EndToEndId>${endToEnd}</EndToEndId></Refs>` +
    `${amount}${otherCurrency(row, head, decimal)}${parties(row)}` +
    `${remittance === '' ? '' : `<RmtInf>${remittance}</RmtInf>`}</TxDtls></NtryDtls></Ntry>\n`
  );
}

/** A UUID has 36 characters with its hyphens, one too many. */
function hex(id: string): string {
  return id.replaceAll('-', '');
}

/** What was paid and at which rate, where the other side is in another currency: source per debit, target per credit. */
function otherCurrency(row: StatementRow, head: StatementHead, decimal: Statement['decimal']): Xml {
  const { otherAmount, otherAsset, rate } = row;
  if (otherAmount === null || otherAsset === null) return '';
  const debit = row.amount < 0n;
  const other = amountIn(otherAsset, formatAmount({ minor: otherAmount, asset: otherAsset }));
  const own = amountIn(head.asset, decimal(debit ? -row.amount : row.amount));
  const [source, target] = debit ? [head.asset, otherAsset] : [otherAsset, head.asset];
  const exchange =
    rate === null
      ? ''
      : element(
          'CcyXchg',
          element('SrcCcy', source) +
            element('TrgtCcy', target) +
            element('UnitCcy', source) +
            element('XchgRate', elevenDigits(rate)),
        );
  return element(
    'AmtDtls',
    element('InstdAmt', debit ? own : other) + element('TxAmt', (debit ? other : own) + exchange),
  );
}

/** BaseOneRate: at most eleven digits, ten of them after the point. */
function elevenDigits(rate: string): string {
  const [whole = '0', fraction = ''] = rate.split('.');
  const room = Math.min(10, 11 - whole.length);
  return room > 0 && fraction !== '' ? `${whole}.${fraction.slice(0, room)}` : whole;
}

/** Who paid where money came in, who was paid where it went out. */
function parties(row: StatementRow): Xml {
  const { counterpartyName, counterpartyNumber, counterpartyIban, counterpartyBic } = row;
  const side = row.amount < 0n !== (row.kind === 'return') ? 'Cdtr' : 'Dbtr';
  const name = textElement('Nm', counterpartyName, 140);
  const party = name === '' ? '' : `<${side}><Pty>${name}</Pty></${side}>`;
  const number = counterpartyIban ?? counterpartyNumber;
  const id = number === null ? '' : `<Id>${accountId(counterpartyIban, number)}</Id>`;
  const related = id === '' ? party : `${party}<${side}Acct>${id}</${side}Acct>`;
  const agent = counterpartyBic === null ? '' : `<FinInstnId><BICFI>${counterpartyBic}</BICFI></FinInstnId>`;
  return (
    (related === '' ? '' : `<RltdPties>${related}</RltdPties>`) +
    (agent === '' ? '' : `<RltdAgts><${side}Agt>${agent}</${side}Agt></RltdAgts>`)
  );
}
