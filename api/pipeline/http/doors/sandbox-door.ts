/** In development, `/v1/sandbox/{simulator}/…` leads to the simulator that listens on loopback, with the same body and answer. */
import type { Config } from '../../../../config.ts';
import { Refusal } from '../../../../domain/refusals.ts';
import { collect } from '../body.ts';
import type { Step } from '../state.ts';

const PATH = /^\/v1\/sandbox\/([a-z-]+)(\/.*)$/;
const LARGEST_BODY = 1024 * 1024;
/** A control call waits until its message was delivered. */
const PATIENCE_MILLISECONDS = 20_000;

export function sandboxDoor({
  RAIL_PORT,
  CARD_NETWORK_PORT,
  CUSTODIAN_CONTROL_PORT,
  PRICES_PORT,
}: Pick<Config, 'RAIL_PORT' | 'CARD_NETWORK_PORT' | 'CUSTODIAN_CONTROL_PORT' | 'PRICES_PORT'>): Step {
  const ports = new Map([
    ['rail', RAIL_PORT],
    ['card-network', CARD_NETWORK_PORT],
    ['custodian', CUSTODIAN_CONTROL_PORT],
    ['prices', PRICES_PORT],
  ]);
  return async (ctx, next) => {
    const [, simulator = '', path = ''] = PATH.exec(ctx.path) ?? [];
    const port = ports.get(simulator);
    if (port === undefined) {
      await next();
      return;
    }
    const body = await collect(ctx.req, LARGEST_BODY);
    const asked = fetch(`http://127.0.0.1:${String(port)}${path}${ctx.search}`, {
      method: ctx.method,
      headers: ctx.get('Content-Type') === '' ? {} : { 'Content-Type': ctx.get('Content-Type') },
      signal: AbortSignal.timeout(PATIENCE_MILLISECONDS),
      ...(body.length === 0 ? {} : { body: new Uint8Array(body) }),
    });
    const answer = await asked.catch((error: unknown) => {
      throw new Refusal('unavailable', {
        detail: `The simulator does not answer: ${error instanceof Error ? error.message : ''}`,
      });
    });
    ctx.status = answer.status;
    ctx.type = answer.headers.get('Content-Type') ?? 'application/json';
    ctx.body = Buffer.from(await answer.arrayBuffer());
  };
}
