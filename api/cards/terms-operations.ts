/** What holders set for their cards: controls and limits of their own. */
import { z } from 'zod';
import { CardId } from '../../domain/ids.ts';
import { setOwnControls, setOwnLimits } from '../../services/cards/terms.ts';
import { forUsers } from '../declaration/operation.ts';
import * as wire from './schemas.ts';
import { cardView } from './views.ts';

const params = z.strictObject({ id: CardId });

export const setCardControls = forUsers({
  id: 'setCardControls',
  area: 'Finance',
  title: 'Set card controls',
  description:
    'Sets all of the caller’s own controls of a card. They stand beside those of its product. One takes the place of a control of the product with the same type and mode where the holder may loosen it; an empty `values` with the mode `block` lifts it. The answer shows the controls that count.',
  method: 'PUT',
  path: '/v1/cards/{id}/controls',
  effect: 'transaction',
  stepUp: true,
  params,
  body: wire.CardControlsRequest,
  status: 200,
  answer: wire.Card,
  refuses: ['card_closed', 'card_not_loosened'],
  beyond: true,
  async handle(request, services) {
    return cardView(await setOwnControls(request, request.params.id, request.body.controls), services);
  },
});

export const setCardLimits = forUsers({
  id: 'setCardLimits',
  area: 'Finance',
  title: 'Set card limits',
  description:
    'Sets all of the caller’s own limits of a card. They stand beside those of its product, and the tightest counts. One takes the place of a limit of the product with the same period and scope where the holder may loosen it. The answer shows the limits that count.',
  method: 'PUT',
  path: '/v1/cards/{id}/limits',
  effect: 'transaction',
  stepUp: true,
  params,
  body: wire.CardLimitsRequest,
  status: 200,
  answer: wire.Card,
  refuses: ['card_closed', 'card_not_loosened'],
  beyond: true,
  async handle(request, services) {
    return cardView(await setOwnLimits(request, request.params.id, request.body.limits), services);
  },
});

/** In the order of the documentation. */
export const operations = [setCardControls, setCardLimits];
