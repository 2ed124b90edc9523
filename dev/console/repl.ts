/** `npm run repl`: a Node prompt with the database and the API of the service at hand. Reads from a pipe as well. */
import { join, resolve } from 'node:path';
import repl, { type REPLServer } from 'node:repl';
import { createInterface } from 'node:readline';
import { PassThrough } from 'node:stream';
import { loadConfig } from '../../config.ts';
import { openOrm } from '../../db/orm.ts';
import { send } from '../../db/rows/declared.ts';
import { readAssets } from '../../services/platform/assets.ts';
import { answerOf, type Ask } from '../client/http.ts';
import { logIn } from '../client/second-factor.ts';
import { ROOT } from '../service/process.ts';
import { serviceEnvironment } from './database-address.ts';

const BANNER = `
  config                          the configuration of the service
  await sql('select …', [1])      the rows of a statement, as the application's role
  em()                            a fresh entity manager, as the application's role
  await login('ann@demo.localhost', 'seven quiet otters')   an access token; codes are read from the inbox
  await api('GET', '/v1/accounts', { token })               the answer: status and body
  await import('./domain/money.ts')                         anything of the project
`;

try {
  await openConsole();
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
}

async function openConsole(): Promise<void> {
  const env = serviceEnvironment(process.env);
  const config = loadConfig(env);
  const orm = openOrm(config);
  const em = () => orm.em.fork();
  // without a database there are no amounts either
  await readAssets(em()).catch(() => undefined);
  // without a name nothing is kept prepared: what is typed here is seldom typed twice
  const sql = async (text: string, parameters: readonly unknown[] = []) =>
    (await send(em(), { name: '', sql: text }, [...parameters])).rows;
  const client = {
    api: `http://${config.HOST}:${config.PORT}`,
    inbox: env['INBOX_URL'] ?? 'http://127.0.0.1:1080',
  };
  const api = (method: string, path: string, ask: Ask = {}) => answerOf(client, method, path, ask);
  const login = (identifier: string, password: string) => logIn(client, { identifier, password });
  const interactive = process.stdin.isTTY;
  if (interactive) process.stdout.write(`${BANNER}\n`);
  const server = interactive ? repl.start({ prompt: 'teller> ', useGlobal: true }) : readPipe();
  Object.assign(server.context, { config, sql, em, api, login });
  if (interactive) keepHistory(server, resolve(ROOT, env['DATA_DIR'] ?? '.data'));
  server.once('exit', () => {
    // a pipe has nobody who could see that something failed
    if (!interactive && server.lastError !== undefined) process.exitCode = 1;
    void orm.close(true);
  });
}

/** Without a history the prompt works just as well, as before the first start with this folder. */
function keepHistory(server: REPLServer, dataDir: string): void {
  server.setupHistory(join(dataDir, 'repl-history'), () => undefined);
}

/** Hands the lines of a pipe over one by one: Node's prompt takes them all at once and would not wait for an `await`. */
function readPipe(): REPLServer {
  const input = new PassThrough();
  const server = repl.start({
    ...{ input, output: process.stdout, terminal: false },
    ...{ prompt: '', useGlobal: true, ignoreUndefined: true },
  });
  const lines = createInterface({ input: process.stdin })[Symbol.asyncIterator]();
  // called whenever the line before is done with, whether it answered, failed or waits for more lines
  server.displayPrompt = () => {
    void lines.next().then(({ done, value }) => (done === true ? input.end() : input.write(`${value}\n`)));
  };
  server.displayPrompt();
  return server;
}
