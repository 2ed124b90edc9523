/** A push service of a browser, and the browser behind it, which alone can read what comes (RFC 8291, RFC 8188). */
import { createDecipheriv, createECDH, hkdfSync, randomBytes } from 'node:crypto';
import { createServer, type IncomingHttpHeaders } from 'node:http';

export interface Pushed {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
}

export interface Browser {
  readonly endpoint: string;
  readonly keys: { readonly p256dh: string; readonly auth: string };
  /** What it was sent, as it reads it. */
  messages(): Record<string, unknown>[];
}

export interface PushService {
  readonly received: readonly Pushed[];
  /** A new browser; its service answers with this status, and headers. */
  browser(status?: number, headers?: Record<string, string>): Browser;
  /** From now on it answers this browser so. */
  answers(browser: Browser, status: number): void;
  /** From now on it takes what comes for this browser, and answers with a byte now and then, without an end. */
  trickles(browser: Browser): void;
  /** Ends every connection. */
  cut(): void;
  close(): Promise<void>;
}

const TRICKLES = 0;

export async function openPushService(): Promise<PushService> {
  const received: Pushed[] = [];
  const answers = new Map<string, { status: number; headers: Record<string, string> }>();
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const path = request.url ?? '';
      received.push({ path, headers: request.headers, body: Buffer.concat(chunks) });
      const { status = 404, headers = {} } = answers.get(path) ?? {};
      if (status === TRICKLES) {
        request.socket.write('HTTP/1.1 201 Created\r\nX-Wait: ');
        const drop = setInterval(() => request.socket.write('.'), 200);
        request.socket.on('close', () => {
          clearInterval(drop);
        });
        return;
      }
      response.writeHead(status, headers).end();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  const base = `http://127.0.0.1:${String(typeof address === 'object' ? address?.port : 0)}`;
  return {
    received,
    browser(status = 201, headers = {}) {
      const path = `/send/${randomBytes(9).toString('base64url')}`;
      answers.set(path, { status, headers });
      const pair = createECDH('prime256v1');
      const p256dh = pair.generateKeys('base64url');
      const auth = randomBytes(16);
      return {
        endpoint: `${base}${path}`,
        keys: { p256dh, auth: auth.toString('base64url') },
        messages: () =>
          received
            .filter((one) => one.path === path)
            .map(({ body }) => JSON.parse(opened(body, pair, auth)) as Record<string, unknown>),
      };
    },
    answers(browser, status) {
      answers.set(new URL(browser.endpoint).pathname, { status, headers: {} });
    },
    trickles(browser) {
      answers.set(new URL(browser.endpoint).pathname, { status: TRICKLES, headers: {} });
    },
    cut() {
      server.closeAllConnections();
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => {
          resolve();
        });
        server.closeAllConnections();
      }),
  };
}

/** RFC 8291 §3.4 with the header of RFC 8188 §2.1: salt (16), record size (4), length of the key id (1), key id. One record. */
function opened(body: Buffer, mine: ReturnType<typeof createECDH>, auth: Buffer): string {
  const [salt, length] = [body.subarray(0, 16), body.readUInt8(20)];
  const theirs = body.subarray(21, 21 + length);
  const sealed = body.subarray(21 + length);
  const about = Buffer.concat([Buffer.from('WebPush: info\0'), mine.getPublicKey(), theirs]);
  const secret = Buffer.from(hkdfSync('sha256', mine.computeSecret(theirs), auth, about, 32));
  const key = Buffer.from(hkdfSync('sha256', secret, salt, 'Content-Encoding: aes128gcm\0', 16));
  const nonce = Buffer.from(hkdfSync('sha256', secret, salt, 'Content-Encoding: nonce\0', 12));
  const cipher = createDecipheriv('aes-128-gcm', key, nonce).setAuthTag(sealed.subarray(-16));
  const plain = Buffer.concat([cipher.update(sealed.subarray(0, -16)), cipher.final()]);
  // the last record ends with 2 and zeros
  return plain.subarray(0, plain.lastIndexOf(2)).toString();
}
