/** Step: where a request comes from, as throttles, sessions and the audit log know it: an IP address and nothing else. */
import { isIP } from 'node:net';
import type { Step } from './state.ts';

/** With a port, as some proxies write it: `192.0.2.1:5678`, `[2001:db8::1]:5678`. */
const WITH_PORT = /^(?:(\d{1,3}(?:\.\d{1,3}){3})|\[([0-9a-f:.]+)\])(?::\d{1,5})?$/i;

/** Takes the address that Koa found (`TRUST_PROXY`) if it is one, and otherwise that of the connection. */
export const clientAddress: Step = async (ctx, next) => {
  ctx.request.ip = addressIn(ctx.request.ip) ?? ctx.req.socket.remoteAddress ?? '';
  await next();
};

/** The address in an entry of X-Forwarded-For, without its port; undefined if it holds none. */
export function addressIn(entry: string): string | undefined {
  if (isIP(entry) !== 0) return entry.toLowerCase();
  const [, v4, v6] = WITH_PORT.exec(entry) ?? [];
  if (v4 !== undefined && isIP(v4) === 4) return v4;
  return v6 !== undefined && isIP(v6) === 6 ? v6.toLowerCase() : undefined;
}
