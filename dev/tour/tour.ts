/** `npm run tour`: plays the README's tour against a running service, over HTTP, and says every step. */
import { randomBytes, randomInt } from 'node:crypto';
import { z } from 'zod';
import { serviceAddresses } from '../client/addresses.ts';
import { call, type Ask, type Client } from '../client/http.ts';
import {
  codesOf,
  fictionalPhone,
  logIn,
  stepUp,
  textMessagesOf,
  totpCode,
  type Proof,
} from '../client/second-factor.ts';
import { handInText } from '../client/upload.ts';
import { demoAdmins } from '../seed/demo-users.ts';
import { chapter, say } from './say.ts';
import { orderCard } from './tour-cards.ts';
import { buyCoins, receiveCoins } from './tour-coins.ts';
import { proveCompany } from './tour-kyb.ts';
import { proveIdentity } from './tour-kyc.ts';
import { payInDollars, payOutside } from './tour-payments.ts';

const { ui, ...addresses } = serviceAddresses(process.env);
const client: Client = { ...addresses, hear: (line) => say(`  ${line}`) };

const Tokens = z.looseObject({ access_token: z.string() });
const Any = z.looseObject({});
const Account = z.looseObject({
  id: z.string(),
  number: z.string(),
  available: z.object({ amount: z.string() }),
  held: z.object({ amount: z.string() }),
});
const Transfer = z.looseObject({ id: z.string(), status: z.string() });
const List = <Item extends z.ZodType>(item: Item) => z.looseObject({ items: z.array(item) });
const eur = (amount: string) => ({ amount, currency: 'EUR' });

interface Customer {
  readonly token: string;
  /** The first proof, by authenticator. */
  readonly byApp: string;
  /** Further ones by text message: an authenticator shows each code once in half a minute. */
  readonly proof: Proof;
}

try {
  const customer = await becomeCustomer();
  const accounts = await openAccounts(customer);
  await fund(accounts.first.id);
  await moveMoney(customer, accounts);
  const payer = { ...customer, client, account: accounts.second.id };
  const admins = [await logIn(client, demoAdmins[0]), await logIn(client, demoAdmins[1])] as const;
  await payInDollars(payer, admins);
  await payOutside(payer, ui);
  await orderCard(payer, admins, ui);
  await proveIdentity(payer, admins[0], ui);
  await proveCompany(payer, admins[0], ui);
  await receiveCoins(payer, ui);
  await buyCoins(payer, admins[0], ui);
  await askForHelp(customer);
  say(`\nThe tour is over. See every process it left behind: ${ui}`);
} catch (error) {
  say(`\nThe tour ends here: ${error instanceof Error ? error.message : String(error)}`);
  say(`Is the service running (npm start) at ${client.api}?`);
  process.exitCode = 1;
}

async function becomeCustomer(): Promise<Customer> {
  chapter('1. A customer registers, proves address and number, and logs in');
  const email = `tour-${randomBytes(4).toString('hex')}@example.com`;
  const phone = fictionalPhone(randomInt(1_000_000));
  const password = `otters ${randomBytes(6).toString('hex')} at dusk`;
  const [mailed, texted] = [codesOf(client, email), codesOf(client, textMessagesOf(phone))];
  const person = {
    first_name: 'Tara',
    last_name: 'Our',
    date_of_birth: '1990-04-02',
    country: 'DE',
    locale: 'en',
  };
  const Registered = z.looseObject({ verification_id: z.string(), phone_verification_id: z.string() });
  const registered = await call(client, 'POST', '/v1/auth/register', Registered, {
    body: { email, password, phone, ...person },
  });
  await call(client, 'POST', '/v1/auth/phone/verify', Any, {
    body: { verification_id: registered.phone_verification_id, code: await texted() },
  });
  await call(client, 'POST', '/v1/auth/email/verify', Any, {
    body: { verification_id: registered.verification_id, code: await mailed() },
  });
  const { access_token: token } = await call(client, 'POST', '/v1/auth/login', Tokens, {
    body: { identifier: email, password },
  });

  chapter('2. A second factor: an authenticator app, and text messages beside it');
  const { secret } = await call(
    client,
    'POST',
    '/v1/users/me/mfa/totp/setup',
    z.looseObject({ secret: z.string() }),
    { token },
  );
  await call(client, 'POST', '/v1/users/me/mfa/totp/confirm', Any, {
    token,
    body: { code: totpCode(secret, -1) },
  });
  await call(client, 'PATCH', '/v1/users/me/mfa', Any, { token, body: { sms_otp_enabled: true } });
  say(
    '  What moves money asks for a fresh proof, bound to one operation, for money to the very request, and spent once:',
  );
  const byApp = await stepUp(client, token, { operation: 'openAccount' }, 'totp', () => totpCode(secret));
  return {
    ...{ token, byApp },
    proof: (operation, request) =>
      stepUp(client, token, { operation, ...(request && { request }) }, 'sms_otp', texted),
  };
}

type AccountAnswer = z.output<typeof Account>;

async function openAccounts({
  token,
  byApp,
  proof,
}: Customer): Promise<{ first: AccountAnswer; second: AccountAnswer }> {
  chapter('3. Two accounts');
  const types = await call(
    client,
    'GET',
    '/v1/account-types',
    List(z.looseObject({ id: z.string(), code: z.string() })),
    { token },
  );
  const type = types.items.find(({ code }) => code === 'current_eur')?.id;
  const open = (nickname: string, proven: string) =>
    call(client, 'POST', '/v1/accounts', Account, {
      token,
      stepUp: proven,
      key: true,
      body: { account_type_id: type, nickname },
    });
  const first = await open('Household', byApp);
  const second = await open('Savings', await proof('openAccount'));
  say(`  accounts ${first.number} and ${second.number}`);
  return { first, second };
}

async function fund(accountId: string): Promise<void> {
  chapter('4. An administrator credits 50,000.00 €; nothing moves until another one has executed it');
  const [maker, checker] = [await logIn(client, demoAdmins[0]), await logIn(client, demoAdmins[1])];
  const body = {
    account_id: accountId,
    direction: 'credit',
    amount: eur('50000.00'),
    reason: 'opening balance',
    description: 'Welcome',
  };
  const adjustment = await call(client, 'POST', '/v1/admin/adjustments', Transfer, {
    token: maker,
    key: true,
    body,
  });
  say(`  ${adjustment.status}: ${ui}/namespaces/default/workflows/adjustment%2F${adjustment.id}`);
  const path = `/v1/admin/transfers/${adjustment.id}/execute`;
  const done = await call(client, 'POST', path, Transfer, {
    token: checker,
    key: true,
    body: { reason: 'checked' },
  });
  say(`  ${done.status}`);
}

async function moveMoney(
  { token, proof }: Customer,
  { first, second }: { first: AccountAnswer; second: AccountAnswer },
): Promise<void> {
  chapter('5. A transfer below the threshold is booked at once');
  const send = async (amount: string, description: string): Promise<z.output<typeof Transfer>> => {
    const body = {
      source_account_id: first.id,
      destination: { account_id: second.id },
      amount: eur(amount),
      description,
    };
    const ask: Ask = { token, stepUp: await proof('createTransfer', body), key: true, body };
    const transfer = await call(client, 'POST', '/v1/transfers', Transfer, ask);
    say(`  ${amount} €: ${transfer.status}`);
    return transfer;
  };
  await send('250.00', 'Rent');

  chapter('6. Two above it hold the money; an administrator executes one and rejects the other');
  const [large, larger] = [await send('15000.00', 'Car'), await send('20000.00', 'Boat')];
  await showBalances(token, first.id);
  say(`  waiting in the Web UI: ${ui}/namespaces/default/workflows/transfer%2F${large.id}`);
  const admin = await logIn(client, demoAdmins[1]);
  const decide = (id: string, decision: string, reason: string) =>
    call(client, 'POST', `/v1/admin/transfers/${id}/${decision}`, Transfer, {
      token: admin,
      key: true,
      body: { reason },
    });
  say(
    `  ${(await decide(large.id, 'execute', 'called back')).status}, ${(await decide(larger.id, 'reject', 'no contract')).status}`,
  );

  chapter('7. Balances and history agree');
  const [left, right] = [await showBalances(token, first.id), await showBalances(token, second.id)];
  const Line = z.looseObject({
    direction: z.string(),
    amount: z.object({ amount: z.string() }),
    balance_after: z.object({ amount: z.string() }),
    description: z.string(),
  });
  const history = await call(client, 'GET', `/v1/accounts/${first.id}/transactions`, List(Line), { token });
  for (const line of history.items)
    say(
      `  ${line.direction.padEnd(6)} ${line.amount.amount.padStart(10)}  ${line.description.padEnd(8)} → ${line.balance_after.amount}`,
    );
  const agree =
    history.items[0]?.balance_after.amount === left && left === '34750.00' && right === '15250.00';
  if (!agree) throw new Error(`balances and history do not agree: ${left}, ${right}`);
}

async function showBalances(token: string, id: string): Promise<string> {
  const account = await call(client, 'GET', `/v1/accounts/${id}`, Account, { token });
  say(`  account ${account.number}: available ${account.available.amount}, held ${account.held.amount}`);
  return account.available.amount;
}

async function askForHelp({ token }: Customer): Promise<void> {
  chapter('15. A ticket with a file, uploaded straight to the store');
  const Ticket = z.looseObject({
    id: z.string(),
    number: z.string(),
    messages: z.array(z.looseObject({ id: z.string() })),
  });
  const ticket = await call(client, 'POST', '/v1/tickets', Ticket, {
    token,
    key: true,
    body: { subject: 'The boat', body: 'Why was it rejected?' },
  });
  const root = `/v1/tickets/${ticket.id}/messages/${ticket.messages[0]?.id ?? ''}/attachments`;
  const content = 'Contract no. 4711: one boat.\n';
  const attachment = await handInText(client, token, root, { name: 'contract.txt', content });
  const back = await (await fetch(attachment.download_url)).text();
  if (back !== content) throw new Error('the file did not come back as it was');
  say(`  ${attachment.status}, ${attachment.size_bytes} bytes, downloaded again and equal`);
}
