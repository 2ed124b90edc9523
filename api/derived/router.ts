/** Routes, made from the declarations: a router for each first noun of a path, so that a call does not pass 170 patterns. */
import Router, { type RouterMiddleware } from '@koa/router';
import { z } from 'zod';
import { isRefusal, refuse } from '../../domain/refusals.ts';
import type { Operation } from '../declaration/operation.ts';
import { PendingChange } from '../platform/changes/schemas.ts';
import { etagOf } from '../pipeline/etag.ts';
import type { Frame } from '../pipeline/frame.ts';
import type { Rendered } from '../pipeline/idempotency.ts';
import { withDeadline } from '../pipeline/http/limits.ts';
import { perform, type Incoming } from '../pipeline/perform.ts';
import type { FrameState, Step } from '../pipeline/http/state.ts';
import { discard, send, type Begun } from '../pipeline/stream.ts';

const USER_AGENT_CHARACTERS = 300;
/** Several ids of a path fit in. */
const RESOURCE_CHARACTERS = 120;
/** Schemas of what is made begin with its id. */
const MADE_ID = /^\{"id":"([\w-]{1,64})"/;
/** Shorter than a signing key is announced ahead of its first use. */
const WELL_KNOWN_CACHING = 'public, max-age=300';

/** Answers all declared operations; a path that none has is refused not_found. Throws where two declarations contradict each other. */
export function createRouter(operations: readonly Operation[], frame: Frame): Step {
  requireDistinct(operations);
  operations.forEach(requireParams);
  const routers = new Map<string, Router<FrameState>>();
  for (const operation of operations.toSorted(staticFirst)) {
    const noun = nounOf(operation.path);
    const router = routers.get(noun) ?? new Router<FrameState>({ strict: true, sensitive: true });
    routers.set(noun, router);
    router.register(koaPath(operation.path), [operation.method.toLowerCase()], answering(operation, frame));
  }
  const routes = new Map([...routers].map(([noun, router]) => [noun, router.routes()] as const));
  return async (ctx, next) => {
    const route = routes.get(nounOf(ctx.path));
    await (route === undefined ? next() : route(ctx as Parameters<typeof route>[0], next));
  };
}

/** A path of ours with another method: 404 as any other, but `Allow` tells what there is; OPTIONS is answered. */
export function unknownRoute(operations: readonly Operation[]): Step {
  const patterns = operations.map(({ path, method }) => ({
    method,
    pattern: new RegExp(`^${path.replaceAll('.', '\\.').replace(/\{\w+\}/g, '[^/]+')}$`),
  }));
  return (ctx) => {
    const methods = patterns.filter(({ pattern }) => pattern.test(ctx.path)).map(({ method }) => method);
    if (methods.length === 0) throw refuse('not_found');
    const allowed = new Set([...methods, ...(methods.includes('GET') ? ['HEAD'] : []), 'OPTIONS']);
    ctx.set('Allow', [...allowed].join(', '));
    if (ctx.method !== 'OPTIONS') throw refuse('not_found');
    ctx.status = 204;
  };
}

function answering(operation: Operation, frame: Frame): RouterMiddleware<FrameState> {
  return async (ctx) => {
    ctx.state.operation = operation;
    noteResource(ctx, idsIn(ctx.params));
    const performing = perform(operation, incoming(ctx), frame);
    const { result, replayed } = await withDeadline(() => performing).catch((error: unknown) => {
      // what comes after its deadline is for nobody
      void performing
        .then(({ result: late }) => ('parts' in late ? discard(late) : undefined))
        .catch(() => undefined);
      throw error;
    });
    if (replayed) ctx.set('Idempotent-Replayed', 'true');
    if (isRefusal(result)) throw result;
    if ('parts' in result) return sending(ctx, result, frame);
    const etag = etagOf(operation, result.body);
    if (etag !== null) ctx.set('ETag', etag);
    // documents of RFC 8615 are for everybody, and asked for often
    if (operation.path.startsWith('/.well-known/')) ctx.set('Cache-Control', WELL_KNOWN_CACHING);
    ctx.status = result.status;
    const waits = locationOf(operation, result);
    if (waits !== null) ctx.set('Location', waits);
    if (result.body === null) return;
    if (operation.status === 201) noteResource(ctx, MADE_ID.exec(result.body)?.[1]);
    ctx.set('Content-Type', 'application/json');
    ctx.body = result.body;
  };
}

/** An id, or a code such as that of a transfer type or a currency. */
const SHOWN = /^(?:[0-9a-f]{8}-[0-9a-f-]{27}|[a-z][a-z0-9_-]{0,39}|[A-Z]{3})$/;

/** The places of a path, as the call has filled them in; what could be anything else is left out. */
function idsIn(params: unknown): string {
  return Object.values(params ?? {})
    .map((value) => (typeof value === 'string' && SHOWN.test(value) ? value : '-'))
    .join('/');
}

/** For the access log, which shows the path as it is declared. What a call makes replaces what it was made of. */
function noteResource(ctx: RouteContext, id: string | undefined): void {
  if (id !== undefined && id !== '') ctx.state.resource = id.slice(0, RESOURCE_CHARACTERS);
}

/** Where to follow a change that waits for a second administrator. */
function locationOf({ waiting }: Operation, { status, body }: Rendered): string | null {
  if (status !== 202 || waiting !== PendingChange || body === null) return null;
  return `/v1/admin/changes/${PendingChange.parse(JSON.parse(body)).id}`;
}

type RouteContext = Parameters<RouterMiddleware<FrameState>>[0];

function incoming(ctx: RouteContext): Incoming {
  return {
    request: ctx.req,
    path: ctx.path,
    params: ctx.params,
    query: ctx.query,
    client: { address: ctx.ip, userAgent: ctx.get('User-Agent').slice(0, USER_AGENT_CHARACTERS) },
    requestId: ctx.state.requestId,
    reading: ctx.state.reading ?? null,
    prefers: (offered) => ctx.accepts([...offered]),
    identified: (caller) => {
      if (caller !== null) ctx.state.caller = caller;
    },
  };
}

/** Koa has no part in a stream: it could not tell the reader that one broke off. */
async function sending(ctx: RouteContext, begun: Begun, { services: { log } }: Frame): Promise<void> {
  const { format, filename } = begun;
  ctx.status = 200;
  ctx.vary('Accept');
  ctx.set('Content-Type', format === 'text/csv' ? 'text/csv; charset=utf-8; header=present' : format);
  if (format !== 'application/json' && filename !== null) ctx.attachment(filename);
  // a proxy would otherwise keep events back until it has many
  if (format === 'text/event-stream') ctx.set('X-Accel-Buffering', 'no');
  if (ctx.method === 'HEAD') return discard(begun);
  ctx.respond = false;
  ctx.state.ending = await send(begun, ctx.res, (error) => {
    log.error({ err: error, requestId: ctx.state.requestId }, 'a stream broke off');
  });
}

/** `/v1/admin/transfers/{id}` → `/v1/admin/transfers`; the same for a real path. */
function nounOf(path: string): string {
  const segments = path.split('/', 4);
  return segments.slice(0, segments[1] === 'v1' ? (segments[2] === 'admin' ? 4 : 3) : 2).join('/');
}

function koaPath(path: string): string {
  return path.replace(/\{(\w+)\}/g, ':$1');
}

/** `/transfers/pending` stands before `/transfers/{id}`, wherever it is declared. */
function staticFirst(one: Operation, other: Operation): number {
  return one.path.replaceAll('{', '~') < other.path.replaceAll('{', '~') ? -1 : 1;
}

function requireDistinct(operations: readonly Operation[]): void {
  const seen = new Set<string>();
  for (const { id, method, path } of operations) {
    for (const name of [id, `${method} ${path.replace(/\{\w+\}/g, '{}')}`]) {
      if (seen.has(name)) throw new Error(`${name} is declared twice`);
      seen.add(name);
    }
  }
}

/** The names in the path are the fields of its schema; else a segment would reach nobody, or never arrive. */
function requireParams({ id, path, params }: Operation): void {
  const named = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name ?? '').toSorted();
  const declared = params instanceof z.ZodObject ? Object.keys(params.shape).toSorted() : [];
  if (named.join() !== declared.join())
    throw new Error(`${id}: its path names [${named.join()}], its schema [${declared.join()}]`);
}
