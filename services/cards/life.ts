/** What time does to a card: it is sent, renewed while the old one still works, and closed after its last day. */
import type { EntityManager } from '@mikro-orm/postgresql';
import type { CardVault } from '../../adapters/card-vault.ts';
import type { Cipher } from '../../adapters/cipher.ts';
import { newUuid } from '../../adapters/new-id.ts';
import { cardOf, type CardRow } from '../../db/queries/cards/cards.ts';
import { advanceCard, cardInPlaceOf, renewCard } from '../../db/queries/cards/life.ts';
import { record } from '../../db/queries/platform/audit.ts';
import { SYSTEM } from '../../domain/actor.ts';
import { CardId } from '../../domain/ids.ts';
import type { CardStep } from '../../workflows/card/contract.ts';
import { drawn, recordIssue, shippingFor } from './issuing.ts';

interface Needs {
  readonly cipher: Cipher;
  readonly vault: CardVault;
}

/** Does what is due of a card. Needs a transaction; a repeat finds that it is done. */
export async function carryCardOn(db: EntityManager, id: CardId, needs: Needs): Promise<CardStep> {
  const before = await cardOf.first(db, { id, owner: null });
  if (before === undefined) return { status: 'closed', renewedBy: null, lookAgainInSeconds: 0 };
  const { state: status, expired, renewable, lookAgainSeconds } = await advanceCard.one(db, { card: id });
  if (expired)
    await record(db, SYSTEM, {
      action: 'card.expired',
      subject: ['card', id],
      before: { status: before.status },
      after: { status },
    });
  if (renewable && (await renew(db, before, needs))) return carryCardOn(db, id, needs);
  const renewedBy = (await cardInPlaceOf.first(db, { card: id }))?.id ?? null;
  return { status, renewedBy, lookAgainInSeconds: lookAgainSeconds };
}

/** Issues the card that follows. False if it cannot be now, for example because the account is blocked. */
async function renew(db: EntityManager, old: CardRow, { cipher, vault }: Needs): Promise<boolean> {
  const id = CardId.parse(newUuid());
  const sealedShipping = shippingFor(id, old, cipher);
  const verdict = await drawn(db, { id, product: old.productId }, vault, (numbers) =>
    renewCard.one(db, { card: old.id, id, sealedShipping, ...numbers }),
  );
  if (verdict !== null) return false;
  await recordIssue(db, SYSTEM, id);
  return true;
}
