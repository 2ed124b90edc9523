/** Text messages through Twilio's Messages API. */
import { z } from 'zod';
import type { Config } from '../../config.ts';
import { MailUnavailable, OutcomeUnknown, RecipientRefused, type Sms } from '../mail.ts';
import { partFailures } from '../metrics.ts';

/** Well above the 10 seconds in which `fetch` gives up connecting: that end shows that nothing was sent. */
const ANSWER_MILLISECONDS = 25_000;

/** Codes of Twilio that no retry heals: no number, not reachable, premium, not permitted, unsubscribed; or the text is too long. */
const REFUSED: ReadonlySet<number> = new Set([
  21211, 21214, 21217, 21408, 21610, 21612, 21614, 21617, 30003, 30005, 30006,
]);

const Refused = z.looseObject({ code: z.number().nullish() });

type TwilioConfig = Pick<Config, 'TWILIO_ACCOUNT' | 'TWILIO_TOKEN' | 'TWILIO_FROM' | 'TWILIO_URL'>;

/** Undefined if no account is set. */
export function createTwilio(config: TwilioConfig): Sms | undefined {
  const { TWILIO_ACCOUNT: account, TWILIO_TOKEN: token, TWILIO_FROM: from } = config;
  if (account === undefined || token === undefined || from === undefined) return undefined;
  const url = `${config.TWILIO_URL}/2010-04-01/Accounts/${encodeURIComponent(account)}/Messages.json`;
  const authorization = `Basic ${Buffer.from(`${account}:${token}`).toString('base64')}`;
  return {
    async send({ to, text }) {
      const body = new URLSearchParams({ To: to, Body: text, ...senderOf(from) });
      const answer = await ask(url, authorization, body);
      // any 2xx is a success
      if (answer.ok) return;
      const { code } = Refused.safeParse(await answer.json().catch(() => ({}))).data ?? {};
      if (answer.status === 400 && code != null && REFUSED.has(code))
        throw new RecipientRefused(`the provider of text messages refused the recipient: ${String(code)}`);
      partFailures.inc({ part: 'sms' });
      // 503 says that it was not carried out; what failed inside the provider may have been
      if (answer.status >= 500 && answer.status !== 503)
        throw new OutcomeUnknown(`the provider of text messages failed: ${String(answer.status)}`);
      throw new MailUnavailable(
        `the provider of text messages did not take the message: ${String(answer.status)}`,
      );
    },
  };
}

/** A number, or the id of a pool of numbers. */
function senderOf(from: string): Record<string, string> {
  return from.startsWith('MG') ? { MessagingServiceSid: from } : { From: from };
}

/** Its API knows no idempotency key: what was sent and not answered may have been taken. */
async function ask(url: string, authorization: string, body: URLSearchParams): Promise<Response> {
  try {
    const signal = AbortSignal.timeout(ANSWER_MILLISECONDS);
    return await fetch(url, { method: 'POST', body, headers: { authorization }, redirect: 'error', signal });
  } catch (error) {
    partFailures.inc({ part: 'sms' });
    if (wasNeverSent(error)) throw new MailUnavailable('the provider of text messages cannot be reached');
    throw new OutcomeUnknown('the provider of text messages did not answer');
  }
}

/** No way there, no name, no connection in time, or a certificate that was not accepted: the request comes after all of these. */
const NEVER_SENT: readonly unknown[] = [
  ...['ECONNREFUSED', 'ENETUNREACH', 'EHOSTUNREACH', 'ENOTFOUND', 'EAI_AGAIN', 'UND_ERR_CONNECT_TIMEOUT'],
  ...['CERT_HAS_EXPIRED', 'CERT_NOT_YET_VALID', 'CERT_REVOKED', 'CERT_REJECTED', 'CERT_UNTRUSTED'],
  ...['DEPTH_ZERO_SELF_SIGNED_CERT', 'SELF_SIGNED_CERT_IN_CHAIN', 'UNABLE_TO_VERIFY_LEAF_SIGNATURE'],
  ...['UNABLE_TO_GET_ISSUER_CERT', 'UNABLE_TO_GET_ISSUER_CERT_LOCALLY', 'ERR_TLS_CERT_ALTNAME_INVALID'],
];

/** The connection did not come about, so nothing was sent. */
export function wasNeverSent(error: unknown): boolean {
  const cause: unknown =
    typeof error === 'object' && error !== null ? Reflect.get(error, 'cause') : undefined;
  return typeof cause === 'object' && cause !== null && NEVER_SENT.includes(Reflect.get(cause, 'code'));
}
