/** Coins. */
import type { Entry } from './entry.ts';

export const cryptoRefusals = {
  looks_like_a_secret: {
    status: 400,
    title: 'Looks like a secret',
    cause: 'A text looks like a private key or the words of a seed. The bank has not kept it.',
    cure: 'Send an address. Whoever may have seen the key can take its coins: move them.',
  },
} as const satisfies Record<string, Entry>;
