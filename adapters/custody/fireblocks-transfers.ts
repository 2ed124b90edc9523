/** Transactions of Fireblocks, as transfers. */
import { z } from 'zod';
import {
  CustodianFailure,
  type Custodian,
  type CustodyPlace,
  type CustodyStatus,
  type CustodyTransfer,
  type UnreadableTransfer,
} from './custodian.ts';
import { Unsuccessful } from './failures.ts';
import type { Ask } from './fireblocks.ts';

/** The most that Fireblocks gives at once; usually there is little news. */
const PAGE = 500;
const FIRST_PAGE = 50;
/** 100,000 transfers: more is no list of news but a mistake. */
const PAGES = 200;
/**
 * Fireblocks documents `after` as the earliest creation, also if the list is ordered by change. Transfers that have been on their way for
 * longer are missing in lists; this is what Fireblocks takes by itself, too.
 */
const LONGEST_WAY_MILLISECONDS = 90 * 24 * 60 * 60 * 1_000;

/**
 * Fireblocks calls these final. PARTIALLY_COMPLETED (one of several movements has taken place), TIMEOUT, CONFIRMED and words to come are
 * not: whoever gave the money back, or booked it, could be wrong.
 */
const FINAL: ReadonlyMap<string, CustodyStatus> = new Map([
  ['COMPLETED', 'completed'],
  ['FAILED', 'failed'],
  ['CANCELLED', 'failed'],
  ['REJECTED', 'failed'],
  ['BLOCKED', 'failed'],
]);

/** It goes into the path of a request. */
const Id = z.string().regex(/^[A-Za-z0-9-]{1,80}$/);
const Text = z
  .string()
  .nullish()
  .transform((text) => (text === undefined || text === '' ? null : text));
/** Milliseconds since 1970, up to the year 2100: a larger number is of another unit. */
const Moment = z.int().min(0).max(4_102_444_800_000);
const Decimal = z.string().regex(/^\d+(\.\d+)?$/);

/** Only these two kinds are in the custodian’s own books; coins reach a vault from any other kind, as from an exchange, over the chain. */
const Place = z
  .looseObject({ type: z.string().min(1), id: z.string().nullish() })
  .transform(({ type, id }, context): CustodyPlace => {
    switch (type) {
      case 'VAULT_ACCOUNT':
        if (id != null && id !== '') return { kind: 'vault', vault: id };
        context.addIssue({ code: 'custom', message: 'a vault has an id', path: ['id'] });
        return z.NEVER;
      // the SDK knows only the shorter name
      case 'GAS_STATION':
      case 'GAS_STATION_ACCOUNT':
        return { kind: 'gas_station' };
      default:
        return { kind: 'outside' };
    }
  });

/** Empty while no block contains it. */
const Block = z
  .looseObject({ blockHeight: Text.pipe(z.string().regex(/^\d+$/).nullable()), blockHash: Text })
  .nullish()
  .transform((block) =>
    block?.blockHeight == null || block.blockHash === null
      ? null
      : { hash: block.blockHash, height: block.blockHeight },
  );

/** The same amounts also come as JSON numbers, which lose digits, under other names. */
const Transaction = z
  .looseObject({
    ...{ id: Id, externalTxId: Text, assetId: z.string().min(1) },
    ...{ status: z.string().min(1), subStatus: Text, source: Place, destination: Place },
    /** Several destinations are told here, and one of them may be a vault. The bank sends no such transaction. */
    destinations: z.array(z.unknown()).max(1).nullish(),
    ...{ sourceAddress: Text, destinationAddress: Text, destinationTag: Text, txHash: Text },
    /** `netAmount` is missing until the fee is known. */
    amountInfo: z
      .looseObject({ netAmount: Decimal.optional(), amount: Decimal.optional() })
      .transform(({ netAmount, amount }) => netAmount ?? amount)
      .pipe(Decimal),
    feeInfo: z.looseObject({ networkFee: Decimal.nullish() }).nullish(),
    index: z.int().min(0).nullish(),
    numOfConfirmations: z.int().min(0).nullish(),
    ...{ blockInfo: Block, createdAt: Moment, lastUpdated: Moment },
  })
  .transform((told): CustodyTransfer => ({
    ...{ id: told.id, externalId: told.externalTxId, asset: told.assetId },
    ...{ status: FINAL.get(told.status) ?? 'moving', told: wordsOf(told.status, told.subStatus) },
    ...{ from: told.source, to: told.destination },
    ...{ fromAddress: told.sourceAddress, address: told.destinationAddress, memo: told.destinationTag },
    ...{ txHash: told.txHash, index: told.index ?? null, amount: told.amountInfo },
    networkFee: told.feeInfo?.networkFee ?? null,
    ...{ confirmations: told.numOfConfirmations ?? 0, block: told.blockInfo },
    ...{ createdAt: told.createdAt, lastUpdated: told.lastUpdated },
  }));

function wordsOf(status: string, subStatus: string | null): string {
  const words = subStatus === null ? status : `${status} ${subStatus}`;
  return words
    .toUpperCase()
    .replaceAll(/[^A-Z0-9_ ]/g, '_')
    .slice(0, 80);
}

export function createTransferLookUp(ask: Ask): Custodian['getTransfer'] {
  return async (id) => {
    if (!Id.safeParse(id).success) return null;
    try {
      const item = await ask('getTransaction', z.unknown(), ({ transactions }) =>
        transactions.getTransaction({ txId: id }),
      );
      return readOne(item, id);
    } catch (error) {
      // Fireblocks documents no code for it
      if (error instanceof Unsuccessful && error.status === 404) return null;
      throw error;
    }
  };
}

const List = z.object({ items: z.array(z.unknown()), next: z.string().optional() });
interface Window {
  readonly after: number;
  readonly before?: number;
  readonly next?: string;
  readonly limit: number;
}

/**
 * The newest change first, because whether `after` is about changes or, as documented, about creations must not matter. A transfer that
 * changes while the pages are read may be missing, but this change is newer than all others, so the next list has it.
 */
export function createTransferList(ask: Ask): Custodian['transfersSince'] {
  const read = ({ after, before, ...more }: Window) =>
    ask('getTransactions', List, async ({ transactions }) => {
      const { data: items, headers } = await transactions.getTransactions({
        ...{ orderBy: 'lastUpdated', sort: 'DESC', after: String(Math.max(0, after)) },
        ...(before === undefined ? {} : { before: String(before) }),
        ...more,
      });
      return { data: { items, next: cursorIn(headers['next-page']) } };
    });

  return async function* transfersSince(since) {
    const found: Found = new Map();
    const after = since - LONGEST_WAY_MILLISECONDS;
    let rest: Pick<Window, 'next' | 'limit'> = { limit: FIRST_PAGE };
    for (let page = 1; page <= PAGES; page += 1) {
      const { items, next } = await read({ after, ...rest });
      const oldest = keep(found, items, since);
      if (next === undefined || items.length === 0 || (oldest ?? since) < since) {
        yield* [...found.values()].toSorted((one, other) => one.at - other.at).map(({ told }) => told);
        return;
      }
      rest = { next, limit: PAGE };
      if (oldest === undefined) continue;
      // a cursor that is a moment would lose what else changed in the millisecond of the last one
      const border = await read({ after: oldest - 1, before: oldest + 1, limit: PAGE });
      keep(found, border.items, since);
    }
    throw new CustodianFailure('away', `getTransactions: there are more than ${String(PAGES)} pages`);
  };
}

/** `next-page` is the address of the next page. Only its cursor is used. */
function cursorIn(address: string | undefined): string | undefined {
  if (address === undefined || !URL.canParse(address, 'http://custodian')) return undefined;
  return new URL(address, 'http://custodian').searchParams.get('next') ?? undefined;
}

type Told = CustodyTransfer | UnreadableTransfer;
/** What the pages have told, by id. */
type Found = Map<string, { readonly at: number; readonly told: Told }>;

/** What a transfer needs to be in a list at all. */
const Mark = z
  .looseObject({ id: Id.nullable().catch(null), lastUpdated: z.int().nullable().catch(null) })
  .catch({ id: null, lastUpdated: null });

/** Keeps what has changed since then, each transfer as it was told last. Returns when the last one of these has changed. */
function keep(found: Found, items: readonly unknown[], since: number): number | undefined {
  let last: number | undefined;
  for (const item of items) {
    const { id, lastUpdated } = Mark.parse(item);
    last = lastUpdated ?? last;
    const at = lastUpdated ?? since;
    const key = id ?? JSON.stringify(item);
    if (at >= since && at >= (found.get(key)?.at ?? at)) found.set(key, { at, told: readOne(item, id) });
  }
  return last;
}

function readOne(item: unknown, id: string | null): Told {
  const read = Transaction.safeParse(item);
  if (read.success) return read.data;
  // the names are ours: a path leads along the fields that are looked for
  const fields = read.error.issues.map(({ path }) => path.join('.') || 'all');
  return { unreadable: [...new Set(fields)].join(', '), id };
}
