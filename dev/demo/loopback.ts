/**
 * Where the customers call from. The service takes 30 registrations an hour from one address, and it should. On Linux the whole of
 * 127.0.0.0/8 is this machine, so each customer calls from an address of their own, as customers do.
 */
import { createServer } from 'node:net';

/** What one address can register within the hour, less a few for those who have tried the tour. */
export const MOST_FROM_ONE_ADDRESS = 25;

/** The address of one caller; up to 200 of them. */
export function loopbackOf(caller: number): string {
  return `127.0.1.${caller + 1}`;
}

/** False on systems where 127.0.0.1 is the only address that calls can come from. */
export async function hasManyAddresses(): Promise<boolean> {
  const server = createServer();
  return new Promise((resolve) => {
    server.once('error', () => resolve(false));
    server.listen({ host: loopbackOf(0), port: 0 }, () => server.close(() => resolve(true)));
  });
}
