/** What a message of the release before holds, sealed for its row. */
import type { Cipher } from '../../adapters/cipher.ts';
import type { MessageId } from '../../domain/ids.ts';

/** Erased from its row once it is delivered or given up. */
interface MessageContent {
  readonly to: string;
  readonly values: Readonly<Record<string, string>>;
}

/** Opens it. Throws where the row was tampered with or its key has left the ring. */
export function openMessage(cipher: Cipher, id: MessageId, sealed: Uint8Array): MessageContent {
  // the release before alone writes the column, and the seal proves it
  return JSON.parse(cipher.open(sealed, `messages/${id}`).toString()) as MessageContent;
}
