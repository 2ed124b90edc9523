/** What holders do with their cards: activate, block, unblock, replace, close. */
import { z } from 'zod';
import { CardId } from '../../domain/ids.ts';
import { isRefusal } from '../../domain/refusals.ts';
import { moveOwnCard, replaceOwnCard } from '../../services/cards/moves.ts';
import { forUsers } from '../declaration/operation.ts';
import * as wire from './schemas.ts';
import { cardView } from './views.ts';

const params = z.strictObject({ id: CardId });

export const updateCard = forUsers({
  id: 'updateCard',
  area: 'Finance',
  title: 'Block or unblock card',
  description:
    'Blocks a card at once, or lifts a block of the caller’s. A block of the bank is lifted by the bank only.',
  method: 'PATCH',
  path: '/v1/cards/{id}',
  effect: 'transaction',
  params,
  body: wire.CardUpdateRequest,
  status: 200,
  answer: wire.Card,
  refuses: ['card_closed', 'card_inactive', 'blocked_by_bank'],
  async handle(request, services) {
    const move = request.body.status === 'blocked' ? 'block' : 'unblock';
    return cardView(await moveOwnCard(request, request.params.id, move), services);
  },
});

export const activateCard = forUsers({
  id: 'activateCard',
  area: 'Finance',
  title: 'Activate card',
  description: 'Makes a physical card pay, once it has arrived.',
  method: 'POST',
  idempotency: 'accepted',
  path: '/v1/cards/{id}/activate',
  effect: 'transaction',
  stepUp: true,
  params,
  status: 200,
  answer: wire.Card,
  refuses: ['card_closed', 'card_inactive', 'blocked_by_bank'],
  beyond: true,
  async handle(request, services) {
    return cardView(await moveOwnCard(request, request.params.id, 'activate'), services);
  },
});

export const replaceCard = forUsers({
  id: 'replaceCard',
  area: 'Finance',
  title: 'Replace card',
  description:
    'Closes a card at once and for ever, also if no other can be issued, and issues another one in its place, with a number of its own. A physical one goes to the same address.',
  method: 'POST',
  idempotency: 'accepted',
  path: '/v1/cards/{id}/replace',
  effect: 'transaction',
  process: 'card',
  stepUp: true,
  params,
  body: wire.ReplaceCardRequest,
  status: 201,
  answer: wire.Card,
  refuses: [
    ...(['card_closed', 'card_inactive', 'blocked_by_bank', 'account_closed', 'account_blocked'] as const),
    ...(['card_product_unavailable', 'range_exhausted'] as const),
  ],
  beyond: true,
  async handle(request, services) {
    const { params: at, body, newId } = request;
    const replacement = { id: at.id, newId: CardId.parse(newId), reason: body.reason };
    const made = await replaceOwnCard(request, replacement, services);
    return isRefusal(made) ? made : cardView(made, services);
  },
});

export const closeCard = forUsers({
  id: 'closeCard',
  area: 'Finance',
  title: 'Close card',
  description: 'Closes a card for ever.',
  method: 'POST',
  idempotency: 'accepted',
  path: '/v1/cards/{id}/close',
  effect: 'transaction',
  params,
  status: 200,
  answer: wire.Card,
  refuses: ['card_closed', 'card_inactive', 'blocked_by_bank'],
  beyond: true,
  async handle(request, services) {
    return cardView(await moveOwnCard(request, request.params.id, 'close'), services);
  },
});

/** In the order of the documentation. */
export const operations = [updateCard, activateCard, replaceCard, closeCard];
