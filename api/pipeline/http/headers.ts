/** Step: security headers, and which origins a browser may call from. */
import cors from '@koa/cors';
import helmet from 'koa-helmet';
import type { Context, Middleware } from 'koa';
import type { Config } from '../../../config.ts';
import type { Step } from './state.ts';

const PREFLIGHT_SECONDS = 600;

/** Helmet's headers; an API answers no pages, so nothing may be loaded. The docs page sets its own policy. */
export function securityHeaders(): Middleware {
  return helmet({
    contentSecurityPolicy: {
      useDefaults: false,
      directives: { defaultSrc: ["'none'"], frameAncestors: ["'none'"] },
    },
    referrerPolicy: { policy: 'no-referrer' },
    // as `frameAncestors` says
    xFrameOptions: { action: 'deny' },
  });
}

/** Nothing that is answered may be kept by a cache, unless a step further in knows better. */
export const noStore: Step = async (ctx, next) => {
  ctx.set('Cache-Control', 'no-store');
  await next();
};

/** Where the Temporal Web UI has payloads decrypted. */
const DECODER = '/v1/admin/codec/decode';

/** Browsers may call from the configured origins only. Tokens come in a header, so no cookies are allowed along. */
export function crossOrigin({
  CORS_ORIGINS,
  TEMPORAL_UI_URL,
}: Pick<Config, 'CORS_ORIGINS' | 'TEMPORAL_UI_URL'>): Middleware {
  const clients = cors({
    origin: oneOf(CORS_ORIGINS),
    allowMethods: 'GET,POST,PUT,PATCH,DELETE',
    allowHeaders: [
      'Authorization',
      'Content-Type',
      'Idempotency-Key',
      'If-Match',
      'Last-Event-ID',
      'X-Request-Id',
      'X-Step-Up-Token',
    ],
    exposeHeaders: ['ETag', 'Idempotent-Replayed', 'Retry-After', 'WWW-Authenticate', 'X-Request-Id'],
    maxAge: PREFLIGHT_SECONDS,
  });
  // the page of Temporal, which sends the cookie of the sign-in page, and the namespace
  const webUi = cors({
    origin: oneOf([new URL(TEMPORAL_UI_URL).origin]),
    allowMethods: 'POST',
    allowHeaders: ['Authorization', 'Content-Type', 'X-Namespace'],
    exposeHeaders: ['X-Request-Id'],
    credentials: true,
    maxAge: PREFLIGHT_SECONDS,
  });
  return async (ctx, next) => {
    if (ctx.path === DECODER) await webUi(ctx, next);
    else await (CORS_ORIGINS.length === 0 ? next() : clients(ctx, next));
  };
}

function oneOf(origins: readonly string[]): (ctx: Context) => string {
  return (ctx) => (origins.includes(ctx.get('Origin')) ? ctx.get('Origin') : '');
}
