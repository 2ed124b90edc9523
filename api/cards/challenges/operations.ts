/** Online payments that holders are asked to confirm. */
import { z } from 'zod';
import { challengeOf, challengesPage } from '../../../db/queries/cards/authentications.ts';
import { CHALLENGE_STATUSES } from '../../../domain/cards/authentications.ts';
import { CardAuthenticationId } from '../../../domain/ids.ts';
import { found } from '../../../domain/refusals.ts';
import {
  approveOwnChallenge,
  challengeApproval,
  declineOwnChallenge,
} from '../../../services/cards/challenges.ts';
import { forUsers } from '../../declaration/operation.ts';
import { keysetById } from '../../wire/cursor.ts';
import * as wire from './schemas.ts';
import { challengeView } from './views.ts';

const byId = keysetById('card-challenges', CardAuthenticationId);
const params = z.strictObject({ id: CardAuthenticationId });

export const listCardChallenges = forUsers({
  id: 'listCardChallenges',
  area: 'Finance',
  title: 'List card challenges',
  description: 'Lists the online card payments that the caller was asked to confirm, newest first.',
  method: 'GET',
  path: '/v1/card-challenges',
  effect: 'read',
  query: byId.query({ status: z.enum(CHALLENGE_STATUSES).optional() }),
  status: 200,
  answer: wire.CardChallengeList,
  refuses: [],
  beyond: true,
  handle({ caller, db, query: { status, ...page } }) {
    return byId.page(
      page,
      (before, most) => challengesPage.all(db, { owner: caller.id, status, before, most }),
      challengeView,
    );
  },
});

export const getCardChallenge = forUsers({
  id: 'getCardChallenge',
  area: 'Finance',
  title: 'Get card challenge',
  description: 'Returns an online card payment that the caller was asked to confirm.',
  method: 'GET',
  path: '/v1/card-challenges/{id}',
  effect: 'read',
  params,
  status: 200,
  answer: wire.CardChallenge,
  refuses: [],
  beyond: true,
  async handle({ caller, params: { id }, db }) {
    return challengeView(found(await challengeOf.first(db, { id, owner: caller.id })));
  },
});

export const approveCardChallenge = forUsers({
  id: 'approveCardChallenge',
  area: 'Finance',
  title: 'Approve card challenge',
  description:
    'Confirms an online card payment, so that its merchant can ask for the money. The body repeats amount and merchant of the challenge: they are what the step-up is asked for.',
  method: 'POST',
  idempotency: 'accepted',
  path: '/v1/card-challenges/{id}/approve',
  effect: 'transaction',
  stepUp: challengeApproval,
  params,
  body: wire.ApproveCardChallengeRequest,
  status: 200,
  answer: wire.CardChallenge,
  refuses: ['already_decided'],
  beyond: true,
  async handle(request) {
    return challengeView(await approveOwnChallenge(request, request.params.id, request.body));
  },
});

export const declineCardChallenge = forUsers({
  id: 'declineCardChallenge',
  area: 'Finance',
  title: 'Decline card challenge',
  description:
    'Says that the caller does not pay this. Whoever has not paid there at all blocks the card too.',
  method: 'POST',
  idempotency: 'accepted',
  path: '/v1/card-challenges/{id}/decline',
  effect: 'transaction',
  params,
  body: wire.DeclineCardChallengeRequest,
  status: 200,
  answer: wire.CardChallenge,
  refuses: ['already_decided', 'card_closed', 'card_inactive', 'blocked_by_bank'],
  beyond: true,
  async handle(request) {
    return challengeView(await declineOwnChallenge(request, request.params.id, request.body));
  },
});

/** In the order of the documentation. */
export const operations = [listCardChallenges, getCardChallenge, approveCardChallenge, declineCardChallenge];
