/**
 * The wire between a process and PostgreSQL: a proxy that reads the frontend/backend protocol (version 3, PostgreSQL manual,
 * chapter 54) as it passes, counts round trips, and can keep an answer back.
 */
import { connect, createServer, type Socket } from 'node:net';

export interface Wire {
  /** The address of the database by way of this wire. */
  readonly url: string;
  /** The SQL of each round trip since `forget`, in the order in which they were sent. */
  roundTrips(): readonly string[];
  forget(): void;
  /**
   * Keeps back the next answer to a statement with this text, and all after it on the same connection. Resolves once PostgreSQL has
   * answered, that is, has committed.
   */
  keepBack(text: string): Promise<void>;
  close(): Promise<void>;
}

/** Opens a wire on a free port of loopback to the database at this address. */
export async function openWire(databaseUrl: string): Promise<Wire> {
  const target = new URL(databaseUrl);
  const sockets = new Set<Socket>();
  let sent: string[] = [];
  let wanted: { readonly text: string; readonly kept: () => void } | undefined;

  const server = createServer((near) => {
    const far = connect(Number(target.port), target.hostname);
    for (const [socket, other] of [
      [near, far],
      [far, near],
    ] as const) {
      sockets.add(socket);
      socket.on('error', () => undefined);
      socket.on('close', () => {
        sockets.delete(socket);
        other.destroy();
      });
    }
    let keeping: (() => void) | undefined;
    const asked = statements((sql) => {
      sent.push(sql);
      if (wanted === undefined || !sql.includes(wanted.text)) return;
      keeping = wanted.kept;
      wanted = undefined;
    });
    const answers = messages(false, (type) => {
      if (type === READY_FOR_QUERY) keeping?.();
    });
    near.on('data', (chunk: Buffer) => {
      asked(chunk);
      far.write(chunk);
    });
    far.on('data', (chunk: Buffer) => {
      // what came with this chunk is kept back as well
      if (keeping === undefined) near.write(chunk);
      answers(chunk);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the wire has no port');
  const url = new URL(databaseUrl);
  url.port = String(address.port);
  return {
    url: url.href,
    roundTrips: () => sent,
    forget: () => {
      sent = [];
    },
    keepBack: (text) =>
      new Promise((resolve) => {
        wanted = { text, kept: resolve };
      }),
    close: () => {
      for (const socket of sockets) socket.destroy();
      return new Promise((resolve) => server.close(() => resolve()));
    },
  };
}

const READY_FOR_QUERY = 'Z';

/** Tells the SQL of each round trip: of a simple query, or of the statement that is bound before a Sync. */
function statements(told: (sql: string) => void): (chunk: Buffer) => void {
  const prepared = new Map<string, string>();
  let bound = '';
  return messages(true, (type, body) => {
    const [first = '', second = ''] = body.toString('utf8').split('\0', 2);
    if (type === 'Q') told(first);
    // Parse: name, SQL; Bind: portal, name
    if (type === 'P') prepared.set(first, second);
    if (type === 'B') bound = prepared.get(second) ?? '';
    if (type === 'S') told(bound);
  });
}

/** Puts chunks together to messages: a type, a length that counts itself, a body. The first one of a client has no type. */
function messages(fromClient: boolean, told: (type: string, body: Buffer) => void): (chunk: Buffer) => void {
  let rest = Buffer.alloc(0);
  let typed = !fromClient;
  return (chunk) => {
    rest = Buffer.concat([rest, chunk]);
    for (;;) {
      const at = typed ? 1 : 0;
      if (rest.length < at + 4) return;
      const end = at + rest.readInt32BE(at);
      if (rest.length < end) return;
      told(typed ? rest.toString('latin1', 0, 1) : '', rest.subarray(at + 4, end));
      typed = true;
      rest = rest.subarray(end);
    }
  };
}
