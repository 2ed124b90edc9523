/** A mail server that takes nobody: it speaks as much SMTP (RFC 5321) as it takes to refuse. */
import { createServer, type Server } from 'node:net';

/** Listens on a free port and refuses every recipient for good, repeating who it was, as real servers do. */
export async function startRefusingServer(): Promise<{ readonly url: string; close(): Promise<void> }> {
  const server: Server = createServer((socket) => {
    socket.on('error', () => undefined);
    socket.write('220 refusing.test\r\n');
    socket.on('data', (data) => {
      const line = data.toString();
      if (/^rcpt to/i.test(line)) socket.write(`550 5.1.1 no such user: ${line.slice(8)}`);
      else socket.write(/^quit/i.test(line) ? '221 bye\r\n' : '250 ok\r\n');
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the server has no port');
  return {
    url: `smtp://127.0.0.1:${String(address.port)}`,
    close: () => new Promise((resolve) => server.close(() => resolve())),
  };
}
