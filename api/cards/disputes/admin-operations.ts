/** Disputes of card payments at the back office: found, read and decided. */
import { z } from 'zod';
import { disputeOf, disputesPage } from '../../../db/queries/cards/disputes.ts';
import { DISPUTE_STATUSES } from '../../../domain/cards/disputes.ts';
import { CardDisputeId, CardPaymentId, UserId } from '../../../domain/ids.ts';
import { found } from '../../../domain/refusals.ts';
import { decideOnDispute } from '../../../services/cards/disputes.ts';
import { forAdmins } from '../../declaration/operation.ts';
import { keysetById } from '../../wire/cursor.ts';
import * as wire from './schemas.ts';
import { adminDisputeView } from './views.ts';

const byId = keysetById('all-card-disputes', CardDisputeId);
const params = z.strictObject({ id: CardDisputeId });

export const listCardDisputesAsAdmin = forAdmins({
  id: 'listCardDisputesAsAdmin',
  area: 'Admin finance',
  title: 'List card disputes (admin)',
  description: 'Lists the disputes of all customers, newest first.',
  method: 'GET',
  path: '/v1/admin/card-disputes',
  effect: 'read',
  permission: 'cards:read',
  query: byId.query({
    status: z.enum(DISPUTE_STATUSES).optional(),
    user_id: UserId.optional(),
    card_payment_id: CardPaymentId.optional(),
  }),
  status: 200,
  answer: wire.AdminCardDisputeList,
  refuses: [],
  beyond: true,
  handle({ db, query }) {
    const { status, user_id: owner, card_payment_id: payment, ...page } = query;
    return byId.page(
      page,
      (before, most) => disputesPage.all(db, { owner, payment, status, before, most }),
      adminDisputeView,
    );
  },
});

export const getCardDisputeAsAdmin = forAdmins({
  id: 'getCardDisputeAsAdmin',
  area: 'Admin finance',
  title: 'Get card dispute (admin)',
  description: 'Returns a dispute with who has decided it.',
  method: 'GET',
  path: '/v1/admin/card-disputes/{id}',
  effect: 'read',
  permission: 'cards:read',
  params,
  status: 200,
  answer: wire.AdminCardDispute,
  refuses: [],
  beyond: true,
  async handle({ params: { id }, db }) {
    return adminDisputeView(found(await disputeOf.first(db, { id, owner: null })));
  },
});

export const decideCardDispute = forAdmins({
  id: 'decideCardDispute',
  area: 'Admin finance',
  title: 'Decide card dispute',
  description:
    'Accepts a dispute, which puts the money into the holder’s account for now and files the claim with the card network, or rejects it. Above `CARD_DISPUTE_ALONE_UP_TO` two people have to accept it: after the first one the dispute stays as it is and shows `second_review`.',
  method: 'POST',
  idempotency: 'accepted',
  path: '/v1/admin/card-disputes/{id}/decide',
  effect: 'transaction',
  permission: 'cards:write',
  params,
  body: wire.DecideCardDisputeRequest,
  status: 200,
  answer: wire.AdminCardDispute,
  refuses: ['already_decided', 'same_person'],
  beyond: true,
  async handle(request, { config }) {
    return adminDisputeView(await decideOnDispute(request, request.params.id, request.body, config));
  },
});

/** In the order of the documentation. */
export const operations = [listCardDisputesAsAdmin, getCardDisputeAsAdmin, decideCardDispute];
