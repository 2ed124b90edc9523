/** A customer's transfers: quote, create, list, look into, cancel. */
import type { EntityManager } from '@mikro-orm/postgresql';
import { z } from 'zod';
import { frozenPrice, quoteOf, quoteTransfer } from '../../db/queries/transfers/quotes.ts';
import { transferOf, transfersOf } from '../../db/queries/transfers/transfers.ts';
import { DecisionId, QuoteId, TransferId } from '../../domain/ids.ts';
import { found } from '../../domain/refusals.ts';
import { payeeScreening } from '../../services/aml/screening.ts';
import { takeOrder } from '../../services/transfers/taking.ts';
import { keysetById } from '../wire/cursor.ts';
import { forUsers } from '../declaration/operation.ts';
import type { Admin, User } from '../../services/callers.ts';
import { transferApproval } from '../../services/transfers/approval.ts';
import { decideOn } from '../../services/transfers/decisions.ts';
import { intentOf, orderOf, priceNow, quotedPrice } from '../../services/transfers/intent.ts';
import * as ask from './requests.ts';
import * as wire from './schemas.ts';
import { decided, quoteView, transferView } from './views.ts';

const byId = keysetById('transfers', TransferId);

export const quote = forUsers({
  id: 'quoteTransfer',
  area: 'Finance',
  title: 'Quote transfer fees and FX',
  description:
    'What a transfer would cost, line by line, and whether it would wait for approval. The numbers bind for 60 seconds, once.',
  method: 'POST',
  idempotency: 'accepted',
  path: '/v1/transfers/quote',
  body: ask.TransferQuoteRequest,
  status: 200,
  answer: wire.TransferQuote,
  effect: 'own_transactions',
  refuses: [
    'currency_mismatch',
    'same_account',
    'transfer_type_unavailable',
    'rate_unavailable',
    'amount_not_convertible',
    'too_many_requests',
  ],
  async handle(request, services) {
    const { caller, body, db, newId, isRepeat, refusal } = request;
    const intent = await intentOf(request, body, services);
    const id = QuoteId.parse(newId);
    const made = isRepeat ? await quoteOf.first(db, { id, requestedBy: caller.id }) : undefined;
    if (made !== undefined) return quoteView(id, intent, frozenPrice(made), made);
    const price = await priceNow(request, intent);
    const asked = {
      id,
      requestedBy: caller.id,
      typeCode: intent.type,
      sourceAccountId: intent.source.id,
      destinationAccountId: intent.payee.account?.id ?? null,
      beneficiaryId: intent.payee.beneficiary?.id ?? null,
    };
    const frozen = await quoteTransfer(db, asked, price);
    if (frozen !== undefined) return quoteView(id, intent, price, frozen);
    const twins = await quoteOf.first(db, { id, requestedBy: caller.id });
    if (twins === undefined) throw refusal('transfer_type_unavailable');
    return quoteView(id, intent, frozenPrice(twins), twins);
  },
});

export const createTransfer = forUsers({
  id: 'createTransfer',
  area: 'Finance',
  title: 'Create transfer',
  description:
    'Moves money at once, or holds it until an approval or the rail’s next business day. Inside the bank it is booked at once; an amount above the type’s threshold waits for an administrator. What leaves the bank is booked when it is given to the rail, and booked back if it returns.',
  method: 'POST',
  idempotency: 'required',
  path: '/v1/transfers',
  stepUp: transferApproval,
  body: ask.TransferRequest,
  status: 201,
  answer: wire.Transfer,
  effect: 'booking',
  process: 'transfer',
  refuses: [
    'insufficient_funds',
    'account_blocked',
    'account_closed',
    'balance_limit',
    'currency_mismatch',
    'same_account',
    'transfer_type_unavailable',
    'limit_exceeded',
    'transfer_declined',
    'rate_unavailable',
    'amount_not_convertible',
    'quote_unusable',
    'too_many_requests',
  ],
  async handle(request, services) {
    const { caller, db, claim } = request;
    const { quote_id, ...wanted } = request.body;
    if (claim.booked !== null)
      return transferView(await ownTransfer(db, caller, TransferId.parse(claim.booked)));
    const intent = await intentOf(request, wanted, services);
    const price =
      quote_id === undefined ? await priceNow(request, intent) : await quotedPrice(request, quote_id, intent);
    const order = orderOf(TransferId.parse(claim.newId), caller.id, intent, price, quote_id);
    const { beneficiary } = intent.payee;
    const screen =
      beneficiary === null ? undefined : payeeScreening(db, services.config, { name: beneficiary.name });
    return transferView(await takeOrder({ caller: caller.id, claim }, order, services.orders, screen));
  },
});

export const listTransfers = forUsers({
  id: 'listTransfers',
  area: 'Finance',
  title: 'List user transfers',
  description: 'The caller’s transfers, newest first.',
  method: 'GET',
  path: '/v1/transfers',
  effect: 'read',
  query: byId.query({}),
  status: 200,
  answer: wire.TransferList,
  refuses: [],
  handle: ({ caller, db, query }) =>
    byId.page(
      query,
      (before, most) => transfersOf.all(db, { customerId: caller.id, before, most }),
      transferView,
    ),
});

export const getTransfer = forUsers({
  id: 'getTransfer',
  area: 'Finance',
  title: 'Get transfer details',
  description: 'One of the caller’s transfers.',
  method: 'GET',
  path: '/v1/transfers/{id}',
  effect: 'read',
  params: z.strictObject({ id: TransferId }),
  status: 200,
  answer: wire.Transfer,
  refuses: [],
  async handle({ caller, params, db }) {
    return transferView(await ownTransfer(db, caller, params.id));
  },
});

export const cancelTransfer = forUsers({
  id: 'cancelTransfer',
  area: 'Finance',
  title: 'Cancel pending transfer',
  description: 'Takes back a transfer that still waits for its approval; the money is free again.',
  method: 'POST',
  idempotency: 'accepted',
  path: '/v1/transfers/{id}/cancel',
  stepUp: true,
  params: z.strictObject({ id: TransferId }),
  status: 200,
  answer: wire.Transfer,
  effect: 'decision',
  process: 'transfer',
  refuses: ['transfer_not_pending'],
  async handle(request, services) {
    const { actor, caller, params, db, newId } = request;
    const transfer = await ownTransfer(db, caller, params.id);
    const by = { ...actor, role: 'customer' } as const;
    const wish = { id: DecisionId.parse(newId), kind: 'cancel', by, reason: null } as const;
    const cancelled = await decideOn(transfer.id, wish, db, services);
    return decided(cancelled, transferView(cancelled));
  },
});

async function ownTransfer(db: EntityManager, caller: User | Admin, id: TransferId) {
  return found(await transferOf.first(db, { id, customerId: caller.id }));
}

/** In the order of the documentation. */
export const operations = [quote, createTransfer, listTransfers, getTransfer, cancelTransfer];
