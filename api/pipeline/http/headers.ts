/** Step: security headers, and which origins a browser may call from. */
import cors from '@koa/cors';
import helmet from 'koa-helmet';
import type { Middleware } from 'koa';
import type { Config } from '../../../config.ts';
import type { Step } from './state.ts';

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

/** Browsers may call from the configured origins only. Tokens come in a header, so no cookies are allowed along. */
export function crossOrigin({ CORS_ORIGINS }: Pick<Config, 'CORS_ORIGINS'>): Middleware {
  return cors({
    origin: (ctx) => (CORS_ORIGINS.includes(ctx.get('Origin')) ? ctx.get('Origin') : ''),
    allowMethods: 'GET,POST,PUT,PATCH,DELETE',
    allowHeaders: [
      'Authorization',
      'Content-Type',
      'Idempotency-Key',
      'If-Match',
      'X-Request-Id',
      'X-Step-Up-Token',
    ],
    exposeHeaders: ['ETag', 'Idempotent-Replayed', 'Retry-After', 'WWW-Authenticate', 'X-Request-Id'],
    maxAge: 600,
  });
}
