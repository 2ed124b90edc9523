/** The API as a client sees it: HTTP and nothing else. */
import { randomBytes, randomUUID } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import { z } from 'zod';
import { PATIENCE_MS } from './patience.ts';
import { until } from './until.ts';
import { stack } from './stack/stack.ts';

const PAUSE_MILLISECONDS = 50;

export type Method = 'GET' | 'HEAD' | 'OPTIONS' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

export interface CallOptions {
  readonly token?: string | undefined;
  /** Sent as JSON. */
  readonly body?: unknown;
  /** Sent as it is, with the Content-Type of `headers` or application/json. */
  readonly bytes?: string | Uint8Array<ArrayBuffer>;
  readonly query?: string | Readonly<Record<string, string>>;
  readonly headers?: Readonly<Record<string, string>>;
  /** A step-up token. */
  readonly stepUp?: string | undefined;
  /** An Idempotency-Key; `newKey()` makes one. */
  readonly key?: string | undefined;
}

export interface Answered {
  readonly status: number;
  readonly headers: Headers;
  /** The body as it came. */
  readonly text: string;
  /** The body read as JSON; undefined where it is none. */
  readonly body: unknown;
  /** The body by a schema; fails the test with the whole answer where it is another. */
  as<S extends z.ZodType>(schema: S): z.output<S>;
}

/** The code of a refusal; the status of any other answer. */
export function codeOf({ body, status }: Answered): string | number {
  return z.looseObject({ code: z.string() }).safeParse(body).data?.code ?? status;
}

export interface ApiClient {
  /** The address this client seems to call from; throttles count by it. */
  readonly address: string;
  call(method: Method, path: string, options?: CallOptions): Promise<Answered>;
}

/**
 * A client with an address of its own, so that no other test's attempts count against it. Where the shared bank says that it is busy, it
 * comes again with the same key, as every client should: what that answer means is for the tests that make a part go away.
 */
export function apiClient(base: string = stack.api, address: string = newAddress()): ApiClient {
  const ask: ApiClient['call'] = async (method, path, options = {}) => {
    const response = await fetch(urlOf(base, path, options.query), {
      method,
      headers: headersOf(address, options),
      body: options.bytes ?? (options.body === undefined ? null : JSON.stringify(options.body)),
    });
    const text = await response.text();
    return answered(`${method} ${path}`, response, text);
  };
  return {
    address,
    call: (method, path, options) => {
      const isRepeatable = base === stack.api && (method !== 'POST' || options?.key !== undefined);
      const once = () => ask(method, path, options);
      return isRepeatable ? patiently(once) : once();
    },
  };
}

const Page = z.looseObject({ items: z.array(z.unknown()), next_cursor: z.string().nullable() });

/** All items of a list, page by page: what a test looks for may stand behind what other tests have made. */
export async function allItems(
  client: ApiClient,
  path: string,
  { token, query }: { token: string; query?: Readonly<Record<string, string>> },
): Promise<unknown[]> {
  const items: unknown[] = [];
  for (let cursor: string | null = ''; cursor !== null;) {
    const from = cursor === '' ? {} : { cursor };
    const page = await client.call('GET', path, { token, query: { limit: '200', ...query, ...from } });
    const { items: more, next_cursor } = page.as(Page);
    items.push(...more);
    cursor = next_cursor;
  }
  return items;
}

/** Does as Retry-After says: a process starts a moment after the answer that asked for it. */
export async function patiently(call: () => Promise<Answered>): Promise<Answered> {
  const deadline = performance.now() + PATIENCE_MS;
  for (;;) {
    const answer = await call();
    if (answer.status !== 503 || performance.now() > deadline) return answer;
    await wait(PAUSE_MILLISECONDS);
  }
}

/** Repeats with the same key, as a client would, until there is an answer other than 503 or none at all. */
export async function insist(ask: () => Promise<Answered>): Promise<Answered> {
  let answer: Answered | undefined;
  let refusal: unknown;
  await until(
    async () => {
      answer = await ask().catch((error: unknown) => {
        refusal = error;
        return undefined;
      });
      return answer !== undefined && answer.status !== 503;
    },
    undefined,
    500,
    () => answer?.text ?? refusal,
  );
  if (answer === undefined) throw new Error('there was no answer');
  return answer;
}

/** A fresh Idempotency-Key. */
export function newKey(): string {
  return randomUUID();
}

/** A network of a private range (RFC 4193) that no other test has. */
export function newAddress(): string {
  const groups = randomBytes(6).toString('hex').match(/.{4}/g) ?? [];
  return `fd00:${groups.join(':')}::1`;
}

function urlOf(base: string, path: string, query: CallOptions['query']): string {
  if (query === undefined) return `${base}${path}`;
  const text = typeof query === 'string' ? query : new URLSearchParams(query).toString();
  return `${base}${path}?${text}`;
}

function headersOf(address: string, options: CallOptions): Record<string, string> {
  const hasBody = options.body !== undefined || options.bytes !== undefined;
  return {
    'X-Forwarded-For': address,
    ...(hasBody ? { 'Content-Type': 'application/json' } : {}),
    ...(options.token === undefined ? {} : { Authorization: `Bearer ${options.token}` }),
    ...(options.stepUp === undefined ? {} : { 'X-Step-Up-Token': options.stepUp }),
    ...(options.key === undefined ? {} : { 'Idempotency-Key': options.key }),
    ...options.headers,
  };
}

function answered(call: string, { status, headers }: Response, text: string): Answered {
  const body = parse(text);
  return {
    status,
    headers,
    text,
    body,
    as: (schema) => {
      const read = schema.safeParse(body);
      if (read.success) return read.data;
      throw new Error(
        `${call} answered ${String(status)} with another body than expected: ${text}\n${read.error.message}`,
      );
    },
  };
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
