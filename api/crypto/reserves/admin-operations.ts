/** Proof that what customers own is there. */
import { z } from 'zod';
import { reservesAfter, type ReserveRow } from '../../../db/queries/crypto/reserves.ts';
import { forAdmins } from '../../declaration/operation.ts';
import { keyset } from '../../wire/cursor.ts';
import { viewOf } from '../../wire/rows.ts';
import * as wire from './schemas.ts';

const byCode = keyset('crypto-reserves', z.string().max(40), ({ asset }: ReserveRow) => asset);

export const listCryptoReserves = forAdmins({
  id: 'listCryptoReserves',
  area: 'Admin crypto',
  title: 'Proof of reserves',
  description:
    'Lists for each coin what customers and the bank have by the books, what the custodian holds, and the difference, as they were counted last: workers count every `CRYPTO_RECONCILE_SECONDS`.',
  method: 'GET',
  path: '/v1/admin/crypto/reserves',
  effect: 'read',
  permission: 'crypto:read',
  query: byCode.query({}),
  status: 200,
  answer: wire.CryptoReserveList,
  refuses: [],
  beyond: true,
  handle: ({ db, query }) =>
    byCode.page(query, (after, most) => reservesAfter.all(db, { after: after ?? '', most }), reserveView),
});

function reserveView({ owed, house, ...row }: ReserveRow): z.output<typeof wire.CryptoReserve> {
  const roles = Object.entries(house).map(([role, balance]) => ({ role, balance }));
  return reserve({ ...row, customers: owed, house: roles.toSorted(byRole) });
}

const reserve = viewOf(wire.CryptoReserve);
const byRole = (one: { readonly role: string }, other: { readonly role: string }): number =>
  one.role < other.role ? -1 : 1;

/** In the order of the documentation. */
export const operations = [listCryptoReserves];
