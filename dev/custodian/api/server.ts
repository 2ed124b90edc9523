/** The API on HTTP: who calls, what was asked before, what is to go wrong, and the call itself. */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { z } from 'zod';
import type { Fault } from '../../simulators/faults.ts';
import type { Control } from '../../simulators/control.ts';
import type { World } from '../state/world.ts';
import type { Signer } from '../webhooks/signing.ts';
import type { Signed } from './authentication.ts';
import { badRequest, notFound, Refused } from './refused.ts';
import type { Reply, Route } from './route.ts';

export interface ApiOptions {
  readonly world: World;
  readonly routes: readonly Route[];
  readonly signer: Signer;
  readonly control: Pick<Control, 'faultOf' | 'note'>;
  authenticate(request: Signed): Promise<void>;
}

const LARGEST_BODY = 1024 * 1024;
const KEY_LENGTH = 40;
const KEY_HOURS = 24;
const RETRY_AFTER_SECONDS = 1;
/** The calls that have no route below `/v1`. */
const JWKS = '/.well-known/jwks.json';

/** What is known of a request once its route is. */
interface Asked {
  readonly route: Route;
  readonly params: readonly string[];
  readonly url: URL;
  readonly body: Buffer;
  readonly key: string | undefined;
}

/** The server; the caller lets it listen. */
export function createApi({ world, routes, signer, control, authenticate }: ApiOptions): Server {
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

  /** The answer that the same Idempotency-Key had; an internal error has used it up. */
  function earlier(key: string | undefined): Reply | undefined {
    if (key === undefined) return undefined;
    if (key.length > KEY_LENGTH)
      throw badRequest(`Idempotency-Key: at most ${String(KEY_LENGTH)} characters`);
    const kept = world.answers.get(key);
    if (kept === undefined || Date.now() - kept.at > KEY_HOURS * 3_600_000) return undefined;
    if (kept.status === null)
      throw badRequest(
        "This operation doesn't support the usage of the same idempotency key after an internal error",
      );
    return { status: kept.status, body: kept.body };
  }

  function carryOut({ route, params, url, body, key }: Asked): Reply {
    const address = `${url.origin}${url.pathname}`;
    return world.act(() => {
      const reply = refusalsAsReplies(() =>
        route.handle({ params, query: url.searchParams, body: jsonOf(body), address }),
      );
      if (key !== undefined)
        world.answers.set(key, { at: Date.now(), status: reply.status ?? 200, body: reply.body });
      return reply;
    }).result;
  }

  /** An internal error uses the key up, and the external id as well if the request got so far. */
  function useUp({ route, body, key }: Asked, fault: Fault): void {
    world.act(() => {
      if (key !== undefined && world.answers.get(key) === undefined)
        world.answers.set(key, { at: Date.now(), status: null, body: null });
      const id = route.call === 'create_transaction' ? externalIdIn(body) : undefined;
      if (fault === 'http_500' && id !== undefined && world.externalIds.get(id) === undefined)
        world.externalIds.set(id, { id, transaction: null });
    });
  }

  /** Undefined if there is to be no answer. */
  function replyTo(asked: Asked, fault: Fault | undefined): Reply | undefined {
    switch (fault) {
      case 'refuse':
        throw new Refused(401, -8, 'The API user has no permission for this call');
      case 'http_429':
        return {
          ...{ status: 429, body: { message: 'Too many requests' } },
          headers: { 'Retry-After': String(RETRY_AFTER_SECONDS) },
        };
      case 'http_500':
      case 'http_503':
        useUp(asked, fault);
        return { status: Number(fault.slice(-3)), body: { message: 'Something went wrong at Fireblocks' } };
      case 'timeout':
        return undefined;
      case 'timeout_after_commit':
      case undefined: {
        const reply = earlier(asked.key) ?? carryOut(asked);
        return fault === undefined ? reply : undefined;
      }
    }
  }

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { method, url: path, headers } = request;
    const shown = { method, path, user_agent: headers['user-agent'] };
    let [call, fault]: [string, Fault | undefined] = ['unknown', undefined];
    let reply: Reply | undefined;
    try {
      if (path === JWKS) {
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
    control.note(
      call,
      { ...shown, status: reply?.status ?? (reply === undefined ? null : 200), ...codeIn(reply) },
      fault,
    );
    // the caller gives up, and closes the connection
    if (reply === undefined) return;
    const { status = 200, body, headers: more = {} } = reply;
    const text = body === undefined ? '' : JSON.stringify(body);
    response.writeHead(status, { 'Content-Type': 'application/json', ...more }).end(text);
  }

  return createServer((request, response) => void answer(request, response));
}

function jwksReply(signer: Signer, fault: Fault | undefined): Reply | undefined {
  if (fault === 'timeout' || fault === 'timeout_after_commit') return undefined;
  if (fault !== undefined) return { status: fault === 'refuse' ? 403 : Number(fault.slice(-3)), body: {} };
  return { body: signer.jwks(), headers: { 'Cache-Control': 'public, max-age=3600' } };
}

/** The code of an error, for the log. */
function codeIn(reply: Reply | undefined): object {
  const found = z.looseObject({ code: z.number() }).safeParse(reply?.body);
  return found.success ? { code: found.data.code } : {};
}

function refusalsAsReplies(act: () => Reply): Reply {
  try {
    return act();
  } catch (error) {
    if (error instanceof Refused) return replyOf(error);
    throw error;
  }
}

function replyOf(error: unknown): Reply {
  if (!(error instanceof Refused))
    return { status: 500, body: { message: error instanceof Error ? error.message : String(error) } };
  const { status, code, message } = error;
  return { status, body: { message, ...(code === null ? {} : { code }) } };
}

function patternOf(path: string): RegExp {
  return new RegExp(`^/v1${path.replaceAll('{}', '([^/]+)')}$`);
}

function textOf(header: string | readonly string[] | undefined): string | undefined {
  return typeof header === 'string' ? header : header?.[0];
}

/** Calls without a body come with the type of JSON all the same. */
function jsonOf(body: Buffer): unknown {
  if (body.length === 0) return {};
  try {
    return JSON.parse(body.toString());
  } catch {
    throw badRequest('The body is not JSON');
  }
}

function externalIdIn(body: Buffer): string | undefined {
  const found = z.looseObject({ externalTxId: z.string() }).safeParse(jsonOf(body));
  return found.success ? found.data.externalTxId : undefined;
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
