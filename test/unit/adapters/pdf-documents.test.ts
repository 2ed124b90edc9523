/** What is wrong with a PDF that is to prove who somebody is. */
import { describe, expect, test } from '@jest/globals';
import { buffer } from 'node:stream/consumers';
import { deflateSync } from 'node:zlib';
import PDFDocument from 'pdfkit';
import { pdfFault } from '../../../adapters/documents/pdf-faults.ts';
import { MAX_DOCUMENT_PAGES } from '../../../domain/uploads.ts';
import { objectStream, pdf, stream } from '../../support/formats/pdfs.ts';

/** As a program writes it. */
async function written(
  options: PDFKit.PDFDocumentOptions,
  draw: (document: PDFKit.PDFDocument) => void = (document) => void document.text('Passport'),
): Promise<Buffer> {
  const document = new PDFDocument(options);
  draw(document);
  document.end();
  return buffer(document);
}

describe('nothing is wrong with', () => {
  test('a plain page', async () => {
    expect(await pdfFault(pdf())).toBeUndefined();
  });

  test('what a program writes, with links, fonts and compressed text', async () => {
    const letter = await written({}, (document) => {
      document.text('See our page', { link: 'https://bank.test/(JavaScript)' });
    });
    expect(await pdfFault(letter)).toBeUndefined();
  });

  test('as many pages as are allowed', async () => {
    expect(await pdfFault(pdf({ pages: MAX_DOCUMENT_PAGES }))).toBeUndefined();
  });

  test('objects that lie in an object stream', async () => {
    const packed = objectStream('<</Type/Font>>');
    expect(await pdfFault(pdf({ objects: [packed] }))).toBeUndefined();
    expect(
      await pdfFault(pdf({ objects: [objectStream('<<>>', '/Filter [/FlateDecode]')] })),
    ).toBeUndefined();
  });

  test('the word JavaScript in a text, a comment or compressed bytes', async () => {
    const text = '/Title (a \\) (/JavaScript) b) /Author <2f4a> % /JavaScript\n';
    const content = stream('/Filter/FlateDecode', deflateSync('BT (/JavaScript) Tj ET'));
    expect(await pdfFault(pdf({ catalog: text, objects: [content] }))).toBeUndefined();
  });
});

describe('not readable is', () => {
  test.each([
    ['nothing', Buffer.alloc(0)],
    ['a head without a body', Buffer.from('%PDF-1.7\n')],
    [
      'a catalog without pages',
      Buffer.from('%PDF-1.7\n1 0 obj<</Type/Catalog>>endobj\ntrailer<</Root 1 0 R>>\n%%EOF\n'),
    ],
    ['a text', Buffer.from('A passport.')],
    ['a page behind something else', Buffer.concat([Buffer.from('<html>'), pdf()])],
    ['no page at all', pdf({ pages: 0 })],
    ['a PDF that was cut off before its pages', pdf().subarray(0, 60)],
  ])('%s', async (_what, content) => {
    expect(await pdfFault(content)).toBe('not_readable');
  });

  test('an object stream that is packed in another way than all programs do', async () => {
    const script = '<</S/JavaScript/JS(app.alert(1))>>';
    const hexadecimal = (content: Buffer): Buffer => Buffer.from(`${content.toString('hex')}>`);
    const twice = (content: Buffer): Buffer => deflateSync(deflateSync(content));
    for (const packed of [
      objectStream(script, '/Filter/ASCIIHexDecode', hexadecimal),
      objectStream(script, '/Filter[/FlateDecode/FlateDecode]', twice),
      objectStream(script, '/Filter 9 0 R'),
      objectStream(script, '/Filter/Fl#61teDecode/DecodeParms<</Predictor 12>>'),
      objectStream(script, '/F/AHx', hexadecimal),
      objectStream(script, '', (content) => content),
      objectStream(script, '/Filter/FlateDecode', () => Buffer.from('no deflate')),
    ])
      expect(await pdfFault(pdf({ objects: [packed] }))).toBe('not_readable');
  });

  test('an object stream of a few kilobytes that unpacks to hundreds of megabytes', async () => {
    const bomb = objectStream('<<>>', '/Filter/FlateDecode', () => deflateSync(Buffer.alloc(300_000_000)));
    expect(await pdfFault(pdf({ objects: [bomb] }))).toBe('not_readable');
  });

  test('a file that would be read over and over', async () => {
    expect(await pdfFault(pdf({ objects: ['obj<<('.repeat(200_000)] }))).toBe('not_readable');
  });
});

describe('encrypted is', () => {
  test('a file that nobody opens without the password', async () => {
    expect(await pdfFault(await written({ userPassword: 'secret', ownerPassword: 'other' }))).toBe(
      'encrypted',
    );
  });

  test('a file that anybody opens, but whose owner has a password', async () => {
    expect(await pdfFault(await written({ ownerPassword: 'other' }))).toBe('encrypted');
    expect(await pdfFault(await written({ ownerPassword: 'other', pdfVersion: '1.7ext3' }))).toBe(
      'encrypted',
    );
  });

  test('a file whose object streams are encrypted too', async () => {
    const sealed = objectStream('<<>>', '/Filter/FlateDecode', () => Buffer.from('sealed bytes'));
    expect(await pdfFault(pdf({ objects: [sealed], trailer: '/Encrypt 5 0 R' }))).toBe('encrypted');
  });
});

const SCRIPT = '<</S/JavaScript/JS(app.alert\\(1\\))>>';
describe('scripts are found', () => {
  test.each([
    ['in the document', { catalog: `/Names<</JavaScript<</Names[(a) ${SCRIPT}]>>>>` }],
    ['on opening', { catalog: `/OpenAction ${SCRIPT}` }],
    [
      'on opening, in an object of their own',
      { catalog: '/OpenAction 100 0 R', objects: [`100 0 obj ${SCRIPT} endobj\n`] },
    ],
    ['on closing', { catalog: `/AA<</WC ${SCRIPT}>>` }],
    ['on a page', { page: `/AA<</O ${SCRIPT}>>` }],
    ['on a link', { page: `/Annots[<</Type/Annot/Subtype/Link/Rect[0 0 9 9]/A ${SCRIPT}>>]` }],
    ['after another action', { catalog: `/OpenAction<</S/GoTo/D[10 0 R/Fit]/Next ${SCRIPT}>>` }],
    [
      'in a form field',
      { catalog: `/AcroForm<</Fields[<</FT/Tx/T(a)/Subtype/Widget/Rect[0 0 9 9]/AA<</K ${SCRIPT}>>>>]>>` },
    ],
    [
      'in an XFA form',
      { catalog: '/AcroForm<</Fields[]/XFA 100 0 R>>', objects: [stream('', Buffer.from('<x/>'))] },
    ],
    ['as a program to launch', { catalog: '/OpenAction<</S/Launch/Win<</F(cmd.exe)>>>>' }],
    ['in a rendition', { page: '/Annots[<</Subtype/Screen/A<</S/Rendition/JS(x)>>>>]' }],
    ['in a name with escapes', { catalog: '/OpenAction<</S/J#61va#53cript/JS(x)>>' }],
    [
      'in a name that is an object of its own',
      { catalog: '/OpenAction<</S 100 0 R/JS(x)>>', objects: ['100 0 obj/JavaScript endobj\n'] },
    ],
    ['in an object stream', { catalog: '/OpenAction 101 0 R', objects: [objectStream(SCRIPT)] }],
    ['in an object that nothing points to', { objects: [`100 0 obj ${SCRIPT} endobj\n`] }],
    [
      'in an object that was replaced later',
      { objects: [`100 0 obj ${SCRIPT} endobj\n`, '100 0 obj null endobj\n'] },
    ],
    [
      'in an object that is hidden in a stream',
      { objects: [stream('', Buffer.from(`200 0 obj ${SCRIPT} endobj`))] },
    ],
    ['behind a keyword that ends nothing', { catalog: `/A endobj /B stream /C obj /OpenAction ${SCRIPT}` }],
    ['behind an odd bracket', { catalog: `/A >> endobj 1 0 obj <</OpenAction ${SCRIPT}` }],
    ['behind a string that looks like an end', { catalog: `/A (>> endobj \\() /OpenAction ${SCRIPT}` }],
  ])('%s', async (_where, extras) => {
    expect(await pdfFault(pdf(extras))).toBe('has_scripts');
  });

  test('in the trailer', async () => {
    const catalog = `<</Type/Catalog/Pages 2 0 R/OpenAction ${SCRIPT}>>`;
    expect(await pdfFault(pdf({ trailer: `/Root ${catalog}` }))).toBe('has_scripts');
  });
});

describe('attachments are found', () => {
  test('in what a program writes', async () => {
    const letter = await written({}, (document) => void document.file(Buffer.from('x'), { name: 'a.txt' }));
    expect(await pdfFault(letter)).toBe('has_attachments');
  });

  test.each([
    ['as an annotation', { page: '/Annots[<</Subtype/FileAttachment/Rect[0 0 9 9]/FS 100 0 R>>]' }],
    ['as a portfolio', { catalog: '/Collection<</View/T>>' }],
    ['in an object stream', { objects: [objectStream('<</Type/Filespec/EF<</F 5 0 R>>>>')] }],
  ])('%s', async (_where, extras) => {
    expect(await pdfFault(pdf(extras))).toBe('has_attachments');
  });
});

test('a page more than allowed is too many, whatever the file says of their number', async () => {
  expect(await pdfFault(pdf({ pages: MAX_DOCUMENT_PAGES + 1 }))).toBe('too_many_pages');
});

test('pages that do not exist are not readable, however many are claimed', async () => {
  const endless = '2 0 obj <</Type/Pages/Kids[2 0 R]/Count 2000000000>> endobj\n';
  expect(await pdfFault(pdf({ objects: [endless] }))).toBe('not_readable');
});
