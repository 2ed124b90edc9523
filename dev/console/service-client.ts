/** Calling the running API by hand: any path, and logging in as somebody whose mail is in the inbox. */
import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import { nextCodeOf } from '../tour/tour-client.ts';

export interface CallOptions {
  readonly token?: string;
  /** The proof of a second factor, for operations that ask for one. */
  readonly stepUp?: string;
  readonly body?: object;
  /** For operations that refuse to be repeated without one; `true` makes a new one. */
  readonly key?: string | true;
}

export interface CallAnswer {
  readonly status: number;
  /** Parsed where it is JSON, else as text. */
  readonly body: unknown;
}

export interface ServiceClient {
  /** Answers whatever the API answers, Problems too. */
  api(method: string, path: string, options?: CallOptions): Promise<CallAnswer>;
  /** An access token; where a code is asked for, it is read from the inbox. */
  login(identifier: string, password: string): Promise<string>;
}

const Login = z.union([z.object({ access_token: z.string() }), z.object({ challenge_id: z.string() })]);
const Tokens = z.object({ access_token: z.string() });

/** A client of the API at one address and the mail inbox at another. */
export function createServiceClient(apiUrl: string, inboxUrl: string): ServiceClient {
  const api: ServiceClient['api'] = async (method, path, options = {}) => {
    const { body, token, stepUp, key } = options;
    const answer = await fetch(new URL(path, apiUrl), {
      method,
      headers: {
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
        ...(stepUp === undefined ? {} : { 'x-step-up-token': stepUp }),
        ...(key === undefined ? {} : { 'idempotency-key': key === true ? randomUUID() : key }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await answer.text();
    const json = /\bjson\b/.test(answer.headers.get('content-type') ?? '');
    const parsed: unknown = json && text !== '' ? JSON.parse(text) : text;
    return { status: answer.status, body: parsed };
  };
  const post = async <S extends z.ZodType>(path: string, schema: S, body: object): Promise<z.output<S>> => {
    const answer = await api('POST', path, { body });
    if (answer.status >= 300) throw new Error(`${path} was refused: ${JSON.stringify(answer.body)}`);
    return schema.parse(answer.body);
  };
  return {
    api,
    async login(identifier, password) {
      // asked first, so that an older code in the inbox is not taken for the new one
      const code = await nextCodeOf({ api: apiUrl, inbox: inboxUrl }, identifier);
      const first = await post('/v1/auth/login', Login, { identifier, password });
      if ('access_token' in first) return first.access_token;
      const proof = { challenge_id: first.challenge_id, code: await code() };
      return (await post('/v1/auth/login/mfa', Tokens, proof)).access_token;
    },
  };
}
