/** Calls that create, find, list, cancel, drop and price transactions. */
import { z } from 'zod';
import { ASSETS, RULES, type Asset } from '../assets.ts';
import { decimalOf } from '../amounts.ts';
import { FORMATS } from '../chain/address-formats.ts';
import { FEE_LEVELS, workOf } from '../chain/chains.ts';
import { drop, send, waitingWithHash } from '../chain/sending.ts';
import type { Custodian } from '../custodian.ts';
import { STATUSES, type Transaction } from '../state/records.ts';
import type { World } from '../state/world.ts';
import { transactionResponse } from '../views.ts';
import { badRequest, CODES, notFound } from './refused.ts';
import { assetIn, read, type Reply, type Request, type Route } from './route.ts';
import {
  DropRequest,
  FeeRequest,
  GWEI_DECIMALS,
  orderOf,
  rateOf,
  requireBetter,
  TransactionRequest,
} from './transaction-request.ts';

const words = z.string().transform((text) => text.split(','));
const moment = z.coerce.number().int().min(0);
const ListQuery = z.object({
  /** The cursor in the header `next-page`. */
  next: moment.optional(),
  before: moment.optional(),
  after: moment.optional(),
  status: z.enum(STATUSES).optional(),
  orderBy: z.enum(['createdAt', 'lastUpdated']).default('createdAt'),
  sort: z.enum(['ASC', 'DESC']).default('DESC'),
  limit: z.coerce.number().int().min(1).max(500).default(200),
  sourceId: z.string().optional(),
  destId: z.string().optional(),
  assets: words.optional(),
  txHash: z.string().optional(),
});
type ListQuery = z.output<typeof ListQuery>;

/** All calls about transactions. */
export function transactionCalls(custodian: Custodian): readonly Route[] {
  return [...orderCalls(custodian), ...feeCalls(custodian.world), ...lookUps(custodian.world)];
}

function orderCalls({ world, lifecycle }: Custodian): readonly Route[] {
  function create({ body }: Request): Reply {
    const request = read(TransactionRequest, body);
    const { externalTxId: externalId } = request;
    if (externalId !== undefined && world.externalIds.get(externalId) !== undefined)
      throw badRequest(
        'The external tx id that was provided in the request, already exists',
        CODES.externalIdTaken,
      );
    // Fireblocks remembers the id even if the request then fails
    if (externalId !== undefined) world.externalIds.set(externalId, { id: externalId, transaction: null });
    const { id, status } = send(world, lifecycle, orderOf(world, request));
    if (externalId !== undefined) world.externalIds.set(externalId, { id: externalId, transaction: id });
    return { body: { id, status } };
  }

  function dropTransaction({ params: [id], body }: Request): Reply {
    const offer = read(DropRequest, body);
    const dropped = found(world, id);
    const { gas, kind } = RULES[dropped.network];
    if (kind !== 'evm' || waitingWithHash(world, dropped.txHash) === undefined)
      throw badRequest('Only a transaction of an EVM network that waits for a block can be dropped');
    const rate = rateOf(world, assetIn(gas), { ...offer, fee: undefined, networkFee: undefined });
    requireBetter(dropped, rate);
    const { id: txId, status } = drop(world, lifecycle, dropped, rate);
    return { body: { txId, txStatus: status, replacedTxHash: dropped.txHash } };
  }

  return [
    { call: 'create_transaction', method: 'POST', path: '/transactions', handle: create },
    {
      ...{ call: 'cancel_transaction', method: 'POST', path: '/transactions/{}/cancel' },
      handle: ({ params: [id] }) => ({ body: { success: lifecycle.cancel(found(world, id)) } }),
    },
    { call: 'drop_transaction', method: 'POST', path: '/transactions/{}/drop', handle: dropTransaction },
  ];
}

function feeCalls(world: World): readonly Route[] {
  return [
    {
      ...{ call: 'estimate_fee', method: 'POST', path: '/transactions/estimate_fee' },
      handle: ({ body }) => ({ body: estimate(world, assetIn(read(FeeRequest, body).assetId)) }),
    },
    {
      ...{ call: 'network_fee', method: 'GET', path: '/estimate_network_fee' },
      handle: ({ query }) => ({ body: estimate(world, assetIn(query.get('assetId') ?? '')) }),
    },
  ];
}

/** The fee of each level follows the market price. */
function estimate(world: World, { id, network }: Asset): object {
  const { kind, gas } = RULES[network];
  const work = workOf(network, id);
  const inDetail = (rate: bigint): object => {
    switch (kind) {
      case 'utxo':
        return { feePerByte: String(rate) };
      case 'evm':
        return { gasPrice: decimalOf(rate, GWEI_DECIMALS), gasLimit: String(work) };
      case 'account':
        return {};
    }
  };
  const levels = FEE_LEVELS.map((level) => {
    const rate = world.chains.offer(network, level);
    const networkFee = decimalOf(rate * work, ASSETS.get(gas)?.decimals ?? 0);
    return [level, { networkFee, ...inDetail(rate) }] as const;
  });
  return Object.fromEntries(levels);
}

function lookUps(world: World): readonly Route[] {
  const shown = (transaction: Transaction): Reply => ({ body: transactionResponse(world, transaction) });

  function list({ query, address }: Request): Reply {
    const asked = read(ListQuery, Object.fromEntries(query));
    const { orderBy, sort, limit } = asked;
    const all = [...world.transactions.values()]
      .filter((transaction) => isAskedFor(transaction, asked))
      .toSorted((a, b) => (sort === 'ASC' ? a[orderBy] - b[orderBy] : b[orderBy] - a[orderBy]));
    const page = all.slice(0, limit);
    const last = page.at(-1);
    const next = new URLSearchParams(query);
    if (last !== undefined) next.set('next', String(last[orderBy]));
    const body = page.map((transaction) => transactionResponse(world, transaction));
    return {
      body,
      ...(all.length > limit ? { headers: { 'next-page': `${address}?${String(next)}` } } : {}),
    };
  }

  function findByExternalId({ params: [id = ''] }: Request): Reply {
    const transaction = world.externalIds.get(id)?.transaction;
    if (transaction == null) throw notFound(`There is no transaction with the external id ${id}`);
    return shown(found(world, transaction));
  }

  function validate({ params: [id, address = ''] }: Request): Reply {
    const { network } = assetIn(id);
    const isValid = FORMATS[network].isValid(address);
    return { body: { isValid, isActive: isValid, requiresTag: false } };
  }

  return [
    { call: 'list_transactions', method: 'GET', path: '/transactions', handle: list },
    {
      ...{ call: 'find_transaction', method: 'GET', path: '/transactions/external_tx_id/{}' },
      handle: findByExternalId,
    },
    {
      ...{ call: 'validate_address', method: 'GET', path: '/transactions/validate_address/{}/{}' },
      handle: validate,
    },
    {
      ...{ call: 'get_transaction', method: 'GET', path: '/transactions/{}' },
      handle: ({ params: [id] }) => shown(found(world, id)),
    },
  ];
}

function found(world: World, id: string | undefined): Transaction {
  const transaction = world.transactions.get(id ?? '');
  if (transaction === undefined) throw notFound(`Transaction ${id ?? ''} was not found`);
  return transaction;
}

/** `after` and `before` are inclusive and refer to the field that orders the list; `next` is exclusive. */
function isAskedFor(transaction: Transaction, asked: ListQuery): boolean {
  const at = transaction[asked.orderBy];
  const { next, before, after, status, sourceId, destId, assets, txHash } = asked;
  return (
    (next === undefined || (asked.sort === 'ASC' ? at > next : at < next)) &&
    (after === undefined || at >= after) &&
    (before === undefined || at <= before) &&
    (status === undefined || transaction.status === status) &&
    (sourceId === undefined || transaction.source.id === sourceId) &&
    (destId === undefined || transaction.destination.id === destId) &&
    (assets === undefined || assets.includes(transaction.asset)) &&
    (txHash === undefined || transaction.txHash === txHash)
  );
}
