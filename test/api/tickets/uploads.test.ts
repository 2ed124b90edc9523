/** Uploads straight to the real store: what gets in, what does not, and what of it can be had. */
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { createHash } from 'node:crypto';
import { MAX_UPLOAD_BYTES } from '../../../domain/uploads.ts';
import { openBank, type Bank } from '../../support/bank/bank.ts';
import {
  AttachmentAnswer,
  openDesk,
  putFile,
  streamFile,
  type Desk,
  type Place,
} from '../../support/bank/desk.ts';
import { files } from '../../support/formats/files.ts';

let bank: Bank;
let desk: Desk;
beforeAll(() => {
  bank = openBank();
  desk = openDesk();
});
afterAll(() => bank.close());

const open = async (): Promise<Place> => desk.open(await bank.customer());

test('an upload goes straight to the store, and once confirmed comes back as it was', async () => {
  const place = await open();
  const upload = await desk.ask(place, {
    file_name: 'Beleg für März.pdf',
    content_type: 'application/pdf',
  });
  expect(upload).toMatchObject({ upload_method: 'PUT', max_size_bytes: MAX_UPLOAD_BYTES });
  expect(await putFile(upload, files.pdf)).toBe(200);
  const confirmed = (await desk.confirm(place, upload)).as(AttachmentAnswer);
  expect(confirmed).toMatchObject({
    attachment_id: upload.document_id,
    message_id: place.messageId,
    status: 'confirmed',
    size_bytes: files.pdf.length,
    sha256: createHash('sha256').update(files.pdf).digest('hex'),
  });
  const seen = (await desk.see(place.person, place.ticketId)).messages[0]?.attachments[0];
  const download = await fetch(seen?.download_url ?? '');
  expect(Buffer.from(await download.arrayBuffer()).equals(files.pdf)).toBe(true);
  expect(download.headers.get('content-type')).toBe('application/pdf');
  expect(download.headers.get('content-disposition')).toContain("UTF-8''Beleg%20f%C3%BCr%20M%C3%A4rz.pdf");
});

test('an upload confirmed twice, and by two requests at once, gives the same answer', async () => {
  const place = await open();
  const upload = await desk.ask(place);
  await putFile(upload, files.pdf);
  const both = await Promise.all([desk.confirm(place, upload), desk.confirm(place, upload)]);
  const again = await desk.confirm(place, upload);
  const answers = [...both, again].map((answer) => {
    const { download_url: link, ...rest } = answer.as(AttachmentAnswer);
    return { status: answer.status, rest, place: link?.split('?')[0] };
  });
  expect(answers[0]).toMatchObject({ status: 200, rest: { status: 'confirmed' } });
  expect(answers[1]).toEqual(answers[0]);
  expect(answers[2]).toEqual(answers[0]);
});

test('an upload that has not come yet is missing, and can be confirmed once it has', async () => {
  const place = await open();
  const upload = await desk.ask(place);
  expect(await desk.confirm(place, upload)).toMatchObject({
    status: 409,
    body: { code: 'upload_missing' },
  });
  await putFile(upload, files.pdf);
  expect(await desk.confirm(place, upload)).toMatchObject({ status: 200, body: { status: 'confirmed' } });
});

test('an upload without a declared size stops at the cap, also if it does not say its length, and leaves nothing', async () => {
  const place = await open();
  const upload = await desk.ask(place);
  const large = Buffer.concat([files.pdf, Buffer.alloc(MAX_UPLOAD_BYTES)]);
  expect(await putFile(upload, large)).toBe(413);
  expect(await streamFile(upload, large)).toBe(413);
  expect(await desk.holds(upload)).toBe(false);
  expect(await desk.confirm(place, upload)).toMatchObject({ status: 409, body: { code: 'upload_missing' } });
  expect(await streamFile(upload, files.pdf)).toBe(200);
  expect(await desk.confirm(place, upload)).toMatchObject({ status: 200, body: { status: 'confirmed' } });
});

test('our own address takes one file, of the type and for the upload that it was made for, while it is valid', async () => {
  const place = await open();
  const [upload, other] = [await desk.ask(place), await desk.ask(place)];
  const changed = (change: (url: URL) => void): typeof upload => {
    const url = new URL(upload.upload_url);
    change(url);
    return { ...upload, upload_url: url.href };
  };
  const forged = [
    changed((url) => (url.pathname = new URL(other.upload_url).pathname)),
    changed((url) => url.searchParams.set('expires', '9999999999')),
    changed((url) => url.searchParams.delete('signature')),
  ];
  for (const wrong of forged) expect(await putFile(wrong, files.pdf)).toBe(401);
  expect(await putFile(upload, files.pdf, { 'content-type': 'text/html' })).toBe(415);
  expect(await putFile(upload, files.pdf)).toBe(200);
  expect(await putFile(upload, files.exe)).toBe(409);
  expect(await desk.confirm(place, upload)).toMatchObject({ status: 200 });
  expect(await putFile(upload, files.exe)).toBe(409);
});

test('an upload of the largest size passes', async () => {
  const place = await open();
  const largest = Buffer.concat([files.pdf, Buffer.alloc(MAX_UPLOAD_BYTES - files.pdf.length)]);
  const length = String(MAX_UPLOAD_BYTES);
  const type = { file_name: 'all.pdf', content_type: 'application/pdf' };
  const upload = await desk.ask(place, { ...type, content_length: length });
  expect(await putFile(upload, largest)).toBe(200);
  expect(await desk.confirm(place, upload)).toMatchObject({
    status: 200,
    body: { size_bytes: MAX_UPLOAD_BYTES },
  });
});

test.each([
  ['a program renamed to a PDF', 'application/pdf', files.exe],
  ['a picture said to be a PDF', 'application/pdf', files.png],
  ['a page with a script said to be a picture', 'image/png', Buffer.from('<script>alert(1)</script>')],
  ['bytes said to be text', 'text/plain', Buffer.from([0x48, 0x00, 0x01, 0x02])],
  ['nothing at all', 'text/plain', Buffer.alloc(0)],
])('an upload that is %s is refused and removed', async (_what, type, content) => {
  const place = await open();
  const upload = await desk.ask(place, { file_name: 'receipt', content_type: type });
  expect(await putFile(upload, content)).toBe(200);
  expect(await desk.confirm(place, upload)).toMatchObject({
    status: 409,
    body: { code: 'upload_rejected' },
  });
  expect(await desk.holds(upload)).toBe(false);
  expect((await desk.see(place.person, place.ticketId)).messages[0]?.attachments).toEqual([]);
});

test('an upload whose content is not the one declared by its checksum is refused and removed', async () => {
  const place = await open();
  const sha256 = createHash('sha256').update('another file').digest('hex');
  const upload = await desk.ask(place, { file_name: 'a.pdf', content_type: 'application/pdf', sha256 });
  await putFile(upload, files.pdf);
  expect(await desk.confirm(place, upload)).toMatchObject({
    status: 409,
    body: { code: 'upload_rejected' },
  });
  expect(await desk.holds(upload)).toBe(false);
});

test('an upload of another type or size than was signed is refused by the store itself', async () => {
  const place = await open();
  const content_length = String(files.pdf.length);
  const file = { file_name: 'a.pdf', content_type: 'application/pdf', content_length };
  const upload = await desk.ask(place, file);
  expect(await putFile(upload, files.pdf, { 'content-type': 'text/html' })).toBe(403);
  expect(await putFile(upload, Buffer.concat([files.pdf, Buffer.from('!')]))).toBe(403);
  expect(await desk.holds(upload)).toBe(false);
  expect(await putFile(upload, files.pdf)).toBe(200);
  expect(await desk.confirm(place, upload)).toMatchObject({ status: 200 });
});

test('an upload cannot be exchanged at its old address once it is there', async () => {
  const place = await open();
  const content_length = String(files.pdf.length);
  const upload = await desk.ask(place, {
    ...{ file_name: 'receipt.pdf', content_type: 'application/pdf', content_length },
  });
  await putFile(upload, files.pdf);
  const confirmed = (await desk.confirm(place, upload)).as(AttachmentAnswer);
  const other = Buffer.alloc(files.pdf.length, files.exe);
  expect(await putFile(upload, other)).toBe(412);
  expect(await putFile(upload, other, { 'if-none-match': 'anything' })).toBe(403);
  const download = await fetch(confirmed.download_url ?? '');
  expect(Buffer.from(await download.arrayBuffer()).equals(files.pdf)).toBe(true);
});

test('an upload whose time was over is told so, and is no longer on its message', async () => {
  const place = await open();
  const upload = await desk.ask(place);
  await bank.asOwner(`update uploads set status = 'expired', finished_at = now() where id = $1`, [
    upload.document_id,
  ]);
  expect(await desk.confirm(place, upload)).toMatchObject({ status: 409, body: { code: 'upload_expired' } });
  expect((await desk.see(place.person, place.ticketId)).messages[0]?.attachments).toEqual([]);
});

test('an upload of a type that is not accepted is refused before it begins', async () => {
  const place = await open();
  const file = { file_name: 'a.html', content_type: 'text/html' };
  expect(await desk.post(place.person, `${desk.attachments(place)}/upload-url`, file)).toMatchObject({
    status: 400,
    body: { code: 'unsupported_file_type' },
  });
});

test('an upload cannot be had without the signed address', async () => {
  const place = await open();
  const upload = await desk.ask(place);
  await putFile(upload, files.pdf);
  const confirmed = (await desk.confirm(place, upload)).as(AttachmentAnswer);
  const link = new URL(confirmed.download_url ?? '');
  expect((await fetch(`${link.origin}${link.pathname}`)).status).toBe(403);
  link.searchParams.set('response-content-type', 'text/html');
  expect((await fetch(link)).status).toBe(403);
});
