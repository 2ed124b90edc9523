/**
 * Mail in: an SMTP server (RFC 5321) that takes mail for the addresses it is told of and nobody else's. It stands behind the mail exchanger
 * of the bank, which ends TLS and tells who is who.
 */
import { SMTPServer, type SMTPServerSession } from 'smtp-server';
import type { Readable } from 'node:stream';
import type { Logger } from 'pino';
import { ConfigError, type Config } from '../../config.ts';
import { createWindow } from './window.ts';

/** A report of a bounce holds the returned mail at most. */
const MOST_BYTES = 1_048_576;
const MOST_CONNECTIONS = 50;
const MOST_RECIPIENTS = 10;
/** Mails a minute from one address: a mail exchanger that has more brings them later. */
const MOST_A_MINUTE = 600;
/** Recipients that do not exist, from one address in a minute: more is guessing. */
const MOST_WRONG_A_MINUTE = 30;
const SILENCE_MILLISECONDS = 60_000;
const CLOSE_MILLISECONDS = 2_000;

/** What arrives at an address. */
export interface Arrived {
  /** What stands before the @, in lower case. */
  readonly recipients: readonly string[];
  readonly message: Buffer;
}

export interface Inbox {
  /** Whether there is such an address. Asked before the message is sent. */
  takes(localPart: string): boolean;
  /** Throws if it cannot be taken now: the sender then tries again. */
  receive(arrived: Arrived): Promise<void>;
}

export interface InboundMail {
  readonly port: number;
  close(): Promise<void>;
}

type Deps = { readonly log: Logger; readonly inbox: Inbox } & Readonly<{
  config: Pick<Config, 'HOST' | 'INBOUND_SMTP_PORT' | 'REPLY_DOMAIN'>;
}>;

/** Listens; throws a ConfigError if the port cannot be used. */
export async function openInboundMail({ config, log, inbox }: Deps): Promise<InboundMail> {
  const [mails, wrong] = [createWindow(MOST_A_MINUTE), createWindow(MOST_WRONG_A_MINUTE)];
  const server = new SMTPServer({
    name: config.REPLY_DOMAIN ?? config.HOST,
    banner: 'Teller',
    // the exchanger in front ends TLS; nobody logs in here
    disabledCommands: ['AUTH', 'STARTTLS'],
    authOptional: true,
    disableReverseLookup: true,
    logger: false,
    size: MOST_BYTES,
    maxClients: MOST_CONNECTIONS,
    socketTimeout: SILENCE_MILLISECONDS,
    closeTimeout: CLOSE_MILLISECONDS,
    onMailFrom(_address, session, done) {
      done(mails.take(session.remoteAddress) ? null : answer(451, '4.7.1 Too many mails, try again later'));
    },
    onRcptTo({ address }, session, done) {
      done(refusalOf(address, session));
    },
    onData(stream, session, done) {
      take(stream, session).then(
        (refused) => done(refused),
        (err: unknown) => {
          log.warn({ err }, 'a mail could not be taken; its sender tries again');
          done(answer(451, '4.3.0 Try again later'));
        },
      );
    },
  });

  function refusalOf(address: string, { envelope, remoteAddress }: SMTPServerSession): Error | null {
    const [localPart, domain] = partsOf(address);
    if (domain === config.REPLY_DOMAIN?.toLowerCase() && inbox.takes(localPart))
      return envelope.rcptTo.length < MOST_RECIPIENTS ? null : answer(452, '4.5.3 Too many recipients');
    if (!wrong.take(remoteAddress)) return answer(421, '4.7.0 Too many unknown recipients');
    return answer(550, '5.1.1 No such address');
  }

  async function take(stream: Readable, { envelope }: SMTPServerSession): Promise<Error | null> {
    const message = await wholeOf(stream);
    if (message === undefined) return answer(552, '5.3.4 The message is too large');
    const recipients = envelope.rcptTo.map(({ address }) => partsOf(address)[0]);
    await inbox.receive({ recipients, message });
    return null;
  }

  // of one connection: a client that breaks off is none of ours
  server.on('error', (err: Error) => log.info({ err }, 'a connection of inbound mail has ended'));
  const port = await listen(server, config);
  log.info({ port }, 'inbound mail is taken');
  return { port, close: () => new Promise((resolve) => server.close(() => resolve())) };
}

function listen(
  server: SMTPServer,
  { HOST, INBOUND_SMTP_PORT }: Pick<Config, 'HOST' | 'INBOUND_SMTP_PORT'>,
): Promise<number> {
  return new Promise((resolve, reject) => {
    server.server.once('error', (error: NodeJS.ErrnoException) => {
      const why = `INBOUND_SMTP_PORT: ${HOST}:${String(INBOUND_SMTP_PORT)} cannot be used (${error.code ?? ''}); set another one`;
      reject(new ConfigError(why));
    });
    server.listen(INBOUND_SMTP_PORT, HOST, () => {
      const address = server.server.address();
      resolve(typeof address === 'object' && address !== null ? address.port : INBOUND_SMTP_PORT);
    });
  });
}

/** Undefined if it is too large; it is read to its end all the same, as the protocol wants. */
async function wholeOf(stream: Readable): Promise<Buffer | undefined> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of stream) {
    if (!Buffer.isBuffer(chunk)) continue;
    size += chunk.length;
    if (size <= MOST_BYTES) chunks.push(chunk);
  }
  return size <= MOST_BYTES ? Buffer.concat(chunks) : undefined;
}

function partsOf(address: string): readonly [localPart: string, domain: string] {
  const at = address.lastIndexOf('@');
  return [address.slice(0, at).toLowerCase(), address.slice(at + 1).toLowerCase()];
}

function answer(responseCode: number, message: string): Error {
  return Object.assign(new Error(message), { responseCode });
}
