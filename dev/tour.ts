/** `npm run tour`: plays the README's tour against a running service, over HTTP, and says every step. */
import { randomBytes } from 'node:crypto';
import { z } from 'zod';
import { demoAdmins, type DemoUser } from './demo-users.ts';
import { call, chapter, codesOf, fictionalPhone, say, stepUp, totpCode, type Ask, type Hands } from './tour-client.ts';

const port = (name: string, usual: string): string => process.env[name] ?? usual;
const hands: Hands = {
  api: `http://127.0.0.1:${port('PORT', '3000')}`,
  inbox: `http://127.0.0.1:${port('INBOX_PORT', '1080')}`,
};
const ui = `http://127.0.0.1:${port('TEMPORAL_UI_PORT', '8233')}`;

const Tokens = z.looseObject({ access_token: z.string() });
const Any = z.looseObject({});
const Account = z.looseObject({ id: z.string(), number: z.string(), available: z.object({ amount: z.string() }), held: z.object({ amount: z.string() }) });
const Transfer = z.looseObject({ id: z.string(), status: z.string() });
const List = <Item extends z.ZodType>(item: Item) => z.looseObject({ items: z.array(item) });
const eur = (amount: string) => ({ amount, currency: 'EUR' });

interface Customer {
  readonly token: string;
  /** A step-up by text message. */
  proof(operation: string): Promise<string>;
}

try {
  const customer = await becomeCustomer();
  const accounts = await openAccounts(customer);
  await fund(accounts.first.id);
  await moveMoney(customer, accounts);
  await askForHelp(customer);
  say(`\nThe tour is over. See every process it left behind: ${ui}`);
} catch (error) {
  say(`\nThe tour ends here: ${error instanceof Error ? error.message : String(error)}`);
  say(`Is the service running (npm start) at ${hands.api}?`);
  process.exitCode = 1;
}

async function becomeCustomer(): Promise<Customer> {
  chapter('1. A customer registers, proves address and number, and logs in');
  const email = `tour-${randomBytes(4).toString('hex')}@example.com`;
  const phone = fictionalPhone();
  const password = `otters ${randomBytes(6).toString('hex')} at dusk`;
  const [mailed, texted] = [codesOf(hands, email), codesOf(hands, `${phone}@sms.localhost`)];
  const person = { first_name: 'Tara', last_name: 'Our', date_of_birth: '1990-04-02', country: 'DE', locale: 'en' };
  const Registered = z.looseObject({ verification_id: z.string(), phone_verification_id: z.string() });
  const registered = await call(hands, 'POST', '/v1/auth/register', Registered, { body: { email, password, phone, ...person } });
  await call(hands, 'POST', '/v1/auth/phone/verify', Any, { body: { verification_id: registered.phone_verification_id, code: await texted() } });
  await call(hands, 'POST', '/v1/auth/email/verify', Any, { body: { verification_id: registered.verification_id, code: await mailed() } });
  const { access_token: token } = await call(hands, 'POST', '/v1/auth/login', Tokens, { body: { identifier: email, password } });

  chapter('2. A second factor: an authenticator app, and text messages beside it');
  const proofByMail = await stepUpByMail(token, 'beginTotpSetup', mailed);
  const { secret } = await call(hands, 'POST', '/v1/users/me/mfa/totp/setup', z.looseObject({ secret: z.string() }), { token, ...proofByMail });
  await call(hands, 'POST', '/v1/users/me/mfa/totp/confirm', Any, { token, body: { code: totpCode(secret, -1) } });
  await call(hands, 'PATCH', '/v1/users/me/mfa', Any, { token, body: { sms_otp_enabled: true } });
  say('  An operation that moves money asks for a fresh proof, bound to it and spent once:');
  const byTotp = await stepUp(hands, token, 'openAccount', 'totp', () => totpCode(secret));
  firstProof = byTotp;
  return { token, proof: (operation) => stepUp(hands, token, operation, 'sms_otp', texted) };
}
