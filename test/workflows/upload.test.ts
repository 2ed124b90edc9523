/** The process of an upload: every way it can end, what is left in the real store, and that saved runs still replay. */
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { createHash, randomUUID } from 'node:crypto';
import sharp from 'sharp';
import { uploadActivities } from '../../activities/uploads.ts';
import { createStorage, newObjectKey, viewingKey, type Storage } from '../../adapters/storage.ts';
import { loadConfig } from '../../config.ts';
import { endUpload, insertUpload } from '../../db/queries/uploads/uploads.ts';
import { UploadId, type UserId } from '../../domain/ids.ts';
import { isRefusal } from '../../domain/refusals.ts';
import {
  LATE_UPLOAD_SECONDS,
  UPLOAD_SECONDS,
  type ContentType,
  type UploadKind,
} from '../../domain/uploads.ts';
import { confirm } from '../../workflows/upload/contract.ts';
import { uploadProcess } from '../../workflows/upload/process.ts';
import { openBooks, type Books } from '../support/bank/books.ts';
import { ownBank } from '../support/stack/database.ts';
import { clearTextOf } from '../support/processes/clear-text.ts';
import { files } from '../support/formats/files.ts';
import { pdf } from '../support/formats/pdfs.ts';
import { openGate, type Gate } from '../support/stack/gate.ts';
import {
  openProcessWorld,
  replay,
  savedHistories,
  type ProcessWorld,
} from '../support/processes/process-world.ts';
import { until } from '../support/stack/processes.ts';
import { stack } from '../support/stack/stack.ts';

const FILE_NAME = 'Lovelace diagnosis.pdf';
const MINUTE_SECONDS = 60;

let books: Books;
let world: ProcessWorld;
let gate: Gate;
/** The store as clients reach it; that of the process goes through the gate. */
let store: Storage;
let uploader: UserId;

beforeAll(async () => {
  const config = loadConfig(stack.serviceEnv);
  books = openBooks(await ownBank());
  gate = await openGate(new URL(config.S3_ENDPOINT));
  store = createStorage(config);
  const storage = createStorage({ ...config, S3_ENDPOINT: `http://127.0.0.1:${String(gate.port)}` });
  world = await openProcessWorld(uploadActivities({ em: books.em, storage }), books.em);
  uploader = await books.user();
});
afterAll(async () => {
  await world.close();
  await gate.close();
  await books.close();
});

interface Expected {
  readonly id: UploadId;
  readonly key: string;
  /** Puts a file to its place, as its uploader would. */
  put(content: Buffer): Promise<void>;
  confirm(): Promise<unknown>;
  row(): Promise<Record<string, unknown> | undefined>;
}

/** An upload that was just asked for, with its process. */
async function expected(
  kind: UploadKind = 'file',
  contentType: ContentType = 'application/pdf',
): Promise<Expected> {
  const id = UploadId.parse(randomUUID());
  const objectKey = newObjectKey();
  await insertUpload.one(books.em(), {
    id,
    uploaderId: uploader,
    kind,
    fileName: FILE_NAME,
    contentType,
    declaredBytes: null,
    declaredSha256: null,
    objectKey,
    expiresInSeconds: UPLOAD_SECONDS,
  });
  await world.start(uploadProcess, { id, uploaderId: uploader, expiresInSeconds: UPLOAD_SECONDS });
  return {
    id,
    key: objectKey,
    put: (content) => store.put(objectKey, content, contentType),
    confirm: () => world.processes.decide(uploadProcess, id, confirm, { by: uploader }).catch(code),
    row: async () => (await books.asOwner('select * from uploads where id = $1', [id]))[0],
  };
}

const code = (error: unknown): string => (isRefusal(error) ? error.code : String(error));
const run = ({ id }: Expected) => world.env.client.workflow.getHandle(`upload/${id}`);
const isThere = async ({ key }: Expected): Promise<boolean> => (await store.stat(key)) !== null;
const has = (upload: Expected, status: string) => async (): Promise<boolean> =>
  (await upload.row())?.['status'] === status;

test('confirmed in time it is kept, and its timers never come', async () => {
  const upload = await expected();
  await upload.put(files.pdf);
  expect(await upload.confirm()).toEqual({ status: 'confirmed' });
  expect(await run(upload).result()).toEqual({ status: 'confirmed' });
  expect(await world.status(`upload/${upload.id}`)).toBe('confirmed');
  await world.pass(UPLOAD_SECONDS + LATE_UPLOAD_SECONDS + MINUTE_SECONDS);
  expect(await isThere(upload)).toBe(true);
  expect(await upload.row()).toMatchObject({
    status: 'confirmed',
    size_bytes: String(files.pdf.length),
    sha256: createHash('sha256').update(files.pdf).digest(),
  });
  expect(await upload.confirm()).toBe('ended');
  await world.save(`upload/${upload.id}`, 'upload', 'confirmed');
});

test('confirmed by five at once it is looked at once, and all get the same answer', async () => {
  const upload = await expected();
  await upload.put(files.pdf);
  const answers = await Promise.all(Array.from({ length: 5 }, () => upload.confirm()));
  // whoever comes when it is over finds it ended, and its row says how
  for (const answer of answers) expect([{ status: 'confirmed' }, 'ended']).toContainEqual(answer);
  expect(answers).toContainEqual({ status: 'confirmed' });
  const { events } = await run(upload).fetchHistory();
  expect(events?.filter((event) => event.activityTaskScheduledEventAttributes)).toHaveLength(1);
});

test('cancelling the run changes nothing: what nobody confirms is still removed', async () => {
  const upload = await expected();
  await upload.put(files.pdf);
  await run(upload).cancel();
  await world.pass(UPLOAD_SECONDS + LATE_UPLOAD_SECONDS + MINUTE_SECONDS);
  expect(await run(upload).result()).toEqual({ status: 'expired' });
  expect(await isThere(upload)).toBe(false);
});

test('confirmed before it came it goes on waiting', async () => {
  const upload = await expected();
  expect(await upload.confirm()).toBe('upload_missing');
  expect(await upload.confirm()).toBe('upload_missing');
  await world.pass(UPLOAD_SECONDS - MINUTE_SECONDS);
  await upload.put(files.pdf);
  expect(await upload.confirm()).toEqual({ status: 'confirmed' });
  expect(await run(upload).result()).toEqual({ status: 'confirmed' });
  await world.save(`upload/${upload.id}`, 'upload', 'missing, then confirmed');
});

test('of the wrong kind it is removed at once, and once more after a late PUT could have come', async () => {
  const upload = await expected();
  await upload.put(files.exe);
  expect(await upload.confirm()).toBe('upload_rejected');
  expect(await isThere(upload)).toBe(false);
  expect(await upload.confirm()).toBe('upload_rejected');
  await until(async () => (await world.status(`upload/${upload.id}`)) === 'rejected');
  await upload.put(files.exe);
  await world.pass(LATE_UPLOAD_SECONDS - MINUTE_SECONDS);
  expect(await isThere(upload)).toBe(true);
  expect(await run(upload).result()).toEqual({ status: 'rejected' });
  expect(await isThere(upload)).toBe(false);
  expect(await upload.row()).toMatchObject({ status: 'rejected', size_bytes: null });
  await world.save(`upload/${upload.id}`, 'upload', 'rejected');
});

test('not confirmed in time it expires: the object is removed, a late confirmation learns it, a late PUT is removed too', async () => {
  const upload = await expected();
  await upload.put(files.pdf);
  await world.pass(UPLOAD_SECONDS - MINUTE_SECONDS);
  expect(await upload.row()).toMatchObject({ status: 'pending' });
  await world.pass(2 * MINUTE_SECONDS);
  await until(has(upload, 'expired'));
  await until(async () => !(await isThere(upload)));
  expect(await upload.confirm()).toBe('upload_expired');
  await upload.put(files.pdf);
  expect(await run(upload).result()).toEqual({ status: 'expired' });
  expect(await isThere(upload)).toBe(false);
  expect(await upload.confirm()).toBe('ended');
  await world.save(`upload/${upload.id}`, 'upload', 'expired');
});

test('that never came expires all the same', async () => {
  const upload = await expected();
  expect(await run(upload).result()).toEqual({ status: 'expired' });
  expect(await upload.row()).toMatchObject({ status: 'expired' });
});

test('that came inside a request, and was kept without the process, is left alone by its timer', async () => {
  const upload = await expected();
  await upload.put(files.pdf);
  const found = { sizeBytes: files.pdf.length, sha256: createHash('sha256').update(files.pdf).digest() };
  await endUpload(books.em(), upload.id, { status: 'confirmed', ...found });
  expect(await run(upload).result()).toEqual({ status: 'confirmed' });
  expect(await isThere(upload)).toBe(true);
  await world.save(`upload/${upload.id}`, 'upload', 'kept without the process');
});

describe('while the store is away', () => {
  test('a confirmation waits for it, and is answered once it is back', async () => {
    const upload = await expected();
    await upload.put(files.pdf);
    gate.shut();
    const answer = upload.confirm();
    await until(() => hasFailed(upload));
    gate.open();
    expect(await answer).toEqual({ status: 'confirmed' });
  });

  test('a confirmation that began in time counts, also where the answer comes after it', async () => {
    const upload = await expected();
    await upload.put(files.pdf);
    gate.shut();
    const answer = upload.confirm();
    await until(() => hasFailed(upload));
    await world.pass(UPLOAD_SECONDS + 1);
    expect(await upload.row()).toMatchObject({ status: 'pending' });
    gate.open();
    expect(await run(upload).result()).toEqual({ status: 'confirmed' });
    expect([{ status: 'confirmed' }, 'unavailable']).toContainEqual(await answer);
    expect(await isThere(upload)).toBe(true);
    await world.save(`upload/${upload.id}`, 'upload', 'confirmed while its time ran out');
  });

  test('what expires is removed once it is back', async () => {
    const upload = await expected();
    await upload.put(files.pdf);
    gate.shut();
    await world.pass(UPLOAD_SECONDS + 1);
    await until(() => hasFailed(upload));
    expect(await isThere(upload)).toBe(true);
    expect(await upload.confirm()).toBe('upload_expired');
    gate.open();
    expect(await run(upload).result()).toEqual({ status: 'expired' });
    expect(await isThere(upload)).toBe(false);
  });

  /** True once an attempt of its present activity has failed. */
  async function hasFailed(upload: Expected): Promise<boolean> {
    const { raw } = await run(upload).describe();
    return (raw.pendingActivities ?? []).some(({ lastFailure }) => lastFailure != null);
  }
});

describe('an identity document', () => {
  const photo = (side: number): Promise<Buffer> =>
    sharp({ create: { width: side, height: 1_000, channels: 3, background: 'grey' } })
      .withExif({ IFD0: { Artist: 'Lovelace' } })
      .jpeg()
      .toBuffer();
  const hasCopy = async ({ key }: Expected): Promise<boolean> => (await store.stat(viewingKey(key))) !== null;
  const confirmed = (upload: Expected): Promise<unknown> =>
    world.processes
      .decide(uploadProcess, upload.id, confirm, { by: uploader })
      .catch((error: unknown) => (isRefusal(error) ? [error.code, error.options.members] : error));

  test('is kept as it came, with a copy that tells less', async () => {
    const upload = await expected('identity', 'image/jpeg');
    const original = await photo(900);
    await upload.put(original);
    expect(await confirmed(upload)).toEqual({ status: 'confirmed' });
    expect(await store.content(upload.key, original.length)).toEqual(original);
    const copy = await store.content(viewingKey(upload.key), 1_000_000);
    if (!Buffer.isBuffer(copy)) throw new Error('there is no copy');
    expect(await sharp(copy).metadata()).toMatchObject({ format: 'jpeg', width: 900, height: 1_000 });
    expect(copy.includes('Lovelace')).toBe(false);
    expect(await upload.row()).toMatchObject({
      ...{ status: 'confirmed', fault: null, kind: 'identity', size_bytes: String(original.length) },
      sha256: createHash('sha256').update(original).digest(),
    });
  });

  test('in PDF is seen as it is', async () => {
    const upload = await expected('identity');
    await upload.put(pdf());
    expect(await confirmed(upload)).toEqual({ status: 'confirmed' });
    expect(await hasCopy(upload)).toBe(false);
  });

  test('with a fault is removed, and each confirmation says what is wrong with it', async () => {
    const upload = await expected('identity', 'image/jpeg');
    await upload.put(await photo(599));
    const refused = ['upload_rejected', { reason: 'too_small' }];
    expect(await confirmed(upload)).toEqual(refused);
    expect(await confirmed(upload)).toEqual(refused);
    expect([await isThere(upload), await hasCopy(upload)]).toEqual([false, false]);
    expect(await upload.row()).toMatchObject({ status: 'rejected', fault: 'too_small' });
    expect(await run(upload).result()).toEqual({ status: 'rejected' });
  });

  test('that only begins like its type is not readable, while another file is accepted', async () => {
    const upload = await expected('identity', 'image/jpeg');
    await upload.put(files.jpeg);
    expect(await confirmed(upload)).toEqual(['upload_rejected', { reason: 'not_readable' }]);
    const file = await expected('file', 'image/jpeg');
    await file.put(files.jpeg);
    expect(await confirmed(file)).toEqual({ status: 'confirmed' });
    expect(await hasCopy(file)).toBe(false);
  });

  test('that is empty is rejected like any other file, without a reason', async () => {
    const upload = await expected('identity', 'image/jpeg');
    await upload.put(Buffer.alloc(0));
    expect(await confirmed(upload)).toEqual(['upload_rejected', {}]);
    expect(await upload.row()).toMatchObject({ status: 'rejected', fault: null });
  });

  test('that expires takes its copy along, also one that was written too late', async () => {
    const upload = await expected('identity', 'image/jpeg');
    const writeCopy = () => store.put(viewingKey(upload.key), Buffer.from('a copy'), 'image/jpeg');
    await upload.put(await photo(900));
    await writeCopy();
    await world.pass(UPLOAD_SECONDS + MINUTE_SECONDS);
    await until(has(upload, 'expired'));
    await until(async () => !(await isThere(upload)) && !(await hasCopy(upload)));
    await writeCopy();
    expect(await run(upload).result()).toEqual({ status: 'expired' });
    expect(await hasCopy(upload)).toBe(false);
  });
});

test('a history names neither the file nor its place', async () => {
  const upload = await expected();
  await upload.put(files.pdf);
  await upload.confirm();
  const bytes = await clearTextOf(world, `upload/${upload.id}`);
  for (const secret of [FILE_NAME, 'Lovelace', upload.key]) expect(bytes).not.toContain(secret);
});

describe('saved runs of upload', () => {
  test.each(savedHistories('upload'))('replay: $why', async ({ history }) => {
    await replay(history);
  });
});
