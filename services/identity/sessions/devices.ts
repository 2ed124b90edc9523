/**
 * Devices. One is known by 256 random bits that it got at its first login and keeps: what a browser says of itself is the same on
 * many machines, and whoever steals a password by a copied page learns that too (docs/decisions/0024).
 */
import { createHash, randomBytes } from 'node:crypto';
import type { EntityManager } from '@mikro-orm/postgresql';
import type { Cipher } from '../../../adapters/cipher.ts';
import { notify } from '../../notifications/events.ts';
import type { UserId } from '../../../domain/ids.ts';
import type { Client } from '../../callers.ts';
import { now } from '../../../domain/time/now.ts';

const TOKEN_BYTES = 32;
const NAME_CHARACTERS = 60;

/** The token of a device that has not been seen before. */
export function newDeviceToken(): string {
  return randomBytes(TOKEN_BYTES).toString('base64url');
}

/** As a device's token is kept. */
export function deviceHashOf(token: string): Buffer {
  return createHash('sha256').update(token).digest();
}

/** Writes to a user that somebody has logged in from a device that is new. */
export async function tellOfNewDevice(
  em: EntityManager,
  cipher: Cipher,
  told: {
    readonly userId: UserId;
    readonly email: string;
    readonly locale: string;
    readonly deviceLabel: string | null;
    readonly client: Client;
  },
): Promise<void> {
  const { userId, email, locale, deviceLabel, client } = told;
  await notify(em, cipher, {
    userId,
    to: { email },
    type: 'new_device',
    locale,
    values: {
      at: now().toISOString(),
      device: deviceName(deviceLabel, client.userAgent),
      address: client.address,
    },
  });
}

const BROWSERS = [
  ['Edge', /\bEdg/],
  ['Opera', /\bOPR\//],
  ['Firefox', /\bFirefox\//],
  ['Chrome', /\b(?:Chrome|CriOS)\//],
  ['Safari', /\bSafari\//],
] as const;
const SYSTEMS = [
  ['iOS', /\b(?:iPhone|iPad)\b/],
  ['Android', /\bAndroid\b/],
  ['Windows', /\bWindows\b/],
  ['macOS', /\bMac OS X\b/],
  ['Linux', /\bLinux\b/],
] as const;

/**
 * What a mail calls a device: its label, or browser and system. The label is the word of whoever logged in, perhaps a thief, and the
 * mail is ours: so it holds nothing that a mail program makes a link of.
 */
export function deviceName(label: string | null, userAgent: string): string {
  const cleaned = (label ?? '')
    .replaceAll(/[^\p{L}\p{M}\p{N}’'()-]+/gu, ' ')
    .trim()
    .slice(0, NAME_CHARACTERS)
    .trim();
  if (cleaned !== '') return `“${cleaned}”`;
  const named = [BROWSERS, SYSTEMS].map((names) => names.find(([, sign]) => sign.test(userAgent))?.[0]);
  const [browser, system] = named;
  if (browser !== undefined && system !== undefined) return `${browser} on ${system}`;
  return browser ?? system ?? '?';
}
