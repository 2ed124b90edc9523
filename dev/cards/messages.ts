/** What the network simulator is asked to send, and the messages that it makes of it. */
import { randomInt, randomUUID } from 'node:crypto';
import { z } from 'zod';

/** The merchant of what names none. */
export const MERCHANT = { id: 'SHOP1', name: 'Corner shop', city: 'Berlin', country: 'DE', mcc: '5411' };

const Money = z.strictObject({ amount: z.string(), currency: z.string() });

/** Fields of the door's body pass as they are; these are made where they are left out. */
export const Wish = z.looseObject({
  type: z.enum(['0100', '0120', '0420']).default('0100'),
  payment_id: z.string().optional(),
  stan: z.string().optional(),
  rrn: z.string().optional(),
  purpose: z.string().default('purchase'),
  billing: Money.optional(),
  /** The same message so many times, one after the other. */
  repeat: z.int().min(1).max(100).default(1),
  /** So many messages at the same moment, each with keys of its own. */
  parallel: z.int().min(1).max(100).default(1),
  delay_ms: z.int().min(0).max(60_000).default(0),
});
export type Wish = z.output<typeof Wish>;

/** A message of the network with all that makes it one. */
export interface Message {
  readonly type: Wish['type'];
  readonly payment_id: string;
  readonly stan: string;
  readonly rrn: string;
  readonly purpose: string;
  readonly billing?: z.output<typeof Money> | undefined;
  readonly [field: string]: unknown;
}

export const newStan = (): string => String(randomInt(1_000_000_000)).padStart(9, '0');
const newRrn = (): string => String(randomInt(1_000_000_000)).padStart(12, '0');

/** One of the messages of a wish. */
export function messageOf({
  repeat: _repeat,
  parallel: _parallel,
  delay_ms: _delay,
  ...wish
}: Wish): Message {
  return {
    ...wish,
    payment_id: wish.payment_id ?? randomUUID(),
    stan: wish.stan ?? newStan(),
    rrn: wish.rrn ?? newRrn(),
  };
}

/** How a message is shown: of a card its last four digits, and nothing that is secret. */
export function shown({ pan, cvv: _cvv, pin_block: _pin, proof: _proof, ...message }: Message): object {
  return { ...message, card: typeof pan === 'string' ? pan.slice(-4) : null };
}

/** The reversal of a request to which no answer came: it names that request, whether it has arrived or not. */
export function reversalOf(request: Message): Message {
  const { stan, rrn } = request;
  return { ...withoutSecrets(request), type: '0420', reverses: { stan, rrn } };
}

/** What the network tells of a request that it has approved itself. */
export function adviceOf(request: Message): Message {
  return { ...withoutSecrets(request), type: '0120', stan: newStan(), stood_in: true };
}

function withoutSecrets({ cvv: _cvv, pin_block: _pin, proof: _proof, ...message }: Message): Message {
  return message;
}
