/** A customer's transfers: quote, create, list, look into, cancel. */
import type { EntityManager } from '@mikro-orm/postgresql';
import { z } from 'zod';
import { accountOf, accountToPay, type AccountRow } from '../../db/queries/accounts.ts';
import { quoteTransfer } from '../../db/queries/quotes.ts';
import { transferOf, transfersOf } from '../../db/queries/transfers.ts';
import { QuoteId, TransferId } from '../../domain/ids.ts';
import { formatMoney } from '../../domain/money.ts';
import { Refusal } from '../../domain/refusals.ts';
import { opened, transferProcess } from '../../workflows/transfer/contract.ts';
import { keyset } from '../cursor.ts';
import { operation, type User, type Admin } from '../operation.ts';
import { pageQuery } from '../wire.ts';
import { decideOn } from './decisions.ts';
import * as wire from './schemas.ts';
import { transferView } from './views.ts';

const byId = keyset<TransferId>('transfers', TransferId);

/** What a transfer would cost and whether it would wait for approval. The numbers bind for 60 seconds. */
export const quote = operation({
  id: 'quoteTransfer',
  area: 'Finance',
  title: 'Quote transfer fees and FX',
  method: 'POST',
  idempotency: 'accepted',
  path: '/v1/transfers/quote',
  auth: 'user',
  body: wire.TransferQuoteRequest,
  status: 200,
  answer: wire.TransferQuote,
  refuses: ['currency_mismatch', 'same_account', 'transfer_type_unavailable'],
  async handle({ caller, body, db, newId }) {
    const { source, destination } = await accountsOfIntent(db, caller, body);
    const id = QuoteId.parse(newId);
    const made = await quoteTransfer(db, {
      id,
      requestedBy: caller.id,
      type: body.type,
      source: source.id,
      destination: destination.id,
      amount: body.amount,
    });
    if (made === undefined) throw new Refusal('transfer_type_unavailable');
    const amount = formatMoney(body.amount);
    return {
      id,
      type: body.type,
      source_account_id: source.id,
      destination_account_number: destination.number,
      amount,
      fees: [],
      total_debit: amount,
      requires_approval: made.requires_approval,
      expires_at: made.expires_at.toISOString(),
    };
  },
});

/** Moves money at once, or holds it until an administrator has approved an amount above the type's threshold. */
export const createTransfer = operation({
  id: 'createTransfer',
  area: 'Finance',
  title: 'Create transfer',
  method: 'POST',
  idempotency: 'required',
  path: '/v1/transfers',
  auth: 'user',
  stepUp: true,
  body: wire.TransferRequest,
  status: 201,
  answer: wire.Transfer,
  process: 'transfer',
  refuses: [
    'insufficient_funds',
    'account_blocked',
    'account_closed',
    'balance_limit',
    'currency_mismatch',
    'same_account',
    'transfer_type_unavailable',
    'quote_unusable',
  ],
  async handle({ caller, body, db, newId }, { processes }) {
    const { source, destination } = await accountsOfIntent(db, caller, body);
    const id = TransferId.parse(newId);
    await processes.begin(
      transferProcess,
      {
        id,
        kind: 'transfer',
        type: body.type,
        requestedBy: caller.id,
        customerId: caller.id,
        payeeId: destination.owner_id,
        source: source.id,
        destination: destination.id,
        asset: body.amount.asset,
        amount: body.amount.minor.toString(),
        description: body.description,
        ...(body.quote_id === undefined ? {} : { quoteId: body.quote_id }),
      },
      opened,
    );
    return transferView(await ownTransfer(db, caller, id));
  },
});

/** The caller's transfers, newest first. */
export const listTransfers = operation({
  id: 'listTransfers',
  area: 'Finance',
  title: 'List user transfers',
  method: 'GET',
  path: '/v1/transfers',
  auth: 'user',
  query: z.strictObject(pageQuery(byId)),
  status: 200,
  answer: wire.TransferList,
  refuses: [],
  async handle({ caller, db, query }) {
    const found = await transfersOf(db, caller.id, query.cursor ?? null, query.limit + 1);
    return byId.page(found, query.limit, (transfer) => transfer.id, transferView);
  },
});

/** One of the caller's transfers. */
export const getTransfer = operation({
  id: 'getTransfer',
  area: 'Finance',
  title: 'Get transfer details',
  method: 'GET',
  path: '/v1/transfers/{id}',
  auth: 'user',
  params: z.strictObject({ id: TransferId }),
  status: 200,
  answer: wire.Transfer,
  refuses: [],
  async handle({ caller, params, db }) {
    return transferView(await ownTransfer(db, caller, params.id));
  },
});

/** Takes back a transfer that still waits for its approval; the money is free again. */
export const cancelTransfer = operation({
  id: 'cancelTransfer',
  area: 'Finance',
  title: 'Cancel pending transfer',
  method: 'POST',
  idempotency: 'accepted',
  path: '/v1/transfers/{id}/cancel',
  auth: 'user',
  stepUp: true,
  params: z.strictObject({ id: TransferId }),
  status: 200,
  answer: wire.Transfer,
  process: 'transfer',
  refuses: ['transfer_not_pending'],
  async handle({ caller, params, db, newId, requestId }, services) {
    const transfer = await ownTransfer(db, caller, params.id);
    const decision = { kind: 'cancel', by: caller.id, role: 'customer', reason: null, requestId } as const;
    return transferView(await decideOn(transfer, decision, newId, db, services));
  },
});

async function ownTransfer(db: EntityManager, caller: User | Admin, id: TransferId) {
  const transfer = await transferOf(db, caller.id, id);
  if (transfer === undefined) throw new Refusal('not_found');
  return transfer;
}

/** Both accounts of an intent: the caller's own source, anybody's destination. What the books check anyway is refused early here. */
async function accountsOfIntent(
  db: EntityManager,
  caller: User | Admin,
  intent: z.output<typeof wire.TransferQuoteRequest>,
): Promise<{ source: AccountRow; destination: AccountRow }> {
  const wanted = intent.destination;
  const [source, destination] = await Promise.all([
    accountOf(db, caller.id, intent.source_account_id),
    accountToPay(db, 'account_id' in wanted ? { id: wanted.account_id } : { number: wanted.account_number }),
  ]);
  if (source === undefined || destination === undefined) throw new Refusal('not_found');
  if (source.id === destination.id) throw new Refusal('same_account');
  if (source.asset !== intent.amount.asset || destination.asset !== intent.amount.asset)
    throw new Refusal('currency_mismatch');
  return { source, destination };
}
