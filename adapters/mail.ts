/** Mail out: SMTP, and text messages as mail where no provider for them is configured. */
import { createTransport } from 'nodemailer';
import type { Config } from '../config.ts';

const CONNECT_MILLISECONDS = 5_000;
const SILENCE_MILLISECONDS = 10_000;

/** Mail to one person. `idempotencyKey` makes a second sending recognisable as the same mail. */
export interface Mail {
  send(
    letter: { readonly to: string; readonly subject: string; readonly text: string },
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
}

/** The way out is closed for now. Carries the server's code only: its text repeats the recipient. */
export class MailUnavailable extends Error {
  override readonly name = 'MailUnavailable';
}

/** Sends through the SMTP server of the configuration. */
export function createMail(config: Pick<Config, 'SMTP_URL' | 'MAIL_FROM'>): Mail {
  const transport = createTransport({
    url: config.SMTP_URL,
    connectionTimeout: CONNECT_MILLISECONDS,
    greetingTimeout: CONNECT_MILLISECONDS,
    socketTimeout: SILENCE_MILLISECONDS,
    disableFileAccess: true,
    disableUrlAccess: true,
  });
  const domain = /@([^\s>]+)/.exec(config.MAIL_FROM)?.[1] ?? 'localhost';

  return {
    async send({ to, subject, text }, idempotencyKey) {
      try {
        await transport.sendMail({
          from: config.MAIL_FROM,
          // as an object it is one address, whatever commas it holds
          to: { name: '', address: to },
          subject,
          text,
          messageId: `<${idempotencyKey}@${domain}>`,
          // RFC 3834: no holiday notice comes back
          headers: { 'Auto-Submitted': 'auto-generated' },
        });
      } catch (error) {
        throw readError(error);
      }
    },
  };
}

/** Text messages as mail to `number@domain`. */
export function smsByMail(mail: Mail, domain: string): Sms {
  return {
    send: ({ to, text }, idempotencyKey) =>
      mail.send({ to: `${to}@${domain}`, subject: 'Text message', text }, idempotencyKey),
  };
}

/** RFC 5321 §4.2.1: a 5yz answer to the recipient or to the message is final. Other 5yz (a wrong login) are ours to mend. */
function readError(error: unknown): Error {
  const code = memberOf(error, 'code');
  const status = memberOf(error, 'responseCode');
  const final = typeof status === 'number' && status >= 500;
  if (final && (code === 'EENVELOPE' || code === 'EMESSAGE')) {
    return new RecipientRefused(`the mail server refused the recipient or the message: ${status}`);
  }
  return new MailUnavailable(
    `the mail server did not take the message: ${typeof status === 'number' ? status : typeof code === 'string' ? code : 'no answer'}`,
  );
}

function memberOf(error: unknown, name: 'code' | 'responseCode'): unknown {
  return typeof error === 'object' && error !== null && name in error
    ? Object.getOwnPropertyDescriptor(error, name)?.value
    : undefined;
}
