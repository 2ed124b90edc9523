/** Step: every answer names its request, so that a report can be found in the logs. */
import { newUuid } from '../../../adapters/new-id.ts';
import type { Step } from './state.ts';

const WELL_FORMED = /^[A-Za-z0-9_-]{8,128}$/;

/** Takes over a well-formed X-Request-Id, else makes one. */
export const requestId: Step = async (ctx, next) => {
  const given = ctx.get('X-Request-Id');
  const id = WELL_FORMED.test(given) ? given : newUuid();
  ctx.state.requestId = id;
  ctx.set('X-Request-Id', id);
  await next();
};
