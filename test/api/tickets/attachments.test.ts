/** Files on messages: small ones inside the request, whose message takes which, and what they may be called. */
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import { openBank, type Bank } from '../../support/bank/bank.ts';
import { newKey } from '../../support/client.ts';
import {
  AttachmentAnswer,
  MessageAnswer,
  openDesk,
  putFile,
  supporter,
  type Desk,
  type Place,
} from '../../support/bank/desk.ts';
import { files } from '../../support/formats/files.ts';
import pg from 'pg';
import { until } from '../../support/stack/processes.ts';
import { stack } from '../../support/stack/stack.ts';

let bank: Bank;
let desk: Desk;
beforeAll(() => {
  bank = openBank();
  desk = openDesk();
});
afterAll(() => bank.close());

const open = async (): Promise<Place> => desk.open(await bank.customer());

/** How many sessions wait for what this one holds, or for whoever waits for it. */
async function waitingFor(pid: number | undefined): Promise<number> {
  const [found] = await bank.asOwner(
    `with recursive waits as (
       select pid from pg_stat_activity where $1::int = any (pg_blocking_pids(pid))
       union select a.pid from pg_stat_activity a, waits w where w.pid = any (pg_blocking_pids(a.pid)))
     select count(*)::int as count from waits`,
    [pid],
  );
  return Number(found?.['count']);
}

describe('a small file inside the request', () => {
  const attach = (place: Place, content: Buffer, type = 'text/plain') =>
    desk.post(place.person, desk.attachments(place), {
      file_name: 'note.txt',
      content_type: type,
      content_base64: content.toString('base64'),
    });

  test('is kept as it came', async () => {
    const place = await open();
    const note = Buffer.from('Grüße, 你好, 👩🏽‍🚀');
    expect(await attach(place, note)).toMatchObject({
      status: 201,
      body: { status: 'confirmed', size_bytes: note.length, download_url: null },
    });
    const seen = (await desk.see(place.person, place.ticketId)).messages[0]?.attachments[0];
    expect(await (await fetch(seen?.download_url ?? '')).text()).toBe(note.toString());
  });

  test('of another type than it says, and a larger one, are refused', async () => {
    const place = await open();
    expect(await attach(place, files.exe, 'application/pdf')).toMatchObject({
      status: 409,
      body: { code: 'upload_rejected' },
    });
    expect(await attach(place, Buffer.alloc(256 * 1024 + 1, 'a'))).toMatchObject({
      status: 409,
      body: { code: 'upload_rejected' },
    });
    expect((await attach(place, Buffer.alloc(256 * 1024 + 4, 'a'))).status).toBe(400);
    expect((await attach(place, Buffer.alloc(400 * 1024, 'a'))).status).toBe(413);
    expect((await attach(place, Buffer.alloc(256 * 1024, 'a'))).status).toBe(201);
    expect((await desk.see(place.person, place.ticketId)).messages[0]?.attachments).toHaveLength(1);
  });

  test('sent several times at once with one key is one file', async () => {
    const place = await open();
    const key = newKey();
    const body = { file_name: 'note.txt', content_type: 'text/plain', content_base64: 'SGVsbG8=' };
    const send = () =>
      place.person.client.call('POST', desk.attachments(place), { token: place.person.token, key, body });
    // several are under way before the first is through
    const holder = new pg.Client(stack.ownerUrl);
    await holder.connect();
    await holder.query('begin');
    const held = await holder.query<{ pid: number }>(
      'select pg_backend_pid() as pid from tickets where id = $1 for update',
      [place.ticketId],
    );
    const sent = Promise.all(Array.from({ length: 4 }, send));
    await until(async () => (await waitingFor(held.rows[0]?.pid)) >= 2, undefined, 5);
    await holder.query('commit');
    await holder.end();
    const answers = await sent;
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([201]));
    expect((await send()).as(AttachmentAnswer).status).toBe('confirmed');
    expect((await desk.see(place.person, place.ticketId)).messages[0]?.attachments).toHaveLength(1);
  });
});

test('a small file that is sent again when its time is long over leaves nothing in the store', async () => {
  const place = await open();
  const key = newKey();
  const body = { file_name: 'note.txt', content_type: 'text/plain', content_base64: 'SGVsbG8=' };
  const send = () =>
    place.person.client.call('POST', desk.attachments(place), { token: place.person.token, key, body });
  expect((await send()).status).toBe(201);
  // as where the first attempt died before its file was stored, and its process has cleared away what might have come
  const late = await desk.ask(place);
  await bank.asOwner(`update uploads set status = 'expired', finished_at = now() where id = $1`, [
    late.document_id,
  ]);
  await bank.asOwner(
    'update idempotency_keys set resource_id = $2, status = null, answer = null where key = $1',
    [key, late.document_id],
  );
  expect(await send()).toMatchObject({ status: 409, body: { code: 'upload_expired' } });
  expect(await desk.holds(late)).toBe(false);
});

describe('a place', () => {
  test('that is another customer’s, another ticket’s or another message’s is not found', async () => {
    const [mine, other] = [await open(), await open()];
    const second = await desk.open(mine.person);
    const upload = await desk.ask(mine);
    await putFile(upload, files.pdf);
    const strange: Place[] = [
      { ...mine, person: other.person },
      { ...mine, ticketId: second.ticketId },
      { ...mine, messageId: second.messageId },
      { ...mine, ticketId: second.ticketId, messageId: second.messageId },
      { ...other, person: mine.person },
    ];
    for (const place of strange) expect((await desk.confirm(place, upload)).status).toBe(404);
    const unknown = { ...upload, document_id: randomUUID() };
    expect((await desk.confirm(mine, unknown)).status).toBe(404);
    const file = { file_name: 'a.txt', content_type: 'text/plain' };
    for (const place of [strange[0], strange[1], strange[2]])
      if (place !== undefined)
        expect((await desk.post(place.person, `${desk.attachments(place)}/upload-url`, file)).status).toBe(
          404,
        );
    expect((await desk.confirm(mine, upload)).status).toBe(200);
  });

  test('takes ten files, those still expected included; of three that come at once for the last place one gets it', async () => {
    const place = await open();
    const url = `${desk.attachments(place)}/upload-url`;
    const file = { file_name: 'a.txt', content_type: 'text/plain' };
    for (let count = 0; count < 9; count += 1)
      expect((await desk.post(place.person, url, file)).status).toBe(200);
    const answers = await Promise.all(Array.from({ length: 3 }, () => desk.post(place.person, url, file)));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 409, 409]);
    const inline = { ...file, content_base64: 'SGVsbG8=' };
    expect(await desk.post(place.person, desk.attachments(place), inline)).toMatchObject({
      status: 409,
      body: { code: 'too_many_attachments' },
    });
  });

  test('is on one’s own side of the conversation: support puts its files on its own messages', async () => {
    const place = await open();
    const support = await supporter(bank);
    const answer = await desk.post(support, `/v1/admin/tickets/${place.ticketId}/messages`, {
      body: 'See here.',
    });
    const theirs: Place = {
      ...place,
      person: support,
      side: 'support',
      messageId: answer.as(MessageAnswer).id,
    };
    const upload = await desk.ask(theirs);
    await putFile(upload, files.pdf);
    expect((await desk.confirm(theirs, upload)).status).toBe(200);
    const seen = (await desk.see(place.person, place.ticketId)).messages[1];
    expect(seen).toMatchObject({ side: 'support', attachments: [{ status: 'confirmed' }] });
    const colleague: Place = { ...theirs, person: await supporter(bank) };
    expect((await desk.confirm(colleague, upload)).status).toBe(404);
    const others = await desk.ask(place);
    await putFile(others, files.pdf);
    expect((await desk.confirm({ ...theirs, messageId: place.messageId }, others)).status).toBe(404);
    const wrong: Place[] = [
      { ...theirs, messageId: place.messageId },
      { ...place, messageId: theirs.messageId },
    ];
    const file = { file_name: 'a.txt', content_type: 'text/plain' };
    for (const other of wrong)
      expect(await desk.post(other.person, `${desk.attachments(other)}/upload-url`, file)).toMatchObject({
        status: 409,
        body: { code: 'not_own_message' },
      });
  });
});

describe('a file name', () => {
  const body = { content_type: 'text/plain', content_base64: 'SGVsbG8=' };

  test.each([
    ['a path', '../../etc/passwd'],
    ['a path of Windows', 'C:\\boot.ini'],
    ['the folder above', '..'],
    ['a line break', 'a\r\nSet-Cookie: b=c.txt'],
    ['a null character', 'a\u0000.txt'],
    ['a turn of direction that hides what it is', 'gnp.\u202eexe'],
    ['an isolate', 'a\u2066b.txt'],
    ['a lone surrogate', 'a\ud800.txt'],
    ['nothing but blanks', '   '],
    ['too many characters', 'a'.repeat(256)],
  ])('with %s is refused', async (_what, file_name) => {
    const place = await open();
    const answer = await desk.post(place.person, desk.attachments(place), { ...body, file_name });
    expect(answer).toMatchObject({ status: 400, body: { errors: [{ pointer: '/file_name' }] } });
  });

  test.each([
    '收据 №5.txt',
    'رسید\u200cها.txt',
    '👨‍👩‍👧.txt',
    `it's "100%" (a*b); x=1.txt`,
    'e\u0301te\u0301.txt',
  ])('of any script comes back, also as the name to save under: %s', async (file_name) => {
    const place = await open();
    const answer = await desk.post(place.person, desk.attachments(place), { ...body, file_name });
    expect(answer.as(AttachmentAnswer).file_name).toBe(file_name.normalize('NFC'));
    const seen = (await desk.see(place.person, place.ticketId)).messages[0]?.attachments[0];
    const download = await fetch(seen?.download_url ?? '');
    const saved = /filename\*=UTF-8''([^;]+)$/.exec(download.headers.get('content-disposition') ?? '')?.[1];
    expect(decodeURIComponent(saved ?? '')).toBe(file_name.normalize('NFC'));
  });
});
