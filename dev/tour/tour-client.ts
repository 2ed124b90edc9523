/** The tour's hands: HTTP to the API and to the inbox, every step said aloud. */
import { randomInt, randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { generateSync } from 'otplib';
import { z } from 'zod';

const CODE_PATIENCE_MS = 20_000;

export const say = (text: string): void => void process.stdout.write(`${text}\n`);
/** A heading of the tour. */
export const chapter = (title: string): void => say(`\n\x1b[1m${title}\x1b[0m`);

export interface Hands {
  readonly api: string;
  readonly inbox: string;
}

export interface Ask {
  readonly token?: string;
  readonly stepUp?: string;
  readonly body?: object;
  readonly key?: boolean;
}

/** Calls the API, prints the call, and reads the answer by its schema; any other status than 2xx ends the tour with the Problem. */
export async function call<S extends z.ZodType>(
  { api }: Hands,
  method: string,
  path: string,
  schema: S,
  ask: Ask = {},
): Promise<z.output<S>> {
  const answer = await fetch(`${api}${path}`, {
    method,
    headers: {
      ...(ask.body === undefined ? {} : { 'content-type': 'application/json' }),
      ...(ask.token === undefined ? {} : { authorization: `Bearer ${ask.token}` }),
      ...(ask.stepUp === undefined ? {} : { 'x-step-up-token': ask.stepUp }),
      ...(ask.key === true ? { 'idempotency-key': randomUUID() } : {}),
    },
    ...(ask.body === undefined ? {} : { body: JSON.stringify(ask.body) }),
  });
  const text = await answer.text();
  say(`  ${method} ${path}  →  ${answer.status}`);
  if (!answer.ok) throw new Error(`${method} ${path} was refused: ${text}`);
  return schema.parse(JSON.parse(text));
}

const Mails = z.array(z.object({ text: z.string() }));

/** Waits for the newest code sent to an address after those already read. */
export function codesOf(hands: Hands, address: string, alreadyRead = 0): () => Promise<string> {
  let read = alreadyRead;
  return async () => {
    const deadline = Date.now() + CODE_PATIENCE_MS;
    while (Date.now() < deadline) {
      const code = (await codesIn(hands, address))[read];
      if (code !== undefined) {
        read += 1;
        say(`  (inbox of ${address}: ${code})`);
        return code;
      }
      await sleep(100);
    }
    throw new Error(`no code came to ${address}`);
  };
}

/** Waits for the code that is sent after this call, to somebody whose inbox holds older ones. */
export async function nextCodeOf(hands: Hands, address: string): Promise<() => Promise<string>> {
  return codesOf(hands, address, (await codesIn(hands, address)).length);
}

async function codesIn({ inbox }: Hands, address: string): Promise<string[]> {
  const found = await fetch(`${inbox}/email?${new URLSearchParams({ 'to.address': address }).toString()}`);
  return Mails.parse(await found.json()).flatMap(({ text }) => /\b\d{6}\b/.exec(text)?.[0] ?? []);
}

const Challenge = z.looseObject({ challenge_id: z.string() });
const StepUp = z.looseObject({ step_up_token: z.string() });

/** Proves a second factor for one operation; `code` answers with it. */
export async function stepUp(
  hands: Hands,
  token: string,
  operation: string,
  method: 'totp' | 'sms_otp',
  code: () => string | Promise<string>,
): Promise<string> {
  const { challenge_id } = await call(hands, 'POST', '/v1/auth/step-up', Challenge, {
    token,
    body: { operation, method },
  });
  const body = { challenge_id, code: await code() };
  return (await call(hands, 'POST', '/v1/auth/step-up/verify', StepUp, { token, body })).step_up_token;
}

/** The code an authenticator app would show `steps` half minutes from now. */
export function totpCode(secret: string, steps = 0): string {
  return generateSync({ secret, epoch: Math.floor(Date.now() / 1_000) + steps * 30 });
}

/** A number of the range that is kept free for fiction. */
export function fictionalPhone(): string {
  return `+4915123${String(randomInt(1_000_000)).padStart(6, '0')}`;
}
