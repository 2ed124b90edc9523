/** Text messages through a server that speaks as Twilio does. */
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { createServer, type Server } from 'node:http';
import { createTwilio, wasNeverSent } from '../../adapters/messages/twilio.ts';
import { loadConfig } from '../../config.ts';
import { freePort } from '../support/stack/processes.ts';
import { stack } from '../support/stack/stack.ts';

let server: Server;
let base: string;
let asked: { readonly path: string; readonly authorization: string; readonly body: string }[] = [];
let answer: { readonly status: number; readonly body: string } | 'silence' = { status: 201, body: '{}' };

beforeAll(async () => {
  server = createServer((request, response) => {
    let body = '';
    request.on('data', (chunk: Buffer) => (body += chunk.toString()));
    request.on('end', () => {
      asked.push({ path: request.url ?? '', authorization: request.headers.authorization ?? '', body });
      if (answer === 'silence') return void request.socket.destroy();
      response.writeHead(answer.status, { 'content-type': 'application/json' }).end(answer.body);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  base = `http://127.0.0.1:${String(typeof address === 'object' ? address?.port : 0)}`;
});
afterAll(() => void server.close());

const settings = { TWILIO_ACCOUNT: 'AC1', TWILIO_TOKEN: 'secret', TWILIO_FROM: '+4930123456' };

async function send(more: object = {}): Promise<void> {
  asked = [];
  const twilio = createTwilio({ ...loadConfig(stack.serviceEnv), ...settings, TWILIO_URL: base, ...more });
  await twilio?.send({ to: '+4915112345678', text: 'Your code is 123456' }, 'delivery');
}

test('without an account there is no provider', () => {
  expect(createTwilio(loadConfig(stack.serviceEnv))).toBeUndefined();
});

test('a message is sent with its number, its text and the account’s key', async () => {
  answer = { status: 201, body: '{"sid":"SM1"}' };
  await send();
  expect(asked).toEqual([
    {
      path: '/2010-04-01/Accounts/AC1/Messages.json',
      authorization: `Basic ${Buffer.from('AC1:secret').toString('base64')}`,
      body: 'To=%2B4915112345678&Body=Your+code+is+123456&From=%2B4930123456',
    },
  ]);
  await send({ TWILIO_FROM: 'MG9' });
  expect(asked[0]?.body).toContain('MessagingServiceSid=MG9');
});

test.each([
  [{ status: 202, body: '' }, undefined],
  [{ status: 400, body: '{"code":21211,"message":"+4915112345678 is no number"}' }, 'RecipientRefused'],
  [{ status: 400, body: '{"code":21617}' }, 'RecipientRefused'],
  [{ status: 400, body: '{"code":20001}' }, 'MailUnavailable'],
  [{ status: 401, body: 'no json' }, 'MailUnavailable'],
  [{ status: 429, body: '{}' }, 'MailUnavailable'],
  [{ status: 503, body: '{}' }, 'MailUnavailable'],
  [{ status: 500, body: '{}' }, 'OutcomeUnknown'],
  [{ status: 504, body: 'no json' }, 'OutcomeUnknown'],
  ['silence', 'OutcomeUnknown'],
] as const)('after %j it ends as %s, and names nobody', async (given, name) => {
  answer = given;
  const sent = send();
  if (name === undefined) return sent;
  await expect(sent).rejects.toMatchObject({ name, message: expect.not.stringContaining('4915112345678') });
});

test('a provider that cannot be reached has not got it', async () => {
  const TWILIO_URL = `http://127.0.0.1:${String(await freePort())}`;
  await expect(send({ TWILIO_URL })).rejects.toMatchObject({ name: 'MailUnavailable' });
});

test.each(['ENETUNREACH', 'EHOSTUNREACH', 'UND_ERR_CONNECT_TIMEOUT', 'CERT_HAS_EXPIRED'])(
  'a connection that ends with %s shows that nothing was sent',
  (code) => {
    const error = new TypeError('fetch failed', { cause: Object.assign(new Error(code), { code }) });
    expect(wasNeverSent(error)).toBe(true);
  },
);

test('a connection that breaks later shows nothing', () => {
  const cause = Object.assign(new Error('reset'), { code: 'ECONNRESET' });
  expect(wasNeverSent(new TypeError('fetch failed', { cause }))).toBe(false);
});
