/** How Jest asks for the stack: HTTP on a Unix socket in the folder of the stack, which no other user can enter. */
import { once } from 'node:events';
import { createServer, request, type IncomingMessage } from 'node:http';
import { join } from 'node:path';
import { z } from 'zod';

const Environment = z.record(z.string(), z.string());
const Failure = z.object({ error: z.string() });

/** Answers whoever asks with the environment that `ready` gives, or with the reason why there is none. */
export async function serveControl(
  folder: string,
  ready: () => Promise<NodeJS.ProcessEnv>,
): Promise<{ readonly socket: string; close(): void }> {
  const socket = join(folder, 'control.sock');
  const server = createServer((_request, response) => {
    void ready()
      .then((env) => response.writeHead(200).end(JSON.stringify(env)))
      .catch((error: unknown) =>
        response
          .writeHead(500)
          .end(JSON.stringify({ error: error instanceof Error ? error.message : String(error) })),
      );
  });
  server.listen(socket);
  await once(server, 'listening');
  server.unref();
  return { socket, close: () => void server.close() };
}

/** The environment of the stack behind the socket, once it is up and runs today's code. Throws what kept it from starting. */
export async function askForStack(socket: string): Promise<Record<string, string>> {
  const answer = await new Promise<IncomingMessage>((resolve, reject) => {
    request({ socketPath: socket, path: '/', method: 'POST' }, resolve).on('error', reject).end();
  });
  let text = '';
  for await (const chunk of answer) text += String(chunk);
  const body: unknown = JSON.parse(text);
  if (answer.statusCode !== 200) throw new Error(Failure.parse(body).error);
  return Environment.parse(body);
}
