/**
 * The cookie with which a browser reads process histories in the Temporal Web UI. It names a session, opens nothing but the codec
 * endpoint, and dies once it was not used for as long as a session of an administrator may lie idle (docs/decisions/0118).
 */
import { z } from 'zod';
import type { Cipher } from '../../../adapters/cipher.ts';
import { SessionId, UserId } from '../../../domain/ids.ts';

const CONTEXT = 'reading-cookie';
/** Ours are under 300; a longer one is not opened. */
const CHARACTERS_MAX = 1_024;

const Sealed = z.strictObject({ user: UserId, session: SessionId, at: z.int() });

/** Whose session a cookie names. */
export interface Reading {
  readonly userId: UserId;
  readonly sessionId: SessionId;
}

/** The value of a cookie that is good from now on. */
export function sealReading({ userId, sessionId }: Reading, cipher: Cipher): string {
  const plain = { user: userId, session: sessionId, at: Date.now() } satisfies z.input<typeof Sealed>;
  return cipher.seal(Buffer.from(JSON.stringify(plain)), CONTEXT).toString('base64url');
}

/** Null if the value is not ours, or was made longer ago. Says nothing about the session: see Sessions. */
export function openReading(value: string, idleSeconds: number, cipher: Cipher): Reading | null {
  if (value.length > CHARACTERS_MAX) return null;
  const { user, session, at } = opened(value, cipher) ?? {};
  if (user === undefined || session === undefined || at === undefined) return null;
  return Date.now() - at < idleSeconds * 1_000 ? { userId: user, sessionId: session } : null;
}

function opened(value: string, cipher: Cipher): z.output<typeof Sealed> | undefined {
  try {
    const plain = cipher.open(Buffer.from(value, 'base64url'), CONTEXT).toString();
    return Sealed.parse(JSON.parse(plain));
  } catch {
    return undefined;
  }
}
