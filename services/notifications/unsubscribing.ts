/** Unsubscribing with one click (RFC 8058): the address in a mail says who no longer wants which types, and opens without a login. */
import type { EntityManager } from '@mikro-orm/postgresql';
import { z } from 'zod';
import type { Cipher } from '../../adapters/cipher.ts';
import type { Config } from '../../config.ts';
import { lockSettings, saveChoice } from '../../db/queries/notifications/preferences.ts';
import { notificationType, type NotificationTypeRow } from '../../db/queries/notifications/types.ts';
import { UserId } from '../../domain/ids.ts';
import { isUnsubscribable, type Category } from '../../domain/notifications/notifications.ts';
import { transaction } from '../../db/transaction.ts';

/** Takes the requests of mail programs. */
export const UNSUBSCRIBE_PATH = '/v1/notifications/unsubscribe';

const CONTEXT = 'unsubscribe';
/** Who, and which types; only the channel of mail has such addresses. */
const Told = z.tuple([UserId, z.string()], z.string());

/** Types that somebody no longer wants by mail. */
export interface Unwanted {
  readonly userId: UserId;
  readonly typeCodes: readonly string[];
}

/** One of the parts of a mail. */
interface Part {
  readonly userId: UserId | null;
  readonly typeCode: string;
  readonly category: Category;
  readonly mandatory: boolean;
}

/**
 * The address that stops every type in a mail which may be stopped this way, whatever else a digest says. Undefined if there is none, or if
 * the public address is not https, which RFC 8058 requires.
 */
export function unsubscribeAddress(
  { cipher, config }: { readonly cipher: Cipher; readonly config: Pick<Config, 'publicUrl'> },
  parts: readonly Part[],
): string | undefined {
  const userId = parts[0]?.userId ?? null;
  const typeCodes = [...new Set(parts.filter(isUnsubscribable).map(({ typeCode }) => typeCode))];
  if (userId === null || typeCodes.length === 0) return undefined;
  if (!config.publicUrl.startsWith('https://')) return undefined;
  return `${config.publicUrl}${UNSUBSCRIBE_PATH}?token=${unsubscribeToken(cipher, { userId, typeCodes })}`;
}

/** Opaque; good for as long as its key is in the ring. */
export function unsubscribeToken(cipher: Cipher, { userId, typeCodes }: Unwanted): string {
  return cipher.seal(Buffer.from(JSON.stringify([userId, ...typeCodes])), CONTEXT).toString('base64url');
}

/** What a token says; undefined if it is not one of ours. */
export function readUnsubscribeToken(cipher: Cipher, token: string): Unwanted | undefined {
  try {
    const sealed = Buffer.from(token, 'base64url');
    const [userId, ...typeCodes] = Told.parse(JSON.parse(cipher.open(sealed, CONTEXT).toString()));
    return { userId, typeCodes };
  } catch {
    return undefined;
  }
}

/** Switches the types off by mail, as the preferences do. A repeat changes nothing. False if none of them may be switched off any more. */
export function unsubscribe(em: EntityManager, { userId, typeCodes }: Unwanted): Promise<boolean> {
  return transaction(em, async (db) => {
    const optional = await optionalTypes(db, typeCodes);
    if (optional.length === 0) return false;
    await lockSettings.run(db, { userId });
    for (const { code } of optional)
      await saveChoice.run(db, { userId, typeCode: code, channel: 'email', enabled: false });
    return true;
  });
}

/** Those of the types that may be switched off now, in this order. */
export async function optionalTypes(
  db: EntityManager,
  codes: readonly string[],
): Promise<NotificationTypeRow[]> {
  const types: NotificationTypeRow[] = [];
  for (const code of codes) {
    const type = await notificationType.first(db, { code });
    if (type !== undefined && !type.mandatory) types.push(type);
  }
  return types;
}
