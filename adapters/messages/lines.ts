/**
 * Connections to the mail server that are kept for the next mail: greeting and login cost more than a mail. Each carries one mail at a time,
 * because it must be known of each whether it has left as a whole.
 */
import { createTransport } from 'nodemailer';
import type { SendMailOptions } from 'nodemailer';

const CONNECT_MILLISECONDS = 5_000;
const SILENCE_MILLISECONDS = 10_000;
/** A server may close what is idle at any time, so it is given up soon. */
const IDLE_MILLISECONDS = 2_000;
const MOST_IDLE = 32;
const MAILS_A_CONNECTION = 500;

export interface Dkim {
  readonly domainName: string;
  readonly keySelector: string;
  readonly privateKey: string;
  /** Names of the headers that are signed, colon separated (RFC 6376 section 3.5, tag h). */
  readonly headerFieldNames: string;
}

/** A mail that did not get through. `wasGiven`: the whole message has left, its end included. */
export class NotSent extends Error {
  override readonly name = 'NotSent';
  readonly wasGiven: boolean;

  constructor(cause: unknown, wasGiven: boolean) {
    super('the mail server did not take a mail', { cause });
    this.wasGiven = wasGiven;
  }
}

export interface Lines {
  /** Throws NotSent. */
  send(mail: SendMailOptions): Promise<void>;
}

type Line = ReturnType<typeof lineTo>;

export function openLines(url: string, dkim: Dkim | undefined): Lines {
  const idle: Line[] = [];

  async function sendOn(line: Line, mail: SendMailOptions): Promise<void> {
    line.begin();
    try {
      await line.transport.sendMail(mail);
    } catch (error) {
      line.transport.close();
      throw new NotSent(error, line.wasGiven());
    }
    if (idle.length < MOST_IDLE) idle.push(line);
    else line.transport.close();
  }

  return {
    async send(mail) {
      const used = idle.pop();
      if (used === undefined) return sendOn(lineTo(url, dkim), mail);
      try {
        await sendOn(used, mail);
      } catch (error) {
        // the server may have closed it in this moment
        if (!(error instanceof NotSent) || error.wasGiven || isAnswer(error.cause)) throw error;
        await sendOn(lineTo(url, dkim), mail);
      }
    },
  };
}

/** The server has said no, rather than nothing. */
function isAnswer(error: unknown): boolean {
  return (
    typeof error === 'object' && error !== null && typeof Reflect.get(error, 'responseCode') === 'number'
  );
}

function lineTo(url: string, dkim: Dkim | undefined) {
  let given = false;
  const ignored = (): void => undefined;
  const transport = createTransport({
    url,
    pool: true,
    maxConnections: 1,
    maxMessages: MAILS_A_CONNECTION,
    // it cannot tell what was taken already
    maxRequeues: 0,
    idleTimeout: IDLE_MILLISECONDS,
    connectionTimeout: CONNECT_MILLISECONDS,
    greetingTimeout: CONNECT_MILLISECONDS,
    socketTimeout: SILENCE_MILLISECONDS,
    disableFileAccess: true,
    disableUrlAccess: true,
    ...(dkim === undefined ? {} : { dkim }),
    logger: {
      level: ignored,
      ...{ trace: ignored, debug: ignored, warn: ignored, error: ignored, fatal: ignored },
      // the library says in its log only that the whole message has left
      info: (entry: unknown) => {
        given ||= typeof entry === 'object' && entry !== null && Reflect.get(entry, 'tnx') === 'message';
      },
    },
  });
  return { transport, begin: () => void (given = false), wasGiven: () => given };
}
