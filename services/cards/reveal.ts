/** Shows the secrets of a card to its holder. They are written down nowhere but that somebody has seen them. */
import { encryptFor, readClientKey, type ClientKey } from '../../adapters/client-key.ts';
import { cardOf, revealCard } from '../../db/queries/cards/cards.ts';
import { expiryOf, type REVEALED } from '../../domain/cards/cards.ts';
import type { CardId } from '../../domain/ids.ts';
import { faultIn, found } from '../../domain/refusals.ts';
import type { OwnCall } from '../callers.ts';
import type { Services } from '../services.ts';

interface Secret {
  readonly number: string;
  /** MM/YY. */
  readonly expiry: string;
  /** The key that its verification value is made of. */
  readonly keyId: string;
}

/** The number of the caller's card, at most ten times an hour with its verification value together. */
export async function revealOwnCard(
  { db, actor, refusal }: OwnCall<'card_closed' | 'too_many_requests'>,
  id: CardId,
  what: (typeof REVEALED)[number],
  { vault }: Pick<Services, 'vault'>,
): Promise<Secret> {
  const { expiresOn } = found(await cardOf.first(db, { id, owner: actor.id }));
  const { requestId = null, address = null } = actor;
  const shown = await revealCard.one(db, { id, person: actor.id, what, requestId, address });
  if (shown.refusal !== null)
    throw refusal(shown.refusal, shown.retrySeconds === null ? {} : { retryAfter: shown.retrySeconds });
  const [sealed, keyId] = [found(shown.sealedNumber), found(shown.keyId)];
  return { number: vault.open(sealed, id), expiry: expiryOf(expiresOn), keyId };
}

/** The client’s key of a request, read before the secret is, so that a bad key costs no look. */
export function keyIn({
  public_key: text,
}: {
  readonly public_key?: string | undefined;
}): ClientKey | undefined {
  if (text === undefined) return undefined;
  const key = readClientKey(text);
  if (key === undefined) throw badKey();
  return key;
}

/** The secret itself, or encrypted for the client’s key. */
export async function readableBy<Shown extends object>(
  key: ClientKey | undefined,
  shown: Shown,
): Promise<Shown | { readonly jwe: string }> {
  if (key === undefined) return shown;
  const jwe = await encryptFor(key, shown);
  if (jwe === undefined) throw badKey();
  return { jwe };
}

function badKey() {
  return faultIn('/public_key', 'unusable', 'is not a P-256 or RSA key that an answer can be encrypted for');
}
