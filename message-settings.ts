/** The settings of mail, text messages and push messages. */
import { z } from 'zod';
import { address, port, text, vapidKey } from './setting-kinds.ts';

/** By which ways the bank speaks to people, and where mail comes back to. */
export const messageSettings = {
  SMTP_URL: address('smtp').default('smtp://127.0.0.1:1025').describe('SMTP server for mail'),
  MAIL_FROM: z.string().default('Teller <no-reply@teller.localhost>').describe('sender of mail'),
  MAIL_DKIM_KEY: text.describe(
    'PEM file of the key that signs mail (DKIM); needs MAIL_DKIM_SELECTOR; if unset, mail is not signed',
  ),
  MAIL_DKIM_SELECTOR: text.describe(
    'selector under which the domain of MAIL_FROM publishes the public key of MAIL_DKIM_KEY',
  ),
  REPLY_DOMAIN: z
    .string()
    .regex(/^[a-z0-9]([a-z0-9.-]*[a-z0-9])?$/i, 'must be a domain')
    .optional()
    .describe(
      'domain of the addresses that mail comes back to, `bounce+…`; its mail exchanger brings them to INBOUND_SMTP_PORT; if unset, mail comes back to MAIL_FROM and nobody notices; `npm start` sets it to reply.teller.localhost',
    ),
  INBOUND_SMTP_PORT: port
    .default(0)
    .describe(
      'port on which a worker that serves `outside` takes mail for REPLY_DOMAIN, without TLS, from the mail exchanger in front; 0 opens none; `npm start` sets it to 1026',
    ),
  SMS_MAIL_DOMAIN: z
    .string()
    .default('sms.localhost')
    .describe('text messages are sent as mail to number@domain'),
  SMS_PARTS_OF_PERSON: z.coerce
    .number()
    .int()
    .min(1)
    .max(1_000)
    .default(40)
    .describe(
      'parts of text messages, each of which costs, that one number is sent on a day of the bank; after them it gets none',
    ),
  SMS_PARTS_OF_BANK: z.coerce
    .number()
    .int()
    .min(10)
    .max(100_000_000)
    .default(20_000)
    .describe(
      'parts of text messages that the bank sends on one of its days; the last fifth of them is for codes',
    ),
  VAPID_PRIVATE_KEY: vapidKey
    .optional()
    .describe(
      'key that push messages to browsers are signed with: base64url of 32 bytes, as `npx web-push generate-vapid-keys` prints it; a new one asks every browser to subscribe again; if unset in production, there are no push messages',
    ),
  VAPID_SUBJECT: z
    .string()
    .regex(/^(mailto:[^\s@]+@[^\s@]+|https:\/\/\S+)$/, 'must be mailto: or https: with an address')
    .default('mailto:push@teller.localhost')
    .describe('where a push service reaches the operators of the bank, such as `mailto:ops@bank.example`'),
  TWILIO_ACCOUNT: text.describe(
    'account of Twilio that text messages are sent by; needs TWILIO_TOKEN and TWILIO_FROM; if unset, they go as mail to SMS_MAIL_DOMAIN',
  ),
  TWILIO_TOKEN: text.describe('auth token of TWILIO_ACCOUNT'),
  TWILIO_FROM: text.describe('number of the sender, or the id of a messaging service (`MG…`)'),
  TWILIO_URL: address('http').default('https://api.twilio.com').describe('address of Twilio’s API'),
};
