/** Identity documents on their way in and out, with the real store and database: sent inside a request, confirmed, looked at. */
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import sharp from 'sharp';
import { createStorage, viewingKey, type Storage } from '../../adapters/storage.ts';
import { withViewingLink } from '../../api/uploads/views.ts';
import { loadConfig } from '../../config.ts';
import { knownUpload, type FileRow } from '../../db/queries/uploads/uploads.ts';
import { transaction } from '../../db/transaction.ts';
import type { Person } from '../../domain/actor.ts';
import { UploadId } from '../../domain/ids.ts';
import { refuse } from '../../domain/refusals.ts';
import type { UploadKind } from '../../domain/uploads.ts';
import { expectUpload } from '../../services/uploads/expected.ts';
import { attachInline, confirmAttachment } from '../../services/uploads/handing-in.ts';
import type { Place } from '../../services/uploads/place.ts';
import { expireUpload, verifyUpload } from '../../services/uploads/verification.ts';
import type { Processes } from '../../services/platform/processes.ts';
import { openBooks, type Books } from '../support/bank/books.ts';
import { pdf } from '../support/formats/pdfs.ts';
import { ownBank } from '../support/stack/database.ts';
import { stack } from '../support/stack/stack.ts';

let books: Books;
let storage: Storage;
let actor: Person;
beforeAll(async () => {
  books = openBooks(await ownBank());
  storage = createStorage(loadConfig(stack.serviceEnv));
  actor = { id: await books.user(), role: 'customer', address: '127.0.0.1', requestId: 'test' };
});
afterAll(() => books.close());

const nobody = (): Promise<never> => Promise.reject(new Error('its row has ended: no process is asked'));
const unasked: Processes = {
  ...{ restart: nobody, decide: nobody, deliver: nobody, bring: nobody },
  ...{ ask: nobody, tell: nobody, relay: nobody, settled: nobody },
};

/** Takes whatever comes. */
const place = (kind: UploadKind): Place<null, FileRow, never> => ({
  kind,
  find: () => Promise.resolve(null),
  lock: () => Promise.resolve(null),
  admit: () => Promise.resolve(),
  tie: () => Promise.resolve(),
  file: (db, _thing, id) => knownUpload(db, id),
  deed: () => null,
});
const call = () => ({ db: books.em(), actor, refusal: refuse, newId: randomUUID() });
const photo = (side = 800): Promise<Buffer> =>
  sharp({ create: { width: side, height: 900, channels: 3, background: 'grey' } })
    .withExif({ IFD0: { Artist: 'Lovelace' } })
    .png()
    .toBuffer();
const attach = (content: Buffer, contentType = 'image/png', kind: UploadKind = 'identity') =>
  attachInline(call(), place(kind), { fileName: 'my passport.png', contentType, content }, { storage });
const rejectedFor = (reason: string) => ({ code: 'upload_rejected', options: { members: { reason } } });

test('sent inside a request it is kept, and people see its copy', async () => {
  const original = await photo();
  const row = await attach(original);
  expect(row).toMatchObject({ kind: 'identity', status: 'confirmed', fault: null });
  expect(await storage.content(row.objectKey, original.length)).toEqual(original);
  const view = withViewingLink(row, storage);
  const seen = await fetch(view.viewUrl ?? '');
  expect(seen.headers.get('content-type')).toBe('image/jpeg');
  expect(seen.headers.get('content-disposition')).toContain('inline; filename="my passport.jpg"');
  const copy = Buffer.from(await seen.arrayBuffer());
  expect(await sharp(copy).metadata()).toMatchObject({ format: 'jpeg', width: 800, height: 900 });
  expect(copy.includes('Lovelace')).toBe(false);
});

test('in PDF people see it as it is', async () => {
  const row = await attach(pdf(), 'application/pdf');
  const seen = await fetch(withViewingLink(row, storage).viewUrl ?? '');
  expect(seen.headers.get('content-type')).toBe('application/pdf');
  expect(seen.headers.get('content-disposition')).toMatch(/^inline; /);
  expect(Buffer.from(await seen.arrayBuffer())).toEqual(pdf());
});

test('sent inside a request with a fault it is refused with the reason, and nothing of it is kept', async () => {
  const before = await books.asOwner('select count(*) from uploads');
  await expect(attach(await photo(599))).rejects.toMatchObject(rejectedFor('too_small'));
  await expect(
    attach(pdf({ catalog: '/AA<</WC<</S/JavaScript>>>>' }), 'application/pdf'),
  ).rejects.toMatchObject(rejectedFor('has_scripts'));
  await expect(attach(Buffer.from('GIF89a'))).rejects.toMatchObject(rejectedFor('not_readable'));
  expect(await books.asOwner('select count(*) from uploads')).toEqual(before);
});

test('a text is no identity document, but a file', async () => {
  await expect(attach(Buffer.from('It is me.'), 'text/plain')).rejects.toMatchObject({
    code: 'unsupported_file_type',
  });
  const row = await attach(Buffer.from('It is me.'), 'text/plain', 'file');
  expect(row).toMatchObject({ kind: 'file', status: 'confirmed' });
  expect(withViewingLink(row, storage).viewUrl).toBeNull();
});

test('another file that is not what it was said to be is refused without a reason', async () => {
  await expect(attach(Buffer.from('GIF89a'), 'image/png', 'file')).rejects.toMatchObject({
    code: 'upload_rejected',
    options: {},
  });
});

/** A photo that was announced and has come, but is not confirmed yet. */
async function uploaded(content: Buffer): Promise<{ readonly id: UploadId; readonly key: string }> {
  const announcing = call();
  const file = {
    fileName: 'passport.png',
    contentType: 'image/png',
    declaredBytes: null,
    declaredSha256: null,
  } as const;
  const { objectKey: key } = await transaction(announcing.db, (db) =>
    expectUpload({ ...announcing, db }, place('identity'), null, file),
  );
  await storage.put(key, content, 'image/png');
  return { id: UploadId.parse(announcing.newId), key };
}

test('a rejected one says why whenever it is confirmed again', async () => {
  const { id, key } = await uploaded(await photo(599));
  const refused = { refused: 'upload_rejected', members: { reason: 'too_small' } };
  expect(await verifyUpload(books.em(), storage, id)).toEqual(refused);
  expect(await verifyUpload(books.em(), storage, id)).toEqual(refused);
  expect([await storage.stat(key), await storage.stat(viewingKey(key))]).toEqual([null, null]);
  await expect(
    confirmAttachment(call(), place('identity'), id, { processes: unasked }),
  ).rejects.toMatchObject(rejectedFor('too_small'));
});

test('one that was stored with its copy and not confirmed leaves neither', async () => {
  const { id, key } = await uploaded(await photo());
  await storage.put(viewingKey(key), Buffer.from('a copy'), 'image/jpeg');
  expect(await expireUpload(books.em(), storage, id)).toEqual({ status: 'expired' });
  expect([await storage.stat(key), await storage.stat(viewingKey(key))]).toEqual([null, null]);
});
