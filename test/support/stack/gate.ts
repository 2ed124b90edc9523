/** A way to a part of the stack that can be shut and opened again: TCP, so it carries SMTP and S3 alike. */
import { connect, createServer, type Socket } from 'node:net';

export interface Gate {
  /** Where to go instead of the part itself. */
  readonly port: number;
  /** From now on every connection is cut, those that stand included. */
  shut(): void;
  /** From now on connections are taken and never answered, as by a server that hangs; those that stand are cut. */
  silence(): void;
  /** Connections that stand now. */
  standing(): number;
  open(): void;
  close(): Promise<void>;
}

/** Opens a gate on a free port of loopback, before the part at this address. */
export async function openGate({ hostname, port }: URL): Promise<Gate> {
  const sockets = new Set<Socket>();
  let state: 'open' | 'shut' | 'silent' = 'open';
  const keep = (socket: Socket): void => {
    sockets.add(socket);
    socket.on('error', () => undefined);
    socket.on('close', () => sockets.delete(socket));
  };
  const cut = (): void => {
    for (const socket of sockets) socket.destroy();
  };
  const server = createServer((near) => {
    keep(near);
    if (state === 'shut') return void near.destroy();
    if (state === 'silent') return void near.resume();
    const far = connect(Number(port), hostname);
    keep(far);
    near.pipe(far).pipe(near);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the gate has no port');
  return {
    port: address.port,
    shut: () => {
      state = 'shut';
      cut();
    },
    silence: () => {
      state = 'silent';
      cut();
    },
    standing: () => sockets.size,
    open: () => {
      state = 'open';
    },
    close: () => {
      cut();
      return new Promise((resolve) => server.close(() => resolve()));
    },
  };
}
