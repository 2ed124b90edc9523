/** The happy paths of cards, of their products and of payment systems. */
import { newKey } from '../../support/client.ts';
import {
  cardPlan,
  newCard,
  newRange,
  productTerms,
  shipping,
  type CardPlan,
} from '../../support/bank/cards.ts';
import { newClearedPayment, newPayment, newWallet, signed } from '../../support/bank/card-network.ts';
import { encryptedPin, setPin } from '../../support/bank/pins.ts';
import type { Bank, Person } from '../../support/bank/bank.ts';
import { perform, performBesideAnother, type Made, type Stories, type Story } from '../story.ts';

const about =
  (method: Made['method'], path: (plan: CardPlan) => string, body?: object): Story =>
  async (bank: Bank) => {
    const plan = await cardPlan(bank);
    const admin = await bank.admin('cards:read', 'cards:write');
    return perform(admin, { method, path: path(plan), ...(body === undefined ? {} : { body }) });
  };

const ofSystem = ({ systemId }: CardPlan): string => `/v1/admin/card-payment-systems/${systemId}`;
const ofProduct = ({ productId }: CardPlan): string => `/v1/admin/card-products/${productId}`;

interface Held {
  readonly holder: Person;
  readonly stranger: Person;
  readonly cardId: string;
}

async function held(bank: Bank, terms: object = {}, wish: object = {}): Promise<Held> {
  const [holder, stranger] = [await bank.customer(), await bank.customer()];
  const { productId } = await cardPlan(bank, terms);
  return { holder, stranger, cardId: (await newCard(bank, holder, productId, wish)).id };
}

interface OwnCall extends Pick<Made, 'method' | 'body'> {
  readonly at?: string;
  /** The operation whose step-up it needs. */
  readonly stepUp?: string;
  readonly otherBody?: object;
}

/** A call of a holder about the card. */
const ofHolder =
  ({ method, body, at = '', stepUp, otherBody }: OwnCall, terms: object = {}, wish: object = {}): Story =>
  async (bank) => {
    const { holder, stranger, cardId } = await held(bank, terms, wish);
    const made = {
      ...{ method, path: `/v1/cards/${cardId}${at}` },
      ...(body === undefined ? {} : { body }),
      ...(method === 'POST' ? { key: newKey() } : {}),
      ...(stepUp === undefined ? {} : { stepUp: await holder.stepUp(stepUp) }),
    };
    const strange = stepUp === undefined ? {} : { stepUp: await stranger.stepUp(stepUp) };
    return perform(holder, made, {
      stranger: { token: stranger.token, ...strange },
      ...(otherBody === undefined ? {} : { otherBody }),
    });
  };

/** A call of an administrator about a card. */
const ofCard =
  (permission: string, made: Pick<Made, 'method' | 'body'>, at = '', otherBody?: object): Story =>
  async (bank) => {
    const { cardId } = await held(bank);
    const key = made.method === 'POST' ? { key: newKey() } : {};
    return perform(
      await bank.admin(...new Set([permission, 'cards:read'])),
      { ...made, ...key, path: `/v1/admin/cards/${cardId}${at}` },
      otherBody === undefined ? {} : { otherBody },
    );
  };

async function currentType(bank: Bank): Promise<unknown> {
  const [type] = await bank.asOwner(`select id from account_types where code = 'current_eur'`);
  return type?.['id'];
}

const physical = [{ kind: 'physical' }, { shipping_address: shipping }] as const;
const reason = { reason: 'Asked for by phone' };

const ofHolders: Stories = {
  listCards: async (bank) =>
    perform((await held(bank)).holder, { method: 'GET', path: '/v1/cards', query: { status: 'active' } }),
  issueCard: async (bank) => {
    const [holder, stranger] = [await bank.customer(), await bank.customer()];
    const [{ productId }, { id }] = [await cardPlan(bank), await bank.account(holder)];
    const other = (await cardPlan(bank)).productId;
    return perform(
      holder,
      {
        ...{ method: 'POST', path: `/v1/accounts/${id}/cards`, key: newKey() },
        ...{ stepUp: await holder.stepUp('issueCard'), body: { card_product_id: productId } },
      },
      {
        otherBody: { card_product_id: other },
        stranger: { token: stranger.token, stepUp: await stranger.stepUp('issueCard') },
      },
    );
  },
  openAccountAndIssueCard: async (bank) => {
    const [holder, { productId }] = [await bank.customer(), await cardPlan(bank)];
    const body = { account_type_id: await currentType(bank), card_product_id: productId };
    const stepUp = await holder.stepUp('openAccountAndIssueCard');
    const made = { method: 'POST', path: '/v1/cards', key: newKey(), stepUp, body } as const;
    return perform(holder, made, { otherBody: { ...body, nickname: 'Other' } });
  },
  getCard: ofHolder({ method: 'GET' }),
  revealCardNumber: ofHolder({ method: 'GET', at: '/number' }),
  revealCardCvv: ofHolder({ method: 'GET', at: '/cvv', stepUp: 'revealCardCvv' }),
  updateCard: ofHolder({ method: 'PATCH', body: { status: 'blocked' } }),
  activateCard: ofHolder({ method: 'POST', at: '/activate', stepUp: 'activateCard' }, ...physical),
  replaceCard: ofHolder({
    ...{ method: 'POST', at: '/replace', stepUp: 'replaceCard' },
    ...{ body: { reason: 'lost' }, otherBody: { reason: 'stolen' } },
  }),
  closeCard: ofHolder({ method: 'POST', at: '/close' }),
  setCardControls: ofHolder({
    ...{ method: 'PUT', at: '/controls', stepUp: 'setCardControls' },
    body: { controls: [{ type: 'country', mode: 'block', values: ['KP'] }] },
  }),
  setCardLimits: ofHolder({
    ...{ method: 'PUT', at: '/limits', stepUp: 'setCardLimits' },
    body: { limits: [{ period: 'day', count: 3 }] },
  }),
  takeCardNetworkMessage: async (bank) => {
    const { holder, message } = await newWallet(bank);
    const made = { method: 'POST', path: '/v1/cards/network/messages', ...signed(message()) } as const;
    return perform(holder, made);
  },
  listCardPayments: async (bank) => {
    const { holder, card, pay } = await newWallet(bank);
    await pay();
    return perform(holder, { method: 'GET', path: `/v1/cards/${card.id}/payments` });
  },
  getCardPayment: async (bank) => {
    const { holder, pay, payments } = await newWallet(bank);
    await pay({ billing: { amount: '500.00', currency: 'EUR' } });
    const [payment] = await payments();
    return perform(holder, { method: 'GET', path: `/v1/card-payments/${payment?.id ?? ''}` });
  },
  listCardPaymentsAsAdmin: async (bank) => {
    const { holder, pay } = await newWallet(bank);
    await pay();
    const query = { user_id: holder.id };
    return perform(await bank.admin('cards:read'), { method: 'GET', path: '/v1/admin/card-payments', query });
  },
  getCardPaymentAsAdmin: async (bank) => {
    const path = `/v1/admin/card-payments/${await newPayment(bank)}`;
    return perform(await bank.admin('cards:read'), { method: 'GET', path });
  },
  releaseCardPaymentAsAdmin: async (bank) => {
    const path = `/v1/admin/card-payments/${await newPayment(bank)}/release`;
    const admin = await bank.admin('cards:read', 'cards:write');
    const made = { method: 'POST', path, key: newKey(), body: reason } as const;
    return performBesideAnother(bank, admin, made, { otherBody: { reason: 'Another' } });
  },
  listCardFiles: async (bank) => {
    await newClearedPayment(bank);
    return perform(await bank.admin('cards:read'), { method: 'GET', path: '/v1/admin/card-files' });
  },
  getCardFile: async (bank) => {
    const { fileId } = await newClearedPayment(bank);
    return perform(await bank.admin('cards:read'), { method: 'GET', path: `/v1/admin/card-files/${fileId}` });
  },
  listCardKeys: async (bank) => perform(await bank.customer(), { method: 'GET', path: '/v1/cards/keys' }),
  setCardPin: async (bank) => {
    const { holder, stranger, cardId } = await held(bank);
    const pin = await encryptedPin(holder, { pin: '4711', card_id: cardId });
    const made = { method: 'PUT', path: `/v1/cards/${cardId}/pin`, body: { pin } } as const;
    return perform(
      holder,
      { ...made, stepUp: await holder.stepUp('setCardPin') },
      { stranger: { token: stranger.token, stepUp: await stranger.stepUp('setCardPin') } },
    );
  },
  unlockCardPin: async (bank) => {
    const { holder, stranger, cardId } = await held(bank);
    await setPin(holder, { id: cardId }, '4711');
    const made = { method: 'POST', path: `/v1/cards/${cardId}/pin/unlock`, key: newKey() } as const;
    return perform(
      holder,
      { ...made, stepUp: await holder.stepUp('unlockCardPin') },
      { stranger: { token: stranger.token, stepUp: await stranger.stepUp('unlockCardPin') } },
    );
  },
  listCardsAsAdmin: async (bank) => {
    const { holder } = await held(bank);
    const query = { user_id: holder.id };
    return perform(await bank.admin('cards:read'), { method: 'GET', path: '/v1/admin/cards', query });
  },
  getCardAsAdmin: ofCard('cards:read', { method: 'GET' }),
  issueCardAsAdmin: async (bank) => {
    const [{ productId }, { id }] = [await cardPlan(bank), await bank.account(await bank.customer())];
    const other = (await cardPlan(bank)).productId;
    return perform(
      await bank.admin('cards:issue'),
      {
        ...{ method: 'POST', path: `/v1/admin/accounts/${id}/cards`, key: newKey() },
        body: { card_product_id: productId },
      },
      { otherBody: { card_product_id: other } },
    );
  },
  openAccountAndIssueCardForUser: async (bank) => {
    const [{ id: user_id }, { productId }] = [await bank.customer(), await cardPlan(bank)];
    const body = { user_id, account_type_id: await currentType(bank), card_product_id: productId };
    const made = { method: 'POST', path: '/v1/admin/cards', key: newKey(), body } as const;
    return perform(await bank.admin('cards:issue'), made, { otherBody: { ...body, nickname: 'Other' } });
  },
  updateCardAsAdmin: ofCard('cards:write', { method: 'PATCH', body: { status: 'blocked', ...reason } }),
  closeCardAsAdmin: ofCard('cards:write', { method: 'POST', body: reason }, '/close', {
    reason: 'Another reason',
  }),
};

export const cards: Stories = {
  ...ofHolders,
  listCardProducts: async (bank) => {
    await cardPlan(bank);
    return perform(await bank.customer(), { method: 'GET', path: '/v1/card-products' });
  },
  listCardPaymentSystems: about('GET', () => '/v1/admin/card-payment-systems'),
  createCardPaymentSystem: async (bank) => {
    const code = `s${newKey().replaceAll('-', '')}`;
    const body = { code, name: 'Scheme of a story', pan_length: 16, iin_ranges: [newRange()] };
    return perform(
      await bank.admin('cards:write'),
      { method: 'POST', path: '/v1/admin/card-payment-systems', key: newKey(), body },
      { otherBody: { ...body, name: 'Another' } },
    );
  },
  getCardPaymentSystem: about('GET', ofSystem),
  updateCardPaymentSystem: about('PATCH', ofSystem, { name: 'Scheme of another story' }),
  listCardProductsAsAdmin: about('GET', () => '/v1/admin/card-products'),
  createCardProduct: async (bank) => {
    const { systemId } = await cardPlan(bank);
    const body = productTerms(systemId);
    return performBesideAnother(
      bank,
      await bank.admin('cards:write'),
      { method: 'POST', path: '/v1/admin/card-products', key: newKey(), body },
      { otherBody: { ...body, name: 'Another' } },
    );
  },
  getCardProduct: about('GET', ofProduct),
  updateCardProduct: about('PATCH', ofProduct, { name: 'Card of another story', pin_tries: 2 }),
};
