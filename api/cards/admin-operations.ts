/** Customers' cards at the back office: find, look into, issue, block, close. Nobody there sees a number. */
import { z } from 'zod';
import { newUuid } from '../../adapters/new-id.ts';
import { adminAccountById } from '../../db/queries/accounts/accounts-admin.ts';
import { cardOf, cardsPage } from '../../db/queries/cards/cards.ts';
import { CARD_STATUSES } from '../../domain/cards/cards.ts';
import { AccountId, CardId, UserId } from '../../domain/ids.ts';
import { found } from '../../domain/refusals.ts';
import { openFor } from '../../services/accounts/opening.ts';
import { issueAsWished, requireOther } from '../../services/cards/issuing.ts';
import { moveCardOfOther } from '../../services/cards/moves.ts';
import { accountView } from '../accounts/views.ts';
import { forAdmins } from '../declaration/operation.ts';
import { keysetById } from '../wire/cursor.ts';
import * as wire from './schemas.ts';
import { cardView } from './views.ts';

const byId = keysetById('all-cards', CardId);
const params = z.strictObject({ id: CardId });

export const listCardsAsAdmin = forAdmins({
  id: 'listCardsAsAdmin',
  area: 'Admin finance',
  title: 'List cards (admin)',
  description: 'Lists the cards of all customers, newest first.',
  method: 'GET',
  path: '/v1/admin/cards',
  effect: 'read',
  permission: 'cards:read',
  query: byId.query({
    user_id: UserId.optional(),
    account_id: AccountId.optional(),
    status: z.enum(CARD_STATUSES).optional(),
    last_four: z
      .string()
      .regex(/^\d{4}$/)
      .optional(),
  }),
  status: 200,
  answer: wire.CardList,
  refuses: [],
  beyond: true,
  handle: ({ db, query }, services) => {
    const { user_id: owner, account_id: account, status, last_four: lastFour, ...page } = query;
    return byId.page(
      page,
      (before, most) => cardsPage.all(db, { owner, account, status, lastFour, before, most }),
      (card) => cardView(card, services),
    );
  },
});

export const getCardAsAdmin = forAdmins({
  id: 'getCardAsAdmin',
  area: 'Admin finance',
  title: 'Get card (admin)',
  description: 'Returns one card, with the last four digits of its number.',
  method: 'GET',
  path: '/v1/admin/cards/{id}',
  effect: 'read',
  permission: 'cards:read',
  params,
  status: 200,
  answer: wire.Card,
  refuses: [],
  beyond: true,
  async handle({ params, db }, services) {
    return cardView(found(await cardOf.first(db, { ...params, owner: null })), services);
  },
});

export const issueCardAsAdmin = forAdmins({
  id: 'issueCardAsAdmin',
  area: 'Admin finance',
  title: 'Issue card (admin)',
  description: 'Issues a card on a customer’s account, for the customer.',
  method: 'POST',
  idempotency: 'accepted',
  path: '/v1/admin/accounts/{id}/cards',
  effect: 'transaction',
  process: 'card',
  permission: 'cards:issue',
  params: z.strictObject({ id: AccountId }),
  body: wire.IssueCardRequest,
  status: 201,
  answer: wire.Card,
  refuses: [
    ...(['account_closed', 'account_blocked', 'card_product_unavailable', 'range_exhausted'] as const),
    'same_person',
  ],
  async handle(request, services) {
    const { db, params, body, newId } = request;
    const account = found(await adminAccountById.first(db, params));
    requireOther(request, account.ownerId);
    const issue = { id: CardId.parse(newId), account: account.id };
    return cardView(await issueAsWished(request, issue, body, services), services);
  },
});

export const openAccountAndIssueCardForUser = forAdmins({
  id: 'openAccountAndIssueCardForUser',
  area: 'Admin finance',
  title: 'Open account and issue card (admin)',
  description:
    'Opens an account for a customer, of a type that customers may open themselves, and issues a card on it, or neither.',
  method: 'POST',
  idempotency: 'accepted',
  path: '/v1/admin/cards',
  effect: 'transaction',
  process: 'card',
  permission: 'cards:issue',
  body: wire.OpenAccountAndIssueCardForUserRequest,
  status: 201,
  answer: wire.CardWithAccountResponse,
  refuses: [
    ...(['account_type_unavailable', 'kyc_required', 'account_closed', 'account_blocked'] as const),
    ...(['card_product_unavailable', 'range_exhausted', 'same_person'] as const),
  ],
  async handle(request, services) {
    const { user_id: owner, account_type_id: type, nickname = null, ...wish } = request.body;
    requireOther(request, owner);
    const opening = { id: AccountId.parse(newUuid()), owner, type, nickname };
    // what needs a review does not come in by this door
    const account = await openFor(request, opening, 'customer', services.config);
    const issue = { id: CardId.parse(request.newId), account: account.id };
    const card = await issueAsWished(request, issue, wish, services);
    return { account: accountView(account), card: cardView(card, services) };
  },
});

export const updateCardAsAdmin = forAdmins({
  id: 'updateCardAsAdmin',
  area: 'Admin finance',
  title: 'Block or unblock card (admin)',
  description:
    'Blocks a customer’s card for the bank, or lifts a block. A block that the customer had set before stays when the bank lifts its own.',
  method: 'PATCH',
  path: '/v1/admin/cards/{id}',
  effect: 'transaction',
  permission: 'cards:write',
  params,
  body: wire.AdminCardUpdateRequest,
  status: 200,
  answer: wire.Card,
  refuses: ['card_closed', 'card_inactive', 'blocked_by_bank', 'same_person'],
  async handle(request, services) {
    const { status, reason } = request.body;
    const move = status === 'blocked' ? 'block' : 'unblock';
    return cardView(await moveCardOfOther(request, request.params.id, move, reason), services);
  },
});

export const closeCardAsAdmin = forAdmins({
  id: 'closeCardAsAdmin',
  area: 'Admin finance',
  title: 'Close card (admin)',
  description: 'Closes a customer’s card for ever.',
  method: 'POST',
  idempotency: 'accepted',
  path: '/v1/admin/cards/{id}/close',
  effect: 'transaction',
  permission: 'cards:write',
  params,
  body: wire.CloseCardRequest,
  status: 200,
  answer: wire.Card,
  refuses: ['card_closed', 'card_inactive', 'blocked_by_bank', 'same_person'],
  beyond: true,
  async handle(request, services) {
    const { params: at, body } = request;
    return cardView(await moveCardOfOther(request, at.id, 'close', body.reason), services);
  },
});

/** In the order of the documentation. */
export const operations = [
  listCardsAsAdmin,
  getCardAsAdmin,
  issueCardAsAdmin,
  openAccountAndIssueCardForUser,
  updateCardAsAdmin,
  closeCardAsAdmin,
];
