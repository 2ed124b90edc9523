/** Shows the secrets of a card to its holder. They are written down nowhere but that somebody has seen them. */
import { cardOf, revealCard } from '../../db/queries/cards/cards.ts';
import { expiryOf, type REVEALED } from '../../domain/cards/cards.ts';
import type { CardId } from '../../domain/ids.ts';
import { found } from '../../domain/refusals.ts';
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
