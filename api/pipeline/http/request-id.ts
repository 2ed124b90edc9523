/** Step: every answer names its request, so that a report can be found in the logs. */
import { randomUUID } from 'node:crypto';
import type { Step } from './state.ts';

const WELL_FORMED = /^[A-Za-z0-9_-]{8,128}$/;

/** Takes over a well-formed X-Request-Id, else makes one. */
export const requestId: Step = async (ctx, next) => {
  const given = ctx.get('X-Request-Id');
  const id = WELL_FORMED.test(given) ? given : randomUUID();
  ctx.state.requestId = id;
  ctx.set('X-Request-Id', id);
  await next();
};
