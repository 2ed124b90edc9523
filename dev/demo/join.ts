/** How somebody becomes a customer: registers, proves who they are, sets up a second factor, opens accounts and gets money. */
import { z } from 'zod';
import { call, type Client } from '../client/http.ts';
import { nextCodesOf, stepUp, textMessagesOf, totpCode, type Proof } from '../client/second-factor.ts';
import { Account, Anything } from './answers.ts';
import { inTheNameOf, type Bank, type Member } from './bank.ts';
import { diceOf, type Dice } from './dice.ts';
import { PASSWORD, type Factor, type Person } from './people.ts';
import { payIn } from './staff.ts';

const Registered = z.looseObject({
  verification_id: z.string(),
  phone_verification_id: z.string().nullable(),
});
const Tokens = z.looseObject({ access_token: z.string() });
const Secret = z.looseObject({ secret: z.string() });

/** Least and most, in whole euro. */
export type Opening = readonly [least: number, most: number];

/** Codes as they arrive, by email and by text message. */
interface Codes {
  readonly mailed: () => Promise<string>;
  readonly texted: () => Promise<string>;
}

/** Makes a customer of somebody, with one to three accounts and money in the first. */
export async function join(bank: Bank, client: Client, person: Person, opening: Opening): Promise<Member> {
  const dice = diceOf('life', person.seed, person.index);
  const codes = await codesFor(client, person);
  const token = await inTheNameOf(person, 'register', () => register(client, person, codes));
  bank.tally.add('customers');
  await inTheNameOf(person, 'set up a second factor', () => addFactor(client, token, person.factor));
  const [method, code] =
    person.factor === 'email' ? (['email_otp', codes.mailed] as const) : (['sms_otp', codes.texted] as const);
  const proof: Proof = (operation, request) =>
    stepUp(client, token, { operation, ...(request && { request }) }, method, code);
  const open = async ([type, nickname]: Wish): Promise<Account> => {
    const body = { account_type_id: bank.types.get(type), nickname };
    const ask = { token, stepUp: await proof('openAccount'), key: true, body };
    bank.tally.add('accounts');
    return call(client, 'POST', '/v1/accounts', Account, ask);
  };
  return inTheNameOf(person, 'open accounts', async () => {
    const [first, ...others] = wishesOf(person, dice);
    const main = await open(first);
    await payIn(bank.staff, main, dice.amount(...opening), dice.pick(WHERE_FROM));
    bank.tally.add('credits that two admins made');
    const accounts = [main];
    for (const wish of others) accounts.push(await open(wish));
    return { person, client, token, main, accounts, dice, proof };
  });
}

const WHERE_FROM = ['Transfer from former bank', 'Cash paid in at the counter', 'Sale of a car', 'Salary'];

async function codesFor(client: Client, { email, phone }: Person): Promise<Codes> {
  const mailed = await nextCodesOf(client, email);
  return { mailed, texted: phone === null ? mailed : await nextCodesOf(client, textMessagesOf(phone)) };
}

async function register(client: Client, person: Person, { mailed, texted }: Codes): Promise<string> {
  const { email, phone, home } = person;
  const { street, ...town } = home.address;
  const body = {
    ...{ email, password: PASSWORD, first_name: person.firstName, last_name: person.lastName },
    ...{ date_of_birth: person.dateOfBirth, country: home.country, locale: home.locale },
    address: { line1: `${street} ${person.houseNumber}`, ...town, country: home.country },
    ...(phone === null ? {} : { phone }),
  };
  const registered = await call(client, 'POST', '/v1/auth/register', Registered, { body });
  if (registered.phone_verification_id !== null)
    await call(client, 'POST', '/v1/auth/phone/verify', Anything, {
      body: { verification_id: registered.phone_verification_id, code: await texted() },
    });
  await call(client, 'POST', '/v1/auth/email/verify', Anything, {
    body: { verification_id: registered.verification_id, code: await mailed() },
  });
  const login = { identifier: email, password: PASSWORD, device_label: `${person.firstName} · laptop` };
  return (await call(client, 'POST', '/v1/auth/login', Tokens, { body: login })).access_token;
}

async function addFactor(client: Client, token: string, factor: Factor): Promise<void> {
  const me = '/v1/users/me/mfa';
  if (factor === 'app') {
    const { secret } = await call(client, 'POST', `${me}/totp/setup`, Secret, { token });
    await call(client, 'POST', `${me}/totp/confirm`, Anything, { token, body: { code: totpCode(secret) } });
  }
  const body = factor === 'email' ? { email_otp_enabled: true } : { sms_otp_enabled: true };
  // a visitor finds text messages in the inbox, but does not have the app
  const preferred = factor === 'app' ? { preferred_method: 'sms_otp' } : {};
  await call(client, 'PATCH', me, Anything, { token, body: { ...body, ...preferred } });
}

type Wish = readonly [type: string, nickname: string];

function wishesOf({ home: { words, currency } }: Person, dice: Dice): readonly [Wish, ...Wish[]] {
  const savings: Wish[] = dice.chance(0.6) ? [['savings_eur', words.savings]] : [];
  const foreign: Wish[] = dice.chance(0.45) ? [[`current_${currency.toLowerCase()}`, currency]] : [];
  return [['current_eur', words.household], ...savings, ...foreign];
}
