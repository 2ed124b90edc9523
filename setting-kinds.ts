/** How kinds of settings are read from the text of a variable. */
import { z } from 'zod';

/** A port; 0 where none is to be opened. */
export const port = z.coerce.number().int().min(0).max(65_535);
/** Words, comma separated. */
export const list = z.string().transform((text) =>
  text
    .split(',')
    .map((item) => item.trim())
    .filter(Boolean),
);
/** `true` or `false`. */
export const flag = z.enum(['true', 'false']).transform((text) => text === 'true');
/** A private key of P-256, base64url. */
export const vapidKey = z.string().regex(/^[A-Za-z0-9_-]{43}$/, 'must be base64url of 32 bytes');
/** Any text, or nothing. */
export const text = z.string().optional();
/** Proxies that are trusted. */
export const hops = z
  .string()
  .regex(/^(true|false|[0-8])$/, 'must be true, false, or a number of proxies up to 8')
  .transform((text) => (text === 'true' ? 1 : text === 'false' ? 0 : Number(text)));

const EXAMPLES = {
  http: ['https://bank.example', /^https?$/],
  postgres: ['postgresql://user:password@host:5432/database', /^postgres(ql)?$/],
  smtp: ['smtp://host:587', /^smtps?$/],
} as const;

/** An address with one of the schemes that the part understands. */
export function address(kind: keyof typeof EXAMPLES) {
  const [example, protocol] = EXAMPLES[kind];
  return z.url({
    protocol,
    error: (issue) => (issue.input === undefined ? undefined : `must be an address such as ${example}`),
  });
}

/** RFC 6454 §6.2: scheme, host and port, as browsers send it. */
export const isOrigin = (text: string): boolean => URL.canParse(text) && new URL(text).origin === text;

/** A ring of AES-256 keys, `id:base64,id:base64`; the first encrypts, all decrypt. */
export const keyRing = list.pipe(
  z
    .array(z.string().regex(/^[a-z0-9_-]{1,32}:[A-Za-z0-9+/]{43}=$/, 'must be id:base64 of 32 bytes'))
    .min(1)
    .refine(
      (keys) => new Set(keys.map((key) => key.split(':')[0])).size === keys.length,
      'must name each id once',
    ),
);

/** Keys that are agreed with somebody else, `id:base64,id:base64`. */
export const sharedKeys = list.pipe(
  z.array(
    z.string().regex(/^[\w.-]{1,64}:[A-Za-z0-9+/]{22,}={0,2}$/, 'must be id:base64 of at least 16 bytes'),
  ),
);

/** Keys of PIN blocks, `id:hex,id:hex`; of 16 bytes for any format. */
export const pinKeys = list.pipe(
  z.array(
    z
      .string()
      .regex(
        /^[\w.-]{1,64}:([0-9A-Fa-f]{32}|[0-9A-Fa-f]{48}|[0-9A-Fa-f]{64})$/,
        'must be id:hex of 16, 24 or 32 bytes',
      ),
  ),
);
