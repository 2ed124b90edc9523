/**
 * AWS Signature Version 4 for S3: an address that carries its own permission, made without asking the store.
 * The `minio` client cannot sign further headers into such an address; here type, size and condition of an upload are signed.
 * https://docs.aws.amazon.com/AmazonS3/latest/API/sigv4-query-string-auth.html
 */
import { createHash, createHmac } from 'node:crypto';

const ALGORITHM = 'AWS4-HMAC-SHA256';

/** The body of a presigned request is not known when it is signed. */
const UNSIGNED_PAYLOAD = 'UNSIGNED-PAYLOAD';

export interface SigningKey {
  readonly accessKey: string;
  readonly secretKey: string;
  readonly region: string;
  /** `s3`, but for the published examples of other services. */
  readonly service: string;
}

export interface SignedRequest {
  readonly method: string;
  /** Where the request goes; a query it has is signed too. */
  readonly url: URL;
  /** Headers that must arrive exactly so, besides `host`. */
  readonly headers: Readonly<Record<string, string>>;
  /** SHA-256 of the body in hex, or `UNSIGNED-PAYLOAD`. */
  readonly payloadHash: string;
  readonly at: Date;
}

/** An address that may be used with just these method and headers until it expires (7 days at most, says S3). */
export function presignedUrl(
  request: Omit<SignedRequest, 'payloadHash'> & { readonly expiresInSeconds: number },
  key: SigningKey,
): URL {
  const url = new URL(request.url);
  const parameters = {
    'X-Amz-Algorithm': ALGORITHM,
    'X-Amz-Credential': `${key.accessKey}/${scopeOf(request.at, key)}`,
    'X-Amz-Date': timestamp(request.at),
    'X-Amz-Expires': String(request.expiresInSeconds),
    'X-Amz-SignedHeaders': signedHeaders(canonicalHeaders(url, request.headers)),
  };
  const query = [...url.searchParams, ...Object.entries(parameters)];
  url.search = canonicalQuery(query);
  const signature = signatureOf({ ...request, url, payloadHash: UNSIGNED_PAYLOAD }, key);
  url.search = `${url.search}&X-Amz-Signature=${signature}`;
  return url;
}

/** The signature itself, for a request whose parameters stand in its query or its headers. */
export function signatureOf(request: SignedRequest, key: SigningKey): string {
  const headers = canonicalHeaders(request.url, request.headers);
  const canonical = [
    request.method,
    canonicalPath(request.url),
    canonicalQuery([...request.url.searchParams]),
    ...headers.map(([name, value]) => `${name}:${value}`),
    '',
    signedHeaders(headers),
    request.payloadHash,
  ].join('\n');
  const toSign = [ALGORITHM, timestamp(request.at), scopeOf(request.at, key), sha256(canonical)].join('\n');
  return hmac(derivedKey(request.at, key), toSign).toString('hex');
}

/** The key of one day, region and service: the secret itself never signs a request. */
export function derivedKey(at: Date, key: SigningKey): Buffer {
  const steps = [dateOf(at), key.region, key.service, 'aws4_request'];
  return steps.reduce(hmac, Buffer.from(`AWS4${key.secretKey}`));
}

function scopeOf(at: Date, key: SigningKey): string {
  return `${dateOf(at)}/${key.region}/${key.service}/aws4_request`;
}

function canonicalHeaders(
  url: URL,
  headers: Readonly<Record<string, string>>,
): (readonly [string, string])[] {
  const all = Object.entries({ host: url.host, ...headers });
  return all
    .map(([name, value]) => [name.toLowerCase(), value.trim().replace(/ +/g, ' ')] as const)
    .sort(byName);
}

function signedHeaders(headers: readonly (readonly [string, string])[]): string {
  return headers.map(([name]) => name).join(';');
}

function canonicalPath(url: URL): string {
  return url.pathname
    .split('/')
    .map((segment) => encode(decodeURIComponent(segment)))
    .join('/');
}

function canonicalQuery(parameters: readonly (readonly [string, string])[]): string {
  return parameters
    .map(([name, value]) => [encode(name), encode(value)] as const)
    .sort(byName)
    .map(([name, value]) => `${name}=${value}`)
    .join('&');
}

/** By code point, not by the machine's language. */
function byName([a]: readonly [string, string], [b]: readonly [string, string]): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

/** RFC 3986: all but the unreserved characters; `encodeURIComponent` leaves five more as they are. */
function encode(text: string): string {
  return encodeURIComponent(text).replace(
    /[!'()*]/g,
    (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}

/** 20130524T000000Z */
function timestamp(at: Date): string {
  return `${at.toISOString().slice(0, 19).replace(/[-:]/g, '')}Z`;
}

function dateOf(at: Date): string {
  return timestamp(at).slice(0, 8);
}

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

function hmac(key: Buffer, text: string): Buffer {
  return createHmac('sha256', key).update(text).digest();
}
