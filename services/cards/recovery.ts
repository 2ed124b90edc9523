/** How the processes of cards are found and started again once they are lost. */
import { cardOf } from '../../db/queries/cards/cards.ts';
import { overdueCards } from '../../db/queries/cards/life.ts';
import { CardId } from '../../domain/ids.ts';
import type { CardOrder } from '../../workflows/card/contract.ts';
import { cardProcess } from '../../workflows/card/process.ts';
import type { Recovery } from '../platform/recovery.ts';

export const cardRecovery: Recovery<CardOrder> = {
  process: cardProcess,
  async orderOf(db, id) {
    const card = await cardOf.first(db, { id: CardId.parse(id), owner: null });
    if (card === undefined || card.status === 'closed') return undefined;
    return { id: card.id, customerId: card.ownerId };
  },
  overdue: (db, page) => overdueCards.all(db, page),
  atTime: 'wakes',
};
