/** The object store: any S3 through the `minio` client, and addresses that let a client upload or download one object. */
import { createHash, randomBytes } from 'node:crypto';
import { Client } from 'minio';
import { addAbortSignal, type Readable } from 'node:stream';
import type { Config } from '../config.ts';
import { Refusal } from '../domain/refusals.ts';
import { within } from './in-time.ts';
import { partFailures } from './metrics.ts';
import { listKeys } from './object-list.ts';
import { presignedUrl, type SigningKey } from './signature-v4.ts';

/** A call that has not answered by then counts as failed. */
const ANSWER_MILLISECONDS = 5_000;

/** A whole object must have come by then; 10 MiB take far less. */
const READ_MILLISECONDS = 20_000;

/** The request that a client must send: other headers, another size or another type do not match its signature. */
export interface PresignedPut {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
}

/** What an object holds, read from its first byte to its last. */
export interface ObjectContent {
  /** The first bytes, by which a type is known. */
  readonly head: Buffer;
  readonly sha256: Buffer;
}

export interface Storage {
  /** Permits one upload to a place where nothing is yet. Signed here, without asking the store. */
  presignPut(upload: {
    readonly key: string;
    readonly contentType: string;
    /** The store refuses any other size. */
    readonly contentLength: number;
    readonly expiresInSeconds: number;
  }): PresignedPut;
  /** Permits the download of one object, offered to be saved under the name unless it `isShown`. Signed here, without asking the store. */
  presignGet(download: {
    readonly key: string;
    readonly fileName: string;
    readonly contentType: string;
    readonly expiresInSeconds: number;
    /** Shown in the browser instead of saved. Only for what is known to be an image or PDF. */
    readonly isShown?: boolean;
  }): string;
  /** Null where there is no object. */
  stat(key: string): Promise<{ readonly bytes: number } | null>;
  /** Reads the whole object as a stream; null where there is none. */
  read(key: string, headBytes: number): Promise<ObjectContent | null>;
  put(key: string, content: Buffer, contentType: string): Promise<void>;
  /** As `put`, to a place where nothing is yet; false if something is there. */
  putNew(key: string, content: Buffer, contentType: string): Promise<boolean>;
  /** Nothing there is as good as removed. */
  remove(key: string): Promise<void>;
  /** Keys that begin with the prefix, in their order, at most `limit` of them. */
  list(prefix: string, limit: number): Promise<string[]>;
  /** The whole object in memory; null where there is none, 'too_large' where it has more bytes than these. */
  content(key: string, most: number): Promise<Buffer | 'too_large' | null>;
  /** To another place, over what is there. Nothing there is as good as moved. */
  move(from: string, to: string): Promise<void>;
  /** Throws where the store or its bucket does not answer. */
  ready(): Promise<void>;
}

/** A place nobody can guess, and which says nothing about what is there. */
export function newObjectKey(): string {
  return `uploads/${randomBytes(24).toString('base64url')}`;
}

/** Where the copy is that people see of an identity document. */
export function viewingKey(objectKey: string): string {
  return `${objectKey}.view`;
}

/** The real store. Every call throws the refusal `unavailable` where the store does not answer. */
export function createStorage(config: Config): Storage {
  const bucket = config.S3_BUCKET;
  const client = connect(config);
  const key: SigningKey = {
    accessKey: config.S3_ACCESS_KEY,
    secretKey: config.S3_SECRET_KEY,
    region: config.S3_REGION,
    service: 's3',
  };
  const address = (object: string, endpoint = config.S3_PUBLIC_ENDPOINT ?? config.S3_ENDPOINT): URL =>
    new URL(`/${bucket}/${object}`, endpoint);
  return {
    presignPut: ({ key: object, contentType, contentLength, expiresInSeconds }) =>
      permission({ url: address(object), contentType, contentLength, expiresInSeconds }, key),
    putNew: (object, content, contentType) => {
      const place = { url: address(object, config.S3_ENDPOINT), contentType };
      return putOnce(
        permission({ ...place, contentLength: content.length, expiresInSeconds: 60 }, key),
        content,
      );
    },
    presignGet({ key: object, fileName, contentType, expiresInSeconds, isShown = false }) {
      const url = address(object);
      url.searchParams.set('response-content-type', contentType);
      url.searchParams.set('response-content-disposition', disposition(fileName, isShown));
      return presignedUrl({ method: 'GET', url, headers: {}, at: new Date(), expiresInSeconds }, key).href;
    },
    stat: (object) =>
      whereThere(async () => ({ bytes: (await answered(client.statObject(bucket, object))).size })),
    read: (object, headBytes) =>
      whereThere(async () => readContent(await download(client.getObject(bucket, object)), headBytes)),
    put: async (object, content, contentType) => {
      const metadata = { 'Content-Type': contentType };
      await answered(client.putObject(bucket, object, content, content.length, metadata));
    },
    remove: (object) => answered(client.removeObject(bucket, object)),
    list: (prefix, limit) => {
      const sign = (parameters: Readonly<Record<string, string>>): URL => {
        const url = new URL(`/${bucket}?${new URLSearchParams(parameters).toString()}`, config.S3_ENDPOINT);
        return presignedUrl({ method: 'GET', url, headers: {}, at: new Date(), expiresInSeconds: 60 }, key);
      };
      return listKeys(sign, prefix, limit);
    },
    content: (object, most) =>
      whereThere(async () => readAtMost(await download(client.getObject(bucket, object)), most)),
    move: async (from, to) => {
      const copied = await whereThere(() => answered(client.copyObject(bucket, to, `/${bucket}/${from}`)));
      if (copied !== null) await answered(client.removeObject(bucket, from));
    },
    ready: async () => {
      if (!(await answered(client.bucketExists(bucket))))
        throw new Error('the store has no bucket for uploads');
    },
  };
}

interface Place {
  readonly url: URL;
  readonly contentType: string;
  readonly contentLength: number;
  readonly expiresInSeconds: number;
}

/** What is there stays: a confirmed object cannot be exchanged through its old address. */
function permission(
  { url, contentType, contentLength, expiresInSeconds }: Place,
  key: SigningKey,
): PresignedPut {
  const headers = {
    'content-type': contentType,
    'if-none-match': '*',
    'content-length': String(contentLength),
  };
  const request = { method: 'PUT', url, headers, at: new Date(), expiresInSeconds };
  return { url: presignedUrl(request, key).href, headers };
}

/** With `fetch`, because the `minio` client cannot ask the store to refuse what is there already. */
async function putOnce({ url, headers }: PresignedPut, content: Buffer): Promise<boolean> {
  const { 'content-length': _length, ...sent } = headers;
  const signal = AbortSignal.timeout(READ_MILLISECONDS);
  const body = new Uint8Array(content);
  const answer = await fetch(url, { method: 'PUT', headers: sent, body, signal }).catch(() => null);
  if (answer === null || answer.status >= 500) throw unavailable();
  await answer.arrayBuffer();
  if (answer.status === 412) return false;
  if (!answer.ok) throw new Error(`the store answered ${String(answer.status)} to an upload`);
  return true;
}

function connect(config: Config): Client {
  const endpoint = new URL(config.S3_ENDPOINT);
  return new Client({
    endPoint: endpoint.hostname,
    useSSL: endpoint.protocol === 'https:',
    ...(endpoint.port === '' ? {} : { port: Number(endpoint.port) }),
    accessKey: config.S3_ACCESS_KEY,
    secretKey: config.S3_SECRET_KEY,
    // given, so that the client need not ask the store for it
    region: config.S3_REGION,
    pathStyle: true,
  });
}

/** The stream is destroyed with the loop, also where reading it fails. */
async function readContent(stream: Readable, headBytes: number): Promise<ObjectContent> {
  const bounded = addAbortSignal(AbortSignal.timeout(READ_MILLISECONDS), stream);
  const hash = createHash('sha256');
  const head: Buffer[] = [];
  let wanted = headBytes;
  for await (const chunk of bounded as AsyncIterable<Buffer>) {
    hash.update(chunk);
    if (wanted > 0) {
      head.push(chunk.subarray(0, wanted));
      wanted -= chunk.length;
    }
  }
  return { head: Buffer.concat(head), sha256: hash.digest() };
}

async function readAtMost(stream: Readable, most: number): Promise<Buffer | 'too_large'> {
  const bounded = addAbortSignal(AbortSignal.timeout(READ_MILLISECONDS), stream);
  const chunks: Buffer[] = [];
  let left = most;
  for await (const chunk of bounded as AsyncIterable<Buffer>) {
    left -= chunk.length;
    if (left < 0) return 'too_large';
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

/** RFC 6266: a plain name for old clients, the real one in UTF-8 for all others. */
function disposition(fileName: string, isShown: boolean): string {
  const plain = fileName.replace(/[^\x20-\x7e]|["\\%]/g, '_');
  const encoded = encodeURIComponent(fileName).replace(
    /['()*]/g,
    (char) => `%${char.charCodeAt(0).toString(16)}`,
  );
  return `${isShown ? 'inline' : 'attachment'}; filename="${plain}"; filename*=UTF-8''${encoded}`;
}

/** The client itself waits without end for a store that accepts a connection and says nothing. */
async function answered<T>(call: Promise<T>): Promise<T> {
  try {
    return await within(ANSWER_MILLISECONDS, call, () => {
      throw unavailable();
    });
  } catch (error) {
    throw isUnreachable(error) ? unavailable() : error;
  }
}

function unavailable(): Refusal {
  partFailures.inc({ part: 'storage' });
  return new Refusal('unavailable', { retryAfter: 2 });
}

/** One that begins when nobody waits for it any more is ended: its connection would stay open. */
async function download(call: Promise<Readable>): Promise<Readable> {
  try {
    return await answered(call);
  } catch (error) {
    void call.then(
      (late) => late.destroy(),
      () => undefined,
    );
    throw error;
  }
}

async function whereThere<T>(call: () => Promise<T>): Promise<T | null> {
  try {
    return await call();
  } catch (error) {
    if (codeOf(error) === 'NotFound' || codeOf(error) === 'NoSuchKey') return null;
    throw error;
  }
}

function isUnreachable(error: unknown): boolean {
  const codes = [
    'ECONNREFUSED',
    'ECONNRESET',
    'EHOSTUNREACH',
    'ENOTFOUND',
    'ETIMEDOUT',
    'EPIPE',
    'SlowDown',
    'ServiceUnavailable',
  ];
  return codes.includes(codeOf(error) ?? '');
}

/** S3's error code, or that of the socket. */
function codeOf(error: unknown): string | undefined {
  if (typeof error !== 'object' || error === null || !('code' in error)) return undefined;
  return typeof error.code === 'string' ? error.code : undefined;
}
