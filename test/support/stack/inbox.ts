/** The mail inbox of the test stack: what people are written, found by recipient. It takes a mail before it lists it. */
import { setTimeout as wait } from 'node:timers/promises';
import { z } from 'zod';
import { PATIENCE_MS } from '../patience.ts';
import { stack } from './stack.ts';

const PAUSE_MILLISECONDS = 40;

const Mail = z.object({ id: z.string(), subject: z.string(), text: z.string() });
export type Mail = z.output<typeof Mail>;

/** Notices that come with whatever somebody pays. */
const PAYMENT = /^(Payment|Zahlung) /;

/** What the inbox lists for somebody now: zero or more mails, as its page knows them. */
async function listed<S extends z.ZodType>(address: string, shape: S): Promise<z.output<S>[]> {
  const url = `${stack.inboxUrl}/email?${new URLSearchParams({ 'to.address': address }).toString()}`;
  // the inbox ends a connection that was idle, also one on which a question is just coming
  const answer = await fetch(url).catch(() => fetch(url));
  return z.array(shape).parse(await answer.json());
}

/** What the inbox lists for somebody once it lists so many; at the end of its patience, what there is. */
export async function mailsTo<S extends z.ZodType>(
  address: string,
  atLeast: number,
  shape: S,
): Promise<z.output<S>[]> {
  const deadline = performance.now() + PATIENCE_MS;
  for (;;) {
    const mails = await listed(address, shape);
    if (mails.length >= atLeast || performance.now() > deadline) return mails;
    await wait(PAUSE_MILLISECONDS);
  }
}

/** How many mails somebody has, once so many are expected to have come. */
export async function countMailsTo(address: string, expected: number): Promise<number> {
  return (await mailsTo(address, expected, z.unknown())).length;
}

/** The mail of one person; each is handed out once. */
export interface Mailbox {
  /** The next mail that has not been handed out and is no notice of a payment; waits for it. */
  next(): Promise<Mail>;
  /** The next one whatever it is. */
  any(): Promise<Mail>;
  /** The next mail with just this subject. */
  about(subject: string): Promise<Mail>;
  /** The next mail that says this. */
  saying(words: string): Promise<Mail>;
  /** The code (six digits, or so many) in the next mail that has one; mails without one are passed over. */
  nextCode(digits?: number): Promise<string>;
}

export function mailboxOf(address: string): Mailbox {
  const seen = new Set<string>();
  async function first(isWanted: (mail: Mail) => boolean): Promise<Mail> {
    const deadline = performance.now() + PATIENCE_MS;
    while (performance.now() < deadline) {
      const fresh = (await listed(address, Mail)).find((mail) => !seen.has(mail.id) && isWanted(mail));
      if (fresh !== undefined) {
        seen.add(fresh.id);
        return fresh;
      }
      await wait(PAUSE_MILLISECONDS);
    }
    const subjects = (await listed(address, Mail)).map(({ subject }) => subject);
    throw new Error(`no such mail came to ${address}; seen: ${JSON.stringify(subjects)}`);
  }
  const next = (): Promise<Mail> => first(({ subject }) => !PAYMENT.test(subject));
  return {
    next,
    any: () => first(() => true),
    about: (wanted) => first(({ subject }) => subject === wanted),
    saying: (words) => first(({ text }) => text.includes(words)),
    nextCode: async (digits = 6) => {
      const sign = new RegExp(`\\b\\d{${String(digits)}}\\b`);
      for (;;) {
        const code = sign.exec((await next()).text)?.[0];
        if (code !== undefined) return code;
      }
    },
  };
}

/** Where a text message to a number arrives. */
export function phoneMailbox(number: string): Mailbox {
  return mailboxOf(`${number}@sms.localhost`);
}
