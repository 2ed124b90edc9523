/** What is served beside the operations: the OpenAPI document, the reference for people, the metrics. */
import type { Registry } from 'prom-client';
import type { Operation } from '../declaration/operation.ts';
import type { Step } from '../pipeline/http/state.ts';
import { docsPage, errorsPage } from './docs-page.ts';
import { docsStyle } from './docs-style.ts';
import { openApiDocument } from './openapi.ts';

const DOCS_POLICY =
  "default-src 'none'; style-src 'self'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'";
const DOCS_AGE_SECONDS = 300;

/** Made once at the start, so that a look at the documentation costs nothing. */
export function documentation(operations: readonly Operation[], publicUrl: string): Step {
  const pages = new Map([
    [
      '/openapi.json',
      { type: 'application/json', body: JSON.stringify(openApiDocument(operations, publicUrl)) },
    ],
    ['/docs', { type: 'text/html', body: docsPage(operations, publicUrl) }],
    ['/docs/errors', { type: 'text/html', body: errorsPage() }],
    ['/docs/style.css', { type: 'text/css', body: docsStyle }],
  ]);
  return async (ctx, next) => {
    const page = ctx.method === 'GET' || ctx.method === 'HEAD' ? pages.get(ctx.path) : undefined;
    if (page === undefined) {
      await next();
      return;
    }
    ctx.set('Cache-Control', `public, max-age=${String(DOCS_AGE_SECONDS)}`);
    ctx.set('Content-Security-Policy', DOCS_POLICY);
    ctx.type = page.type;
    ctx.body = page.body;
  };
}

/**
 * `/metrics` for a collector on this machine. It has no login, so it answers the loopback address only, and nobody who
 * comes through a proxy; elsewhere the path does not exist. A collector on another machine uses API_METRICS_PORT.
 */
export function localMetrics(registry: Registry): Step {
  return async (ctx, next) => {
    const local = /^(::ffff:)?127\.|^::1$/.test(ctx.req.socket.remoteAddress ?? '');
    if (ctx.path !== '/metrics' || ctx.method !== 'GET' || !local || ctx.get('X-Forwarded-For') !== '') {
      await next();
      return;
    }
    ctx.type = registry.contentType;
    ctx.body = await registry.metrics();
  };
}
