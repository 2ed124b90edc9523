/** A customer's cards: issue, list, look into, reveal. */
import { z } from 'zod';
import { newUuid } from '../../adapters/new-id.ts';
import { accountOf } from '../../db/queries/accounts/accounts.ts';
import { cardOf, cardsPage } from '../../db/queries/cards/cards.ts';
import { CARD_STATUSES } from '../../domain/cards/cards.ts';
import { AccountId, CardId } from '../../domain/ids.ts';
import { found } from '../../domain/refusals.ts';
import { openFor } from '../../services/accounts/opening.ts';
import { issueAsWished } from '../../services/cards/issuing.ts';
import { keyIn, readableBy, revealOwnCard } from '../../services/cards/reveal.ts';
import { accountView } from '../accounts/views.ts';
import { forUsers } from '../declaration/operation.ts';
import { keysetById } from '../wire/cursor.ts';
import * as wire from './schemas.ts';
import { cardView } from './views.ts';

const byId = keysetById('cards', CardId);
const params = z.strictObject({ id: CardId });

export const listCards = forUsers({
  id: 'listCards',
  area: 'Finance',
  title: 'List user cards',
  description: 'Lists the caller’s cards, newest first.',
  method: 'GET',
  path: '/v1/cards',
  effect: 'read',
  query: byId.query({ account_id: AccountId.optional(), status: z.enum(CARD_STATUSES).optional() }),
  status: 200,
  answer: wire.CardList,
  refuses: [],
  handle: ({ caller, db, query: { account_id: account, status, ...page } }, services) =>
    byId.page(
      page,
      (before, most) => cardsPage.all(db, { owner: caller.id, account, status, before, most }),
      (card) => cardView(card, services),
    ),
});

export const issueCard = forUsers({
  id: 'issueCard',
  area: 'Finance',
  title: 'Issue card on existing account',
  description:
    'Issues a card on one of the caller’s accounts. A physical card is inactive until it is activated; every other kind pays at once.',
  method: 'POST',
  idempotency: 'accepted',
  path: '/v1/accounts/{id}/cards',
  effect: 'transaction',
  process: 'card',
  stepUp: true,
  params: z.strictObject({ id: AccountId }),
  body: wire.IssueCardRequest,
  status: 201,
  answer: wire.Card,
  refuses: ['account_closed', 'account_blocked', 'card_product_unavailable', 'range_exhausted'],
  async handle(request, services) {
    const { caller, db, params, body, newId } = request;
    const account = found(await accountOf.first(db, { ...params, owner: caller.id })).id;
    const issue = { id: CardId.parse(newId), account };
    return cardView(await issueAsWished(request, issue, body, services), services);
  },
});

export const openAccountAndIssueCard = forUsers({
  id: 'openAccountAndIssueCard',
  area: 'Finance',
  title: 'Open account and issue card',
  description:
    'Opens an account of a type that customers may open themselves, and issues a card on it, or neither.',
  method: 'POST',
  idempotency: 'accepted',
  path: '/v1/cards',
  effect: 'transaction',
  process: 'card',
  stepUp: true,
  body: wire.OpenAccountAndIssueCardRequest,
  status: 201,
  answer: wire.CardWithAccountResponse,
  refuses: [
    ...(['account_type_unavailable', 'kyc_required', 'account_closed', 'account_blocked'] as const),
    ...(['card_product_unavailable', 'range_exhausted'] as const),
  ],
  async handle(request, services) {
    const { account_type_id: type, nickname = null, ...wish } = request.body;
    const opening = { id: AccountId.parse(newUuid()), owner: request.caller.id, type, nickname };
    const account = await openFor(request, opening, 'customer', services.config);
    const issue = { id: CardId.parse(request.newId), account: account.id };
    const card = await issueAsWished(request, issue, wish, services);
    return { account: accountView(account), card: cardView(card, services) };
  },
});

export const getCard = forUsers({
  id: 'getCard',
  area: 'Finance',
  title: 'Get card details',
  description: 'Returns one of the caller’s cards, with the last four digits of its number.',
  method: 'GET',
  path: '/v1/cards/{id}',
  effect: 'read',
  params,
  status: 200,
  answer: wire.Card,
  refuses: [],
  async handle({ caller, params, db }, services) {
    return cardView(found(await cardOf.first(db, { ...params, owner: caller.id })), services);
  },
});

export const revealCardNumber = forUsers({
  id: 'revealCardNumber',
  area: 'Finance',
  title: 'Reveal card number',
  description:
    'Returns the whole number. Each call is written to the audit log; number and verification value together can be seen ten times an hour.',
  method: 'GET',
  path: '/v1/cards/{id}/number',
  effect: 'read',
  params,
  query: wire.RevealQuery,
  status: 200,
  answer: wire.CardNumberResponse,
  refuses: ['card_closed', 'too_many_requests'],
  async handle(request, services) {
    const key = keyIn(request.query);
    const { number, expiry } = await revealOwnCard(request, request.params.id, 'number', services);
    return readableBy(key, { number, expiry });
  },
});

export const revealCardCvv = forUsers({
  id: 'revealCardCvv',
  area: 'Finance',
  title: 'Reveal card CVV',
  description:
    'Returns the verification value, which is computed and stored nowhere. It counts and is written down as a look at the number.',
  method: 'GET',
  path: '/v1/cards/{id}/cvv',
  effect: 'read',
  stepUp: true,
  params,
  query: wire.RevealQuery,
  status: 200,
  answer: wire.CardCVVResponse,
  refuses: ['card_closed', 'too_many_requests'],
  async handle(request, services) {
    const key = keyIn(request.query);
    const { number, expiry, keyId } = await revealOwnCard(request, request.params.id, 'cvv', services);
    return readableBy(key, { cvv: services.vault.cvv(keyId, number, expiry) });
  },
});

/** In the order of the documentation. */
export const operations = [
  listCards,
  issueCard,
  openAccountAndIssueCard,
  getCard,
  revealCardCvv,
  revealCardNumber,
];
