/** A client of the API: JSON, bearer tokens, step-up tokens and idempotency keys over HTTP, and nothing of the service's own code. */
import { randomUUID } from 'node:crypto';
import { request } from 'node:http';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';

/** For how long an answer of 503 is asked for again. */
const PATIENCE_MS = 20_000;

export interface Client {
  readonly api: string;
  readonly inbox: string;
  /** The address of this machine that calls come from; the service throttles by it. */
  readonly from?: string;
  /** Hears each answer, and each code that was read in the inbox. */
  readonly hear?: (line: string) => void;
}

export interface Ask {
  readonly token?: string;
  readonly stepUp?: string;
  readonly body?: object;
  /** `true` sends a new idempotency key, a text sends that one. */
  readonly key?: boolean | string;
}

interface Answer {
  readonly status: number;
  readonly text: string;
  /** Seconds after which the service asks for a retry. */
  readonly retryAfter: number | undefined;
}

const Problem = z.looseObject({ code: z.string() });

/** Calls the API and answers whatever it answers, Problems too; the body is parsed if it is JSON. */
export async function answerOf(
  client: Client,
  method: string,
  path: string,
  ask: Ask = {},
): Promise<{ readonly status: number; readonly body: unknown }> {
  const { status, text } = await send(client, method, path, headersOf(ask), ask.body);
  return { status, body: parsed(text) };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

/** Calls the API and reads the answer by its schema; throws the Problem when the status is not 2xx. */
export async function call<S extends z.ZodType>(
  client: Client,
  method: string,
  path: string,
  schema: S,
  ask: Ask = {},
): Promise<z.output<S>> {
  const answer = await patiently(client, method, path, ask);
  if (!isSuccess(answer)) throw new Error(`${method} ${path} was refused: ${answer.text}`);
  return schema.parse(JSON.parse(answer.text));
}

/** Makes a call that has to be refused with this code; throws what the service answered instead. */
export async function expectRefusal(
  client: Client,
  code: string,
  method: string,
  path: string,
  ask: Ask = {},
): Promise<void> {
  const answer = await patiently(client, method, path, ask);
  const refusal = isSuccess(answer) ? undefined : Problem.parse(JSON.parse(answer.text)).code;
  if (refusal !== code)
    throw new Error(`${method} ${path} was to be refused with ${code}, but answered: ${answer.text}`);
}

function isSuccess({ status }: Answer): boolean {
  return status >= 200 && status < 300;
}

/** A process starts a moment after the answer that asked for it; until then, 503 says when to come back. */
async function patiently(client: Client, method: string, path: string, ask: Ask): Promise<Answer> {
  const deadline = performance.now() + PATIENCE_MS;
  const headers = headersOf(ask);
  for (;;) {
    const answer = await send(client, method, path, headers, ask.body);
    client.hear?.(`${method} ${path}  →  ${answer.status}`);
    const { status, retryAfter } = answer;
    if (status !== 503 || retryAfter === undefined || performance.now() > deadline) return answer;
    await sleep(retryAfter * 1_000);
  }
}

function headersOf({ token, stepUp, key, body }: Ask): Record<string, string> {
  return {
    ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
    ...(stepUp === undefined ? {} : { 'x-step-up-token': stepUp }),
    ...(key === undefined || key === false ? {} : { 'idempotency-key': key === true ? randomUUID() : key }),
  };
}

/** With node:http rather than fetch, because fetch cannot choose the address that a call comes from. */
function send(
  { api, from }: Client,
  method: string,
  path: string,
  headers: Record<string, string>,
  body: object | undefined,
): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const options = { method, headers, ...(from === undefined ? {} : { localAddress: from }) };
    const sent = request(new URL(path, api), options, (response) => {
      const wait = response.headers['retry-after'];
      const retryAfter = wait === undefined ? undefined : Number(wait);
      text(response)
        .then((content) => resolve({ status: response.statusCode ?? 0, text: content, retryAfter }))
        .catch(reject);
    });
    sent.on('error', (error: NodeJS.ErrnoException) =>
      reject(new Error(`${method} ${api}${path} got no answer: ${error.code ?? error.message}`)),
    );
    sent.end(body === undefined ? undefined : JSON.stringify(body));
  });
}
