/** What has moved on the coin accounts of customers. */
import { z } from 'zod';
import { coinMovementsOf, type CoinMovementRow } from '../../../db/queries/crypto/transactions.ts';
import { COIN_MOVEMENT_TYPES } from '../../../domain/crypto/transactions.ts';
import { AccountId } from '../../../domain/ids.ts';
import { forUsers } from '../../declaration/operation.ts';
import { entryFields } from '../../ledger/views.ts';
import { keyset } from '../../wire/cursor.ts';
import { viewOf } from '../../wire/rows.ts';
import { Instant } from '../../wire/shapes.ts';
import { AssetCode } from '../asset-code.ts';
import * as wire from './schemas.ts';

/** An entry's place in the order of the list: when it was booked, on which account, and its number there. */
const Place = z.tuple([Instant, AccountId, z.string().regex(/^\d{1,18}$/)]);
type Place = z.output<typeof Place>;
const byPlace = keyset('crypto-transactions', Place, (row: CoinMovementRow): Place => [
  row.bookedAt,
  row.accountId,
  String(row.seq),
]);
/** Below every account that there is. */
const NO_ACCOUNT = AccountId.parse('00000000-0000-0000-0000-000000000000');

const view = viewOf(wire.CryptoTransaction);

function movementView(row: CoinMovementRow): z.output<typeof wire.CryptoTransaction> {
  return view({ ...row, ...entryFields(row) });
}

export const listCryptoTransactions = forUsers({
  id: 'listCryptoTransactions',
  area: 'Crypto',
  title: 'List crypto transactions',
  description:
    'Lists everything that has moved the caller’s balances of coins, newest first, each with the balance of its coin after it. A transaction is listed if it matches all filters that are given.',
  method: 'GET',
  path: '/v1/crypto/transactions',
  effect: 'read',
  query: byPlace.query({
    asset: AssetCode.optional(),
    type: z.enum(COIN_MOVEMENT_TYPES).optional(),
    from: Instant.optional().describe('Booked at this time or later.'),
    to: Instant.optional().describe('Booked before this time.'),
  }),
  status: 200,
  answer: wire.CryptoTransactionList,
  refuses: [],
  handle({ db, caller, query }) {
    const { asset = null, type = null, from = null, to, ...page } = query;
    return byPlace.page(
      page,
      (beyond, most) => {
        const [beforeAt, beforeAccount, seq] = beginning(beyond, to) ?? [null, null, null];
        const place = { beforeAt, beforeAccount, beforeSeq: seq === null ? null : BigInt(seq) };
        return coinMovementsOf.all(db, { customer: caller.id, asset, type, from, ...place, most });
      },
      movementView,
    );
  },
});

/** Where to read from: the end of the page before, or the place before all entries booked at `to` if that is earlier. */
function beginning(beyond: Place | null, to: Date | undefined): Place | null {
  if (to === undefined || (beyond !== null && beyond[0] < to)) return beyond;
  return [to, NO_ACCOUNT, '0'];
}

/** In the order of the documentation. */
export const operations = [listCryptoTransactions];
