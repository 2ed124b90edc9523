/** Second factors as a person has them: codes read in the inbox, an authenticator app, and the proofs made with them. */
import { setTimeout as sleep } from 'node:timers/promises';
import { generateSync } from 'otplib';
import { z } from 'zod';
import { call, type Client } from './http.ts';

const CODE_PATIENCE_MS = 20_000;
const PAUSE_MS = 100;

const Mails = z.array(z.object({ text: z.string() }));
const Challenge = z.looseObject({ challenge_id: z.string() });
const StepUp = z.looseObject({ step_up_token: z.string() });
const Tokens = z.looseObject({ access_token: z.string() });
const LoggedIn = z.union([Tokens, Challenge]);

export interface Credentials {
  readonly identifier: string;
  readonly password: string;
}

/** Answers one code after the other that is sent to an address, after those already read; waits for each. */
export function codesOf(client: Client, address: string, alreadyRead = 0): () => Promise<string> {
  let read = alreadyRead;
  return async () => {
    const deadline = Date.now() + CODE_PATIENCE_MS;
    while (Date.now() < deadline) {
      const code = (await codesIn(client, address))[read];
      if (code !== undefined) {
        read += 1;
        client.hear?.(`(inbox of ${address}: ${code})`);
        return code;
      }
      await sleep(PAUSE_MS);
    }
    throw new Error(`no code came to ${address}`);
  };
}

/** Answers the codes that are sent after this call, to somebody whose inbox may hold older ones. */
export async function nextCodesOf(client: Client, address: string): Promise<() => Promise<string>> {
  return codesOf(client, address, (await codesIn(client, address)).length);
}

async function codesIn({ inbox }: Client, address: string): Promise<string[]> {
  const found = await fetch(`${inbox}/email?${new URLSearchParams({ 'to.address': address }).toString()}`);
  return Mails.parse(await found.json()).flatMap(({ text }) => /\b\d{6}\b/.exec(text)?.[0] ?? []);
}

/** Logs in; a code that the service asks for is read where it is sent, `codesAt`. Answers the access token. */
export async function logIn(
  client: Client,
  { identifier, password }: Credentials,
  codesAt: string = identifier,
): Promise<string> {
  // looked at first, so that an older code in the inbox is not taken for the new one
  const code = await nextCodesOf(client, codesAt);
  const answer = await call(client, 'POST', '/v1/auth/login', LoggedIn, { body: { identifier, password } });
  if ('access_token' in answer) return Tokens.parse(answer).access_token;
  const body = { challenge_id: answer.challenge_id, code: await code() };
  return (await call(client, 'POST', '/v1/auth/login/mfa', Tokens, { body })).access_token;
}

/** What a second factor is proven for: an operation and, if it moves money out, the very body of its call. */
export interface ProofWish {
  readonly operation: string;
  readonly request?: object;
}

/** Answers with a proof of the second factor. */
export type Proof = (operation: string, request?: object) => Promise<string>;

/** Proves a second factor; `code` answers with it. */
export async function stepUp(
  client: Client,
  token: string,
  wish: ProofWish,
  method: 'totp' | 'sms_otp' | 'email_otp',
  code: () => string | Promise<string>,
): Promise<string> {
  const { challenge_id } = await call(client, 'POST', '/v1/auth/step-up', Challenge, {
    token,
    body: { ...wish, method },
  });
  const body = { challenge_id, code: await code() };
  return (await call(client, 'POST', '/v1/auth/step-up/verify', StepUp, { token, body })).step_up_token;
}

/** The code an authenticator app would show `steps` half minutes from now. */
export function totpCode(secret: string, steps = 0): string {
  return generateSync({ secret, epoch: Math.floor(Date.now() / 1_000) + steps * 30 });
}

/** A German mobile number of a range that is kept free for fiction; `digits` below a million. */
export function fictionalPhone(digits: number): string {
  return `+4915123${String(digits).padStart(6, '0')}`;
}

/** Where the text messages to a number arrive. */
export function textMessagesOf(phone: string): string {
  return `${phone}@sms.localhost`;
}
