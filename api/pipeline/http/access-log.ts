/** Step: one line a request. Path without its query, no bodies, no headers: nothing that a person or a secret could be read from. */
import type { Step } from './state.ts';
import type { Logger } from 'pino';

const UNKNOWN_PATH_CHARACTERS = 80;

export function accessLog(log: Logger): Step {
  return async (ctx, next) => {
    const begun = performance.now();
    try {
      await next();
    } finally {
      const { requestId, operation, caller, resource, refused, ending } = ctx.state;
      const line = {
        requestId,
        method: ctx.method,
        // a known path is named by its operation; ids in it are opaque
        path: operation === undefined ? ctx.path.slice(0, UNKNOWN_PATH_CHARACTERS) : operation.path,
        operation: operation?.id,
        resource,
        status: ctx.status,
        refused,
        ending,
        caller: caller?.id,
        address: ctx.ip,
        ms: Math.round((performance.now() - begun) * 10) / 10,
      };
      if (ctx.status >= 500) log.error(line, 'request');
      else log.info(line, 'request');
    }
  };
}
