/** Ports on loopback: whether one is free, and blocks of free ones that two runs at once never share. */
import { connect, createServer, type Server } from 'node:net';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';

const LOOPBACK = '127.0.0.1';
/** Below the range systems hand out by themselves, so an outgoing connection cannot sit on one of ours. */
const LOWEST = 15_000;
const BLOCK = 32;
const BLOCKS = 500;

/** Whether a server could listen there now. */
export async function isFree(port: number): Promise<boolean> {
  const server = await listen(port);
  if (server === undefined) return false;
  await close(server);
  return true;
}

export interface PortBlock {
  /** Another free port of the block. */
  next(): Promise<number>;
  release(): Promise<void>;
}

/** Claims a block: its first port is listened on as long as the block is held, which is the claim. */
export async function claimPorts(): Promise<PortBlock> {
  for (let attempt = 0; attempt < BLOCKS; attempt++) {
    const base = LOWEST + BLOCK * Math.floor(Math.random() * BLOCKS);
    const claim = await listen(base);
    if (claim === undefined) continue;
    claim.unref();
    let last = base;
    return {
      async next() {
        while (last + 1 < base + BLOCK) {
          // taken before the wait: callers at the same time must not be given the same one
          const port = ++last;
          if (await isFree(port)) return port;
        }
        throw new Error('no free port is left in the block');
      },
      release: () => close(claim),
    };
  }
  throw new Error('no block of free ports was found on 127.0.0.1');
}

/** Waits until something answers on the port; false where `givenUp` says so first or the time is over. */
export async function answers(port: number, givenUp: () => boolean, withinMs = 30_000): Promise<boolean> {
  const deadline = performance.now() + withinMs;
  while (performance.now() < deadline && !givenUp()) {
    const socket = connect({ host: LOOPBACK, port });
    const connected = await once(socket, 'connect').then(
      () => true,
      () => false,
    );
    socket.destroy();
    if (connected) return true;
    await sleep(50);
  }
  return false;
}

async function listen(port: number): Promise<Server | undefined> {
  const server = createServer();
  server.listen({ host: LOOPBACK, port, exclusive: true });
  return once(server, 'listening').then(
    () => server,
    () => undefined,
  );
}

async function close(server: Server): Promise<void> {
  server.close();
  await once(server, 'close');
}
