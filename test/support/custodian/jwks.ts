/** Keys that sign webhooks, and a JWKS that a test can change, slow down or break. */
import { generateKeyPairSync, sign as signWith, type KeyObject } from 'node:crypto';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface WebhookKey {
  readonly kid: string;
  readonly publicKey: KeyObject;
  readonly jwk: object;
  /** The signature of these bytes; `header` replaces parts of the JWS header, `hash` the algorithm's. */
  sign(body: Buffer | string, header?: object, hash?: string): string;
}

export function newWebhookKey(kid: string): WebhookKey {
  const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  return {
    ...{ kid, publicKey },
    jwk: { ...publicKey.export({ format: 'jwk' }), kid, use: 'sig' },
    sign(body, header = {}, hash = 'sha512') {
      const head = base64url(JSON.stringify({ alg: 'RS512', kid, ...header }));
      const signature = signWith(hash, Buffer.from(`${head}.${base64url(body)}`), privateKey);
      return `${head}..${signature.toString('base64url')}`;
    },
  };
}

export const base64url = (bytes: Buffer | string): string => Buffer.from(bytes).toString('base64url');

type Answer = (response: ServerResponse) => void;

/** Publishes keys until it is told to answer otherwise; the caller closes it. */
export async function openJwks(...keys: readonly WebhookKey[]) {
  let published = keys;
  let asked = 0;
  const withKeys =
    (headers: Record<string, string> = {}): Answer =>
    (response) =>
      response
        .writeHead(200, { 'Content-Type': 'application/json', ...headers })
        .end(JSON.stringify({ keys: published.map(({ jwk }) => jwk) }));
  let answer = withKeys();
  const server = createServer((_request, response) => {
    asked += 1;
    answer(response);
  });
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${String(port)}/jwks.json`,
    asked: () => asked,
    publish(...next: readonly WebhookKey[]) {
      published = next;
    },
    answer(next: Answer) {
      answer = next;
    },
    /** Publishes again, with these headers. */
    restore(headers?: Record<string, string>) {
      answer = withKeys(headers);
    },
    close() {
      server.close();
      server.closeAllConnections();
    },
  };
}
