/** The HTTP server of the API: authentication, routing, answers and log entries. */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { z } from 'zod';
import type { Control } from '../../simulators/control.ts';
import type { Fault } from '../../simulators/faults.ts';
import type { World } from '../state/world.ts';
import type { Signer } from '../webhooks/signing.ts';
import type { Signed } from './authentication.ts';
import { createCalls, replyOf, type Asked } from './calls.ts';
import { notFound, Refused } from './refused.ts';
import type { Reply, Route } from './route.ts';

export interface ApiOptions {
  readonly world: World;
  readonly routes: readonly Route[];
  readonly signer: Signer;
  readonly control: Pick<Control, 'faultOf' | 'note'>;
  authenticate(request: Signed): Promise<void>;
}

const LARGEST_BODY = 1024 * 1024;
/** The only address that needs no token. */
const JWKS = '/.well-known/jwks.json';

/** The server; the caller lets it listen. */
export function createApi({ world, routes, signer, control, authenticate }: ApiOptions): Server {
  const replyTo = createCalls(world);
  const matchers = routes.map((route) => ({ route, pattern: patternOf(route.path) }));

  async function ask(request: IncomingMessage): Promise<Asked> {
    const url = new URL(request.url ?? '/', `http://${request.headers.host ?? 'localhost'}`);
    const body = await bodyOf(request);
    await authenticate({
      ...{ url: request.url ?? '', body, apiKey: textOf(request.headers['x-api-key']) },
      authorization: request.headers.authorization,
    });
    for (const { route, pattern } of matchers) {
      const match = route.method === request.method ? pattern.exec(url.pathname) : null;
      if (match === null) continue;
      const key = route.method === 'POST' ? textOf(request.headers['idempotency-key']) : undefined;
      return { route, params: match.slice(1).map(decodeURIComponent), url, body, key };
    }
    throw notFound(`There is no ${request.method ?? ''} ${url.pathname}`);
  }

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    let [call, fault]: [string, Fault | undefined] = ['unknown', undefined];
    let reply: Reply | undefined;
    try {
      if (request.url === JWKS) {
        [call, fault] = ['jwks', control.faultOf('jwks')];
        reply = jwksReply(signer, fault);
      } else {
        const asked = await ask(request);
        [call, fault] = [asked.route.call, control.faultOf(asked.route.call)];
        reply = replyTo(asked, fault);
      }
    } catch (error) {
      reply = replyOf(error);
    }
    const { method, url: path, headers } = request;
    const status = reply === undefined ? null : (reply.status ?? 200);
    control.note(call, { method, path, user_agent: headers['user-agent'], status, ...codeIn(reply) }, fault);
    if (reply !== undefined) send(response, reply);
    // otherwise the caller gives up, and closes the connection
  }

  return createServer((request, response) => void answer(request, response));
}

function send(response: ServerResponse, { status = 200, body, headers = {} }: Reply): void {
  const text = body === undefined ? '' : JSON.stringify(body);
  response.writeHead(status, { 'Content-Type': 'application/json', ...headers }).end(text);
}

function jwksReply(signer: Signer, fault: Fault | undefined): Reply | undefined {
  switch (fault) {
    case undefined:
      return { body: signer.jwks(), headers: { 'Cache-Control': 'public, max-age=3600' } };
    case 'timeout':
    case 'timeout_after_commit':
      return undefined;
    case 'refuse':
      return { status: 403, body: {} };
    case 'http_500':
    case 'http_503':
    case 'http_429':
      return { status: Number(fault.slice('http_'.length)), body: {} };
  }
}

/** The code of an error, for the log. */
function codeIn(reply: Reply | undefined): object {
  const found = z.looseObject({ code: z.number() }).safeParse(reply?.body);
  return found.success ? { code: found.data.code } : {};
}

function patternOf(path: string): RegExp {
  return new RegExp(`^/v1${path.replaceAll('{}', '([^/]+)')}$`);
}

function textOf(header: string | readonly string[] | undefined): string | undefined {
  return typeof header === 'string' ? header : header?.[0];
}

async function bodyOf(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request) {
    const part = z.instanceof(Buffer).parse(chunk);
    bytes += part.length;
    if (bytes > LARGEST_BODY) throw new Refused(413, null, 'The body is too large');
    chunks.push(part);
  }
  return Buffer.concat(chunks);
}
