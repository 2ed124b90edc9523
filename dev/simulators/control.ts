/**
 * What every simulator has beside its own trade: faults that are asked for beforehand, a log of what was exchanged, and a page that
 * shows both. Without a login and therefore on loopback only.
 */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { z } from 'zod';
import { FAULTS, type ArmedFault, type Fault } from './faults.ts';
import { controlPage, type Details, type Exchange, type Simulator } from './page.ts';

export interface Control {
  readonly server: Server;
  /** The fault that this call shall have, which is then used up once. */
  faultOf(call: string): Fault | undefined;
  /** Keeps an exchange for the log. */
  note(call: string, details: Details, fault?: Fault): void;
}

const MOST_KEPT = 500;
const LARGEST_BODY = 1024 * 1024;
const JSON_TYPE = 'application/json';
const LOOPBACK = /^(127\.0\.0\.1|localhost|\[::1\])(:\d+)?$/;

/** What a route of a simulator answers, as JSON. */
export interface Answer {
  readonly status: number;
  readonly body: unknown;
}

type Route = (body: unknown, id: string) => Promise<Answer>;

/** A simulator with what it does beyond what all do. */
export interface Controlled extends Simulator {
  /** By method and path, such as `POST /messages` or `POST /tapes/{name}/play`; each is given the JSON body, and that one part of the path. */
  readonly routes?: Readonly<Record<string, Route>>;
  /** HTML for its page. Never throws. */
  readonly more?: () => Promise<string>;
  /** Answers a request of the simulator's own protocol; false if the request is one to the control. */
  readonly serve?: (request: IncomingMessage, response: ServerResponse) => boolean;
}

/** The control of one simulator; the caller lets it listen. */
export function createControl({ title, about, calls, routes = {}, more, serve }: Controlled): Control {
  const log: Exchange[] = [];
  let faults: ArmedFault[] = [];
  const Wish = z.strictObject({
    call: z.enum(Object.keys(calls)),
    fault: z.enum(FAULTS),
    times: z.int().min(1).max(1_000_000).default(1),
  });

  async function answer(request: IncomingMessage): Promise<Answer> {
    if (!isByName(request)) return problem(403, 'only by the name of this machine');
    const route = `${request.method ?? ''} ${request.url?.split('?')[0] ?? ''}`;
    switch (route) {
      case 'GET /log':
        return { status: 200, body: { items: log } };
      case 'GET /faults':
        return { status: 200, body: { faults } };
      case 'DELETE /faults':
        faults = [];
        return { status: 200, body: { faults } };
      case 'POST /faults': {
        if (!isJson(request)) return problem(415, 'send application/json');
        const wish = Wish.safeParse(await bodyOf(request));
        if (!wish.success) return problem(400, z.prettifyError(wish.error));
        faults = [...faults, wish.data];
        return { status: 200, body: { faults } };
      }
      default:
        return ownRoute(routes, route, request);
    }
  }

  async function page(): Promise<Answer> {
    return {
      status: 200,
      body: controlPage({ title, about, calls, faults, log, more: (await more?.()) ?? '' }),
    };
  }

  const server = createServer((request, response) => {
    if (isByName(request) && serve?.(request, response) === true) return;
    const isPage = request.method === 'GET' && request.url === '/';
    const answering = isPage ? page() : answer(request).catch(() => problem(400, 'the body cannot be read'));
    void answering.then((reply) => send(response, reply, isPage ? 'text/html; charset=utf-8' : JSON_TYPE));
  });

  return {
    server,
    faultOf(call) {
      const next = faults.find((armed) => armed.call === call);
      faults = next === undefined ? faults : withoutOne(faults, next);
      return next?.fault;
    },
    note(call, details, fault) {
      log.unshift({
        ...details,
        at: new Date().toISOString(),
        call,
        ...(fault === undefined ? {} : { fault }),
      });
      log.length = Math.min(log.length, MOST_KEPT);
    },
  };
}

function send(response: ServerResponse, { status, body }: Answer, type: string): void {
  const text = type === JSON_TYPE ? JSON.stringify(body) : String(body);
  response.writeHead(status, { 'Content-Type': type }).end(text);
}

/** Carries out what a route of a simulator does; a body that cannot be used is a 400 that names the field. */
export async function answered(act: () => unknown): Promise<Answer> {
  try {
    return { status: 200, body: await act() };
  } catch (error) {
    const detail = error instanceof z.ZodError ? z.prettifyError(error) : String(error);
    return { status: error instanceof z.ZodError ? 400 : 502, body: { detail } };
  }
}

async function ownRoute(
  routes: Readonly<Record<string, Route>>,
  name: string,
  request: IncomingMessage,
): Promise<Answer> {
  const [own, id] = routeOf(routes, name);
  if (own === undefined) return problem(404, `there is no ${name}`);
  if (request.method === 'GET') return own(undefined, id);
  if (isBare(request)) return own({}, id);
  return isJson(request) ? own(await bodyOf(request), id) : problem(415, 'send application/json');
}

/** The route of that name, or one with a part in braces, and what stands there. */
function routeOf(
  routes: Readonly<Record<string, Route>>,
  name: string,
): readonly [Route | undefined, string] {
  const exact = routes[name];
  if (exact !== undefined) return [exact, ''];
  for (const [pattern, route] of Object.entries(routes)) {
    const [before = '', after] = pattern.split(/\{\w+\}/);
    if (after === undefined || !name.startsWith(before) || !name.endsWith(after)) continue;
    const part = name.slice(before.length, name.length - after.length);
    if (part !== '' && !part.includes('/')) return [route, part];
  }
  return [undefined, ''];
}

/** The faults that are left once one of them has been used up once. */
function withoutOne(faults: readonly ArmedFault[], used: ArmedFault): ArmedFault[] {
  const left = { ...used, times: used.times - 1 };
  return faults.flatMap((armed) => (armed !== used ? [armed] : left.times > 0 ? [left] : []));
}

/** An answer that says what is wrong. */
export function problem(status: number, detail: string): Answer {
  return { status, body: { status, detail } };
}

/** A page of somebody else in the same browser must control nothing. */
function isByName({ headers }: IncomingMessage): boolean {
  return LOOPBACK.test(headers.host ?? '');
}

/** A form of a foreign page cannot send it unasked. */
function isJson({ headers }: IncomingMessage): boolean {
  return /^application\/json\b/.test(headers['content-type'] ?? '');
}

/** Without a body, and from no page: browsers name theirs. */
function isBare({ headers }: IncomingMessage): boolean {
  const isEmpty = (headers['content-length'] ?? '0') === '0' && headers['transfer-encoding'] === undefined;
  return isEmpty && headers.origin === undefined;
}

async function bodyOf(request: IncomingMessage): Promise<unknown> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request) {
    const part = z.instanceof(Buffer).parse(chunk);
    bytes += part.length;
    if (bytes > LARGEST_BODY) throw new Error('too large');
    chunks.push(part);
  }
  return JSON.parse(Buffer.concat(chunks).toString());
}

/** Lets a control listen on loopback; throws with the variable's name if the port is taken. */
export async function listenOnLoopback(server: Server, port: number, variable: string): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => {
      reject(new Error(`${variable}: port ${String(port)} cannot be used (${error.code ?? error.message})`));
    });
    server.listen(port, '127.0.0.1', resolve);
  });
}
