/** The mail inbox of the test stack: what people are written, found by recipient. */
import { setTimeout as wait } from 'node:timers/promises';
import { z } from 'zod';
import { stack } from './stack.ts';

const PATIENCE_MILLISECONDS = 20_000;
const PAUSE_MILLISECONDS = 40;

const Mails = z.array(z.object({ id: z.string(), subject: z.string(), text: z.string() }));
export type Mail = z.output<typeof Mails>[number];

/** Notices that come with whatever somebody pays. */
const PAYMENT = /^(Payment|Zahlung) /;

/** The mail of one person; each is handed out once. */
export interface Mailbox {
  /** The next mail that has not been handed out and is no notice of a payment; waits for it. */
  next(): Promise<Mail>;
  /** The next one whatever it is. */
  any(): Promise<Mail>;
  /** The next mail with just this subject. */
  about(subject: string): Promise<Mail>;
  /** The code (six digits, or so many) in the next mail that has one; mails without one are passed over. */
  nextCode(digits?: number): Promise<string>;
}

export function mailboxOf(address: string): Mailbox {
  const seen = new Set<string>();
  const all = async (): Promise<Mail[]> => {
    const url = `${stack.inboxUrl}/email?${new URLSearchParams({ 'to.address': address }).toString()}`;
    return Mails.parse(await (await fetch(url)).json());
  };
  async function first(isWanted: (mail: Mail) => boolean): Promise<Mail> {
    const deadline = performance.now() + PATIENCE_MILLISECONDS;
    while (performance.now() < deadline) {
      const fresh = (await all()).find((mail) => !seen.has(mail.id) && isWanted(mail));
      if (fresh !== undefined) {
        seen.add(fresh.id);
        return fresh;
      }
      await wait(PAUSE_MILLISECONDS);
    }
    throw new Error(`no mail came to ${address}`);
  }
  const next = (): Promise<Mail> => first(({ subject }) => !PAYMENT.test(subject));
  return {
    next,
    any: () => first(() => true),
    about: (wanted) => first(({ subject }) => subject === wanted),
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
