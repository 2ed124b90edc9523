/** Mail out: SMTP, and text messages as mail where no provider for them is configured. */
import { readFileSync } from 'node:fs';
import { createTransport } from 'nodemailer';
import type { Config } from '../config.ts';
import { NotSent, openLines, type Dkim } from './messages/lines.ts';
import { refusesAddress } from '../domain/notifications/bounces.ts';
import { partFailures } from './metrics.ts';

const PROBE_MILLISECONDS = 1_500;

/** Mail to one person. `idempotencyKey` makes a second sending recognisable as the same mail. */
export interface Mail {
  send(
    letter: {
      readonly to: string;
      readonly subject: string;
      readonly text: string;
      /** The same for programs that show it. */
      readonly html?: string;
      /** Where it is returned to if it cannot be delivered; if left out, to its sender. */
      readonly returnTo?: string;
      /** Address by which a mail program unsubscribes with one click (RFC 8058). */
      readonly unsubscribe?: string | undefined;
    },
    idempotencyKey: string,
  ): Promise<void>;
}

/** A text message to one number, E.164. */
export interface Sms {
  send(message: { readonly to: string; readonly text: string }, idempotencyKey: string): Promise<void>;
}

/** This recipient will never be reached this way: a retry is pointless. Names nobody. */
export class RecipientRefused extends Error {
  override readonly name = 'RecipientRefused';
  /** There is no such address, whatever would be sent to it. */
  readonly isAddress: boolean;

  constructor(message: string, isAddress = false) {
    super(message);
    this.isAddress = isAddress;
  }
}

/** The server was given the whole message and did not answer: it may have taken it. */
export class OutcomeUnknown extends Error {
  override readonly name = 'OutcomeUnknown';
}

/** The way out is closed for now. Carries the server's code only: its text repeats the recipient. */
export class MailUnavailable extends Error {
  override readonly name = 'MailUnavailable';
}

type MailConfig = Pick<Config, 'SMTP_URL' | 'MAIL_FROM' | 'MAIL_DKIM_KEY' | 'MAIL_DKIM_SELECTOR'>;

/** Sends through the SMTP server of the configuration. */
export function createMail(config: MailConfig): Mail {
  const domain = /@([^\s>]+)/.exec(config.MAIL_FROM)?.[1] ?? 'localhost';
  const lines = openLines(config.SMTP_URL, dkimOf(config, domain));

  return {
    async send({ to, subject, text, html, returnTo, unsubscribe }, idempotencyKey) {
      try {
        await lines.send({
          from: config.MAIL_FROM,
          // as an object it is one address, whatever commas it holds
          to: { name: '', address: to },
          subject,
          text,
          ...(html === undefined ? {} : { html }),
          ...(returnTo === undefined ? {} : { envelope: { from: returnTo, to: [to] } }),
          messageId: `<${idempotencyKey}@${domain}>`,
          // RFC 3834: no holiday notice comes back
          headers: { 'Auto-Submitted': 'auto-generated', ...unsubscribeHeaders(unsubscribe) },
        });
      } catch (error) {
        const read =
          error instanceof NotSent ? readError(error.cause, error.wasGiven) : readError(error, false);
        if (!(read instanceof RecipientRefused)) partFailures.inc({ part: 'mail' });
        throw read;
      }
    },
  };
}

/** RFC 6376 §5.4.1, and both headers of RFC 8058, which asks for them. One that a mail does not have is not signed. */
const SIGNED_HEADERS = [
  ...['From', 'Sender', 'Reply-To', 'Subject', 'Date', 'Message-ID', 'To', 'MIME-Version', 'Content-Type'],
  ...['Content-Transfer-Encoding', 'List-Unsubscribe', 'List-Unsubscribe-Post'],
];

/** Each on one line: a folded one breaks signatures on its way. */
function unsubscribeHeaders(url: string | undefined) {
  if (url === undefined) return {};
  return {
    'List-Unsubscribe': { prepared: true, value: `<${url}>` },
    'List-Unsubscribe-Post': { prepared: true, value: 'List-Unsubscribe=One-Click' },
  };
}

/** RFC 6376. The file is read once: a key that is exchanged needs a restart. */
function dkimOf(
  { MAIL_DKIM_KEY: file, MAIL_DKIM_SELECTOR: keySelector }: MailConfig,
  domainName: string,
): Dkim | undefined {
  if (file === undefined || keySelector === undefined) return undefined;
  return {
    ...{ domainName, keySelector, privateKey: readFileSync(file, 'utf8') },
    headerFieldNames: SIGNED_HEADERS.join(':'),
  };
}

/** Throws if the mail server does not greet. Does not log in: it is asked every few seconds. */
export function createMailProbe({ SMTP_URL }: Pick<Config, 'SMTP_URL'>): () => Promise<void> {
  const url = new URL(SMTP_URL);
  [url.username, url.password] = ['', ''];
  const transport = createTransport({
    url: url.href,
    connectionTimeout: PROBE_MILLISECONDS,
    greetingTimeout: PROBE_MILLISECONDS,
    socketTimeout: PROBE_MILLISECONDS,
  });
  return async () => void (await transport.verify());
}

/** Text messages as mail to `number@domain`. */
export function smsByMail(mail: Mail, domain: string): Sms {
  return {
    send: ({ to, text }, idempotencyKey) =>
      mail.send({ to: `${to}@${domain}`, subject: 'Text message', text }, idempotencyKey),
  };
}

/** RFC 5321 §4.2.1: a 5yz answer to the recipient or to the message is final. Other 5yz (a wrong login) are ours to mend. */
function readError(error: unknown, wasGiven: boolean): Error {
  const code = memberOf(error, 'code');
  const status = memberOf(error, 'responseCode');
  if (wasGiven && typeof status !== 'number')
    return new OutcomeUnknown('the mail server did not say whether it took the message');
  const final = typeof status === 'number' && status >= 500;
  if (final && (code === 'EENVELOPE' || code === 'EMESSAGE')) {
    const response = memberOf(error, 'response');
    const isAddress =
      code === 'EENVELOPE' && refusesAddress(status, typeof response === 'string' ? response : '');
    return new RecipientRefused(`the mail server refused the recipient or the message: ${status}`, isAddress);
  }
  return new MailUnavailable(
    `the mail server did not take the message: ${typeof status === 'number' ? status : typeof code === 'string' ? code : 'no answer'}`,
  );
}

function memberOf(error: unknown, name: 'code' | 'responseCode' | 'response'): unknown {
  return typeof error === 'object' && error !== null && name in error
    ? Object.getOwnPropertyDescriptor(error, name)?.value
    : undefined;
}
