/** What an address to the store permits, asked of the real store. */
import { beforeAll, expect, test } from '@jest/globals';
import { createHash, randomUUID } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { presignedUrl } from '../../adapters/signature-v4.ts';
import { createStorage, newObjectKey, type PresignedPut, type Storage } from '../../adapters/storage.ts';
import { loadConfig } from '../../config.ts';
import { freePort } from '../support/stack/processes.ts';
import { stack } from '../support/stack/stack.ts';

const MINUTE = 60;
const CONTENT = '%PDF-1.7 a file';
const config = loadConfig(stack.serviceEnv);
let storage: Storage;
beforeAll(() => {
  storage = createStorage(config);
});

const permit = (key: string, contentLength = CONTENT.length): PresignedPut =>
  storage.presignPut({ key, contentType: 'application/pdf', contentLength, expiresInSeconds: MINUTE });
const put = async ({ url, headers }: PresignedPut, body: string, other: Record<string, string> = {}) =>
  (await fetch(url, { method: 'PUT', headers: { ...headers, ...other }, body })).status;

test('what is uploaded is there, as it was sent', async () => {
  const key = newObjectKey();
  expect(await storage.stat(key)).toBeNull();
  expect(await storage.read(key, 4)).toBeNull();
  expect(await put(permit(key), CONTENT)).toBe(200);
  expect(await storage.stat(key)).toEqual({ bytes: CONTENT.length });
  const read = await storage.read(key, 4);
  expect(read?.head.toString()).toBe('%PDF');
  expect(read?.sha256).toEqual(createHash('sha256').update(CONTENT).digest());
});

test('another content type than the signed one is refused', async () => {
  const key = newObjectKey();
  expect(await put(permit(key), CONTENT, { 'content-type': 'text/html' })).toBe(403);
  expect(await storage.stat(key)).toBeNull();
});

test('another size than the declared one is refused', async () => {
  const key = newObjectKey();
  const { url, headers } = permit(key, CONTENT.length);
  const { 'content-length': _declared, ...rest } = headers;
  expect(await put({ url, headers: rest }, `${CONTENT} and more`)).toBe(403);
  expect(await put({ url, headers: rest }, CONTENT.slice(1))).toBe(403);
  expect(await put({ url, headers }, CONTENT)).toBe(200);
});

test('what is there cannot be overwritten, neither with the condition nor without it', async () => {
  const key = newObjectKey();
  const { url, headers } = permit(key);
  expect(await put({ url, headers }, CONTENT)).toBe(200);
  expect(await put({ url, headers }, 'something other')).toBe(412);
  const { 'if-none-match': _condition, ...rest } = headers;
  expect(await put({ url, headers: rest }, 'something other')).toBe(403);
  expect((await storage.read(key, CONTENT.length))?.head.toString()).toBe(CONTENT);
});

test('an address is for its place, its method and its time only', async () => {
  const key = newObjectKey();
  const { url, headers } = permit(key);
  expect(await put({ url: url.replace(key, newObjectKey()), headers }, CONTENT)).toBe(403);
  const { 'content-length': _length, ...bare } = headers;
  expect((await fetch(url, { headers: bare })).status).toBe(403);
  const request = {
    method: 'PUT',
    url: new URL(`/${config.S3_BUCKET}/${key}`, config.S3_ENDPOINT),
    headers: {},
    at: new Date(Date.now() - 10 * MINUTE * 1_000),
    expiresInSeconds: MINUTE,
  };
  const { S3_ACCESS_KEY: accessKey, S3_SECRET_KEY: secretKey, S3_REGION: region } = config;
  const expired = presignedUrl(request, { accessKey, secretKey, region, service: 's3' });
  expect(await put({ url: expired.href, headers: {} }, CONTENT)).toBe(403);
});

test('a download is saved under its name, whatever the script', async () => {
  const key = newObjectKey();
  await storage.put(key, Buffer.from(CONTENT), 'application/pdf');
  const fileName = 'Rechnung "März" (2).pdf';
  const url = storage.presignGet({
    key,
    fileName,
    contentType: 'application/pdf',
    expiresInSeconds: MINUTE,
  });
  const answer = await fetch(url);
  expect(await answer.text()).toBe(CONTENT);
  expect(answer.headers.get('content-type')).toBe('application/pdf');
  const disposition = answer.headers.get('content-disposition') ?? '';
  expect(disposition).toMatch(/^attachment; /);
  expect(decodeURIComponent(/filename\*=UTF-8''(.+)$/.exec(disposition)?.[1] ?? '')).toBe(fileName);
});

test('removing twice is as good as once', async () => {
  const key = newObjectKey();
  await storage.put(key, Buffer.from(CONTENT), 'application/pdf');
  await storage.remove(key);
  await storage.remove(key);
  expect(await storage.stat(key)).toBeNull();
});

test('objects are listed by prefix, read whole up to a size, and moved', async () => {
  const folder = `listed-${randomUUID()}`;
  for (const name of ['b', 'a', 'c/d'])
    await storage.put(`${folder}/${name}`, Buffer.from(CONTENT), 'text/plain');
  expect(await storage.list(`${folder}/`, 10)).toEqual([`${folder}/a`, `${folder}/b`, `${folder}/c/d`]);
  expect(await storage.list(`${folder}/`, 2)).toHaveLength(2);
  expect(await storage.list(`${folder}-none/`, 10)).toEqual([]);
  expect((await storage.content(`${folder}/a`, CONTENT.length))?.toString()).toBe(CONTENT);
  expect(await storage.content(`${folder}/a`, CONTENT.length - 1)).toBe('too_large');
  expect(await storage.content(`${folder}/none`, 10)).toBeNull();
  await storage.move(`${folder}/a`, `${folder}/b`);
  await storage.move(`${folder}/a`, `${folder}/b`);
  await storage.move(`${folder}/c/d`, `${folder}/odd +%ü&`);
  expect(await storage.list(`${folder}/`, 10)).toEqual([`${folder}/b`, `${folder}/odd +%ü&`]);
  expect((await storage.content(`${folder}/odd +%ü&`, 100))?.toString()).toBe(CONTENT);
  await storage.move(`${folder}/odd +%ü&`, `${folder}/c`);
  expect(await storage.list(`${folder}/`, 1_000)).toEqual([`${folder}/b`, `${folder}/c`]);
});

test('what is put where nothing was stays, and a second one is told so', async () => {
  const key = newObjectKey();
  expect(await storage.putNew(key, Buffer.from(CONTENT), 'text/plain')).toBe(true);
  expect(await storage.putNew(key, Buffer.from('something else'), 'text/plain')).toBe(false);
  expect((await storage.read(key, CONTENT.length))?.head.toString()).toBe(CONTENT);
});

test('clients are sent to the public address, the service goes to its own', async () => {
  const elsewhere = createStorage({ ...config, S3_PUBLIC_ENDPOINT: 'https://files.bank.test' });
  const { url } = elsewhere.presignPut({
    key: 'uploads/x',
    contentType: 'text/plain',
    contentLength: 1,
    expiresInSeconds: MINUTE,
  });
  expect(url).toMatch(/^https:\/\/files\.bank\.test\/[^/]+\/uploads\/x\?/);
  await elsewhere.ready();
});

test('a store that is not there is a refusal to come back later, not a fault', async () => {
  const S3_ENDPOINT = `http://127.0.0.1:${String(await freePort())}`;
  const gone = createStorage({ ...config, S3_ENDPOINT });
  const calls = [
    () => gone.ready(),
    () => gone.stat('x'),
    () => gone.put('x', Buffer.from('x'), 'text/plain'),
    () => gone.putNew('x', Buffer.from('x'), 'text/plain'),
    () => gone.list('x', 10),
  ];
  for (const call of calls) await expect(call()).rejects.toMatchObject({ code: 'unavailable' });
});

test('a download that begins too late is ended, not left open', async () => {
  const { promise: ended, resolve } = Promise.withResolvers<void>();
  const slow = createServer((_request, response) => {
    response.on('close', resolve);
    setTimeout(() => response.writeHead(200, { 'content-length': '2' }).write('x'), 20_000).unref();
  });
  await new Promise<void>((listening) => slow.listen(0, '127.0.0.1', listening));
  const S3_ENDPOINT = `http://127.0.0.1:${String((slow.address() as AddressInfo).port)}`;
  await expect(createStorage({ ...config, S3_ENDPOINT }).read('x', 1)).rejects.toMatchObject({
    code: 'unavailable',
  });
  await ended;
  await new Promise((closed) => slow.close(closed));
});
