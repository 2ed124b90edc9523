/** The files that come in: what is understood is a report, whatever else is refused whole. */
import { expect, test } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import { readIncoming } from '../../../../adapters/rail/incoming.ts';
import { writePain001 } from '../../../../adapters/rail/pain001.ts';
import { FileFault } from '../../../../adapters/rail/xml.ts';
import { answersTo, readOrder, type Answer } from '../../../../dev/rail/bank.ts';
import { TransferId } from '../../../../domain/ids.ts';
import { railIdOf } from '../../../../domain/transfers/rail.ts';
import { violations } from '../../../support/formats/xsd.ts';

const AT = new Date('2026-11-21T10:00:00.000Z');
const id = TransferId.parse(randomUUID());

/** What the sandbox bank answers to a payment of 12.34 € with this text. */
function answers(remittance: string): Answer[] {
  const payment = {
    transferId: id,
    type: 'sepa' as const,
    amount: { minor: 1_234n, asset: 'EUR' },
    debtor: { name: 'Ada', iban: 'DE02120300000000202051' },
    creditor: { name: 'Grace', iban: 'FR1420041010050500013M02606', country: 'FR' },
    remittance,
    executionDate: '2026-11-23',
  };
  const file = writePain001(
    payment,
    { messageId: railIdOf(id), createdAt: AT },
    { name: 'Bank', bic: 'TELLDEFFXXX' },
  );
  return answersTo(readOrder(file), { acceptSeconds: 1, settleSeconds: 5 }, AT);
}

const read = (xml: string) => readIncoming(Buffer.from(xml));
const settled = (): string => answers('')[1]?.xml ?? '';
const rejected = (): string => answers('sandbox: reject AC04')[0]?.xml ?? '';

test.each([
  ['settle', '', ['accepted', 'settled']],
  ['reject', 'sandbox: reject AC06', ['rejected AC06']],
  ['return', 'Sandbox: return MD07 please', ['accepted', 'returned MD07']],
  ['return-late', 'sandbox: return-late', ['accepted', 'settled', 'returned AC04']],
  ['unordered', 'sandbox: unordered', ['settled', 'accepted']],
  ['silent', 'sandbox: silent', []],
])('what the bank answers where it shall %s is understood', (_behaviour, remittance, wanted) => {
  const reports = answers(remittance).flatMap(({ xml }) => read(xml));
  expect(reports.map(({ kind, code }) => (code === null ? kind : `${kind} ${code}`))).toEqual(wanted);
  for (const report of reports) {
    expect(report.transferId).toBe(id);
    expect(report.amount).toEqual({ minor: 1_234n, asset: 'EUR' });
    expect(report.messageId).toMatch(/^(pain\.002|camt\.054)\/[A-Z]{3}[0-9a-f]{32}\/1$/);
  }
});

test('a file sent again has the same message id', () => {
  const ids = answers('sandbox: twice').flatMap(({ xml }) => read(xml).map(({ messageId }) => messageId));
  expect(ids).toHaveLength(4);
  expect(new Set(ids).size).toBe(2);
});

test('the answers of the bank are valid by the official schemas', () => {
  for (const { xml } of [...answers('sandbox: return-late'), ...answers('sandbox: reject')]) {
    // of the status report the schema at hand is the next version; what is used of it has not changed
    const [type, file] = xml.includes('pain.002')
      ? (['pain.002.001.12', xml.replace('pain.002.001.10', 'pain.002.001.12')] as const)
      : (['camt.054.001.08', xml] as const);
    expect(violations(type, file)).toEqual([]);
  }
});

test('a status of the whole file is that of its only payment', () => {
  const report = `<Document xmlns="urn:iso:std:iso:20022:tech:xsd:pain.002.001.10"><CstmrPmtStsRpt>
    <GrpHdr><MsgId>BANK-1</MsgId><CreDtTm>2026-11-21T11:00:00+01:00</CreDtTm></GrpHdr>
    <OrgnlGrpInfAndSts><OrgnlMsgId>${railIdOf(id)}</OrgnlMsgId><OrgnlMsgNmId>pain.001.001.09</OrgnlMsgNmId>
      <GrpSts>RJCT</GrpSts><StsRsnInf><Rsn><Cd>FF01</Cd></Rsn></StsRsnInf></OrgnlGrpInfAndSts>
    </CstmrPmtStsRpt></Document>`;
  expect(read(report)).toEqual([
    {
      messageId: 'pain.002/BANK-1/1',
      transferId: id,
      at: '2026-11-21T10:00:00.000Z',
      kind: 'rejected',
      code: 'FF01',
      amount: null,
    },
  ]);
});

test('a notification of several payments is several reports, each with an id of its own', () => {
  const entry = /<Ntry>[\s\S]*<\/Ntry>/.exec(settled())?.[0] ?? '';
  const both = settled().replace(
    entry,
    entry + entry.replaceAll(railIdOf(id), railIdOf(TransferId.parse(randomUUID()))),
  );
  const reports = read(both);
  expect(reports.map(({ kind }) => kind)).toEqual(['settled', 'settled']);
  expect(new Set(reports.map(({ messageId }) => messageId)).size).toBe(2);
});

test('a rejection without a reason has the code of a narrative', () => {
  const [report] = read(rejected().replace(/<StsRsnInf>[\s\S]*<\/StsRsnInf>/, ''));
  expect(report).toMatchObject({ kind: 'rejected', code: 'NARR' });
});

test.each<[string, () => string]>([
  ['nothing', () => ''],
  ['no XML', () => 'hello'],
  ['half a file', () => settled().slice(0, -40)],
  ['two files in one', () => settled() + settled()],
  ['another message', () => settled().replace('camt.054.001.08', 'camt.054.001.02')],
  [
    'another root',
    () => settled().replaceAll('<Document', '<Dokument').replaceAll('</Document', '</Dokument'),
  ],
  ['no message id', () => settled().replace(/<MsgId>.*<\/MsgId>/, '')],
  ['two message ids', () => settled().replace(/<MsgId>.*<\/MsgId>/, '$&$&')],
  [
    'a message id of 36 characters',
    () => settled().replace(/<MsgId>.*<\/MsgId>/, `<MsgId>${'x'.repeat(36)}</MsgId>`),
  ],
  ['no time', () => settled().replace(/<CreDtTm>[^<]*/g, '<CreDtTm>yesterday')],
  ['a time of another age', () => settled().replace(/<CreDtTm>[^<]*/g, '<CreDtTm>9999-12-31T23:59:59-14:00')],
  ['a rejection as a duplicate', () => rejected().replace('AC04', 'AM05')],
  ['a rejection of its message id', () => rejected().replace('AC04', 'DU01')],
  ['no end-to-end id', () => settled().replace(/<EndToEndId>.*<\/EndToEndId>/, '')],
  ['somebody else’s id', () => settled().replace(/<EndToEndId>[^<]*/, '<EndToEndId>NOTPROVIDED')],
  ['an id in capitals', () => settled().replace(railIdOf(id), railIdOf(id).toUpperCase() + 'F')],
  ['an entry that is not booked', () => settled().replace('BOOK', 'PDNG')],
  ['money that came for another reason', () => settled().replaceAll('DBIT', 'CRDT')],
  ['a negative amount', () => settled().replaceAll('>12.34<', '>-12.34<')],
  ['an amount of too many digits', () => settled().replaceAll('>12.34<', '>12.345<')],
  ['an amount of nothing', () => settled().replaceAll('>12.34<', '>0.00<')],
  ['an amount in no currency', () => settled().replaceAll('Ccy="EUR"', 'Ccy="XXZ"')],
  ['an unknown status', () => rejected().replace('RJCT', 'WHAT')],
  ['a reason that is no code', () => rejected().replace('AC04', "'; drop table transfers")],
  ['nothing to report', () => settled().replace(/<Ntry>[\s\S]*<\/Ntry>/, '')],
  ['nesting without end', () => '<a>'.repeat(100_000)],
])('a file with %s is refused', (_what, file) => {
  expect(() => read(file())).toThrow(FileFault);
});

test('a file that wants something loaded or expanded is refused, and nothing is', () => {
  const withDtd = (dtd: string): string =>
    settled().replace('<Document', `<!DOCTYPE Document ${dtd}><Document`);
  const bombs = [...'bcdefghij'].map(
    (name, n) => `<!ENTITY ${name} "${`&${'abcdefghi'[n] ?? ''};`.repeat(10)}">`,
  );
  for (const file of [
    withDtd('[<!ENTITY x SYSTEM "file:///etc/passwd">]').replace('BOOK', '&x;'),
    withDtd('[<!ENTITY % x SYSTEM "http://127.0.0.1:1/evil.dtd"> %x;]'),
    withDtd('SYSTEM "http://127.0.0.1:1/evil.dtd"'),
    withDtd('[<!ENTITY harmless "BOOK">]').replace('BOOK', '&harmless;'),
    withDtd(`[<!ENTITY a "xxxxxxxxxx">${bombs.join('')}]`).replace('BOOK', '&j;'),
  ]) {
    const begun = performance.now();
    expect(() => read(file)).toThrow(FileFault);
    // expanded, the last one would be ten thousand million characters
    expect(performance.now() - begun).toBeLessThan(10_000);
  }
});

test('other encodings than UTF-8 are not guessed at', () => {
  const utf16 = Buffer.from(`\ufeff${settled().replace('utf-8', 'utf-16')}`, 'utf16le');
  expect(() => readIncoming(utf16)).toThrow(FileFault);
  const broken = Buffer.from(settled().replace('BOOK', 'BO\u00ff'), 'latin1');
  expect(() => readIncoming(broken)).toThrow(FileFault);
});

test('what a fault says never quotes the file', () => {
  const secret = 'DE02120300000000202051';
  const files = [
    `<a>${secret}`,
    settled().replace('BOOK', secret),
    settled().replaceAll('Ccy="EUR"', `Ccy="${secret}"`),
    rejected().replace('AC04', `${secret} x`),
  ];
  for (const file of files) {
    let fault: unknown;
    try {
      read(file);
    } catch (error) {
      fault = error;
    }
    expect(fault).toBeInstanceOf(FileFault);
    expect(String(fault)).not.toContain(secret);
  }
});
