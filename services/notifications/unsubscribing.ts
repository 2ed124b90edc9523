/** Unsubscribing with one click (RFC 8058): the address in a mail says who no longer wants which type, and opens without a login. */
import type { EntityManager } from '@mikro-orm/postgresql';
import { z } from 'zod';
import type { Cipher } from '../../adapters/cipher.ts';
import type { Config } from '../../config.ts';
import { lockSettings, saveChoice } from '../../db/queries/notifications/preferences.ts';
import { notificationType } from '../../db/queries/notifications/types.ts';
import { UserId } from '../../domain/ids.ts';
import { isUnsubscribable, type Category } from '../../domain/notifications/notifications.ts';
import { transaction } from '../../db/transaction.ts';

/** Takes the requests of mail programs. */
export const UNSUBSCRIBE_PATH = '/v1/notifications/unsubscribe';

const CONTEXT = 'unsubscribe';
/** Who, and which type; only the channel of mail has such addresses. */
const Told = z.tuple([UserId, z.string()]);

/** A type that somebody no longer wants by mail. */
export interface Unwanted {
  readonly userId: UserId;
  readonly typeCode: string;
}

/** Undefined for what cannot be switched off, and where the public address is not https, which RFC 8058 requires. */
export function unsubscribeAddress(
  { cipher, config }: { readonly cipher: Cipher; readonly config: Pick<Config, 'publicUrl'> },
  {
    userId,
    typeCode,
    category,
    mandatory,
  }: {
    readonly userId: UserId | null;
    readonly typeCode: string;
    readonly category: Category;
    readonly mandatory: boolean;
  },
): string | undefined {
  if (userId === null || !isUnsubscribable({ category, mandatory })) return undefined;
  if (!config.publicUrl.startsWith('https://')) return undefined;
  return `${config.publicUrl}${UNSUBSCRIBE_PATH}?token=${unsubscribeToken(cipher, { userId, typeCode })}`;
}

/** Opaque; good for as long as its key is in the ring. */
export function unsubscribeToken(cipher: Cipher, { userId, typeCode }: Unwanted): string {
  return cipher.seal(Buffer.from(JSON.stringify([userId, typeCode])), CONTEXT).toString('base64url');
}

/** What a token says; undefined if it is not one of ours. */
export function readUnsubscribeToken(cipher: Cipher, token: string): Unwanted | undefined {
  try {
    const sealed = Buffer.from(token, 'base64url');
    const [userId, typeCode] = Told.parse(JSON.parse(cipher.open(sealed, CONTEXT).toString()));
    return { userId, typeCode };
  } catch {
    return undefined;
  }
}

/** Switches the type off by mail, as the preferences do. A repeat changes nothing. False if the type may not be switched off any more. */
export function unsubscribe(em: EntityManager, { userId, typeCode }: Unwanted): Promise<boolean> {
  return transaction(em, async (db) => {
    const type = await notificationType.first(db, { code: typeCode });
    if (type === undefined || type.mandatory) return false;
    await lockSettings.run(db, { userId });
    await saveChoice.run(db, { userId, typeCode, channel: 'email', enabled: false });
    return true;
  });
}
