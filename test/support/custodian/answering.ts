/** A custodian that answers whatever a test wants, for what the sandbox never says. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

export type Answer = readonly [
  status: number,
  body: unknown,
  headers?: Readonly<Record<string, string>> | undefined,
];

/** Gives these answers, one after another, then 500. `asked` are the addresses that it was asked for. */
export async function serveAnswers(answers: readonly Answer[]) {
  const asked: string[] = [];
  const server = createServer((request, response) => {
    const [status, body, headers = {}] = answers[asked.length] ?? [500, {}];
    asked.push(request.url ?? '');
    request.resume().on('end', () => {
      response
        .writeHead(status, { 'Content-Type': 'application/json', ...headers })
        .end(JSON.stringify(body));
    });
  });
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${String(port)}/v1`,
    asked,
    close() {
      server.close();
      server.closeAllConnections();
    },
  };
}
