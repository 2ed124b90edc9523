/** Payment systems of cards, with the numbers that the bank may give. */
import { z } from 'zod';
import type { EntityManager } from '@mikro-orm/postgresql';
import type { CardPaymentSystemId } from '../../../domain/ids.ts';
import { bigCount, json, type RowOf } from '../../rows/columns.ts';
import { query } from '../../rows/query.ts';
import { statement } from '../../rows/statement.ts';
import { columnsOf, selectList } from '../../rows/table-columns.ts';
import { CardIinRange, CardPaymentSystem, CardPaymentSystemVersion } from '../../schema/cards.ts';

// text in JSON: a JavaScript number would round
const whole = z.string().transform(BigInt);
const Range = z.strictObject({ first: whole, last: whole, issued: whole });

const stored = columnsOf(
  CardPaymentSystem,
  'id',
  'code',
  'name',
  'panLength',
  'version',
  'createdAt',
  'updatedAt',
);
const system = { ...stored, ranges: json(z.array(Range)) };
/** A payment system with its ranges, in the order of their numbers. */
export type PaymentSystemRow = RowOf<typeof system>;

const SELECT = `
  select ${selectList(stored, 's')},
         coalesce((select jsonb_agg(jsonb_build_object('first', r.first::text, 'last', r.last::text, 'issued', r.issued::text) order by r.first)
            from card_iin_ranges r where r.payment_system_id = s.id), '[]') as ranges
    from card_payment_systems s`;

/** One payment system. */
export const paymentSystemById = statement({
  name: 'paymentSystemById',
  takes: { id: stored.id },
  gives: system,
  sql: `${SELECT} where s.id = $id`,
});

/** Holds a payment system until the transaction ends, so that its changes follow one another. */
export const lockPaymentSystem = statement({
  name: 'lockPaymentSystem',
  takes: { id: stored.id },
  gives: {},
  sql: 'select from card_payment_systems s where s.id = $id for no key update',
});

/** A page of payment systems, oldest first, from behind `after`. */
export const paymentSystems = statement({
  name: 'paymentSystems',
  takes: { after: stored.id.nullable(), most: bigCount() },
  gives: system,
  sql: `${SELECT} where s.id > coalesce($after::uuid, '00000000-0000-0000-0000-000000000000') order by s.id limit $most`,
});

/** Writes a payment system without ranges. */
export const addPaymentSystem = statement({
  name: 'addPaymentSystem',
  takes: columnsOf(CardPaymentSystem, 'id', 'code', 'name', 'panLength'),
  gives: {},
  sql: 'insert into card_payment_systems (id, code, name, pan_length) values ($id, $code, $name, $panLength)',
});

/** Names the newest version. */
export const setPaymentSystem = statement({
  name: 'setPaymentSystem',
  takes: columnsOf(CardPaymentSystem, 'id', 'name', 'version'),
  gives: {},
  sql: 'update card_payment_systems set name = $name, version = $version, updated_at = bank_now() where id = $id',
});

/** Writes what a payment system is from now on. */
export const addPaymentSystemVersion = statement({
  name: 'addPaymentSystemVersion',
  takes: columnsOf(CardPaymentSystemVersion, 'paymentSystemId', 'version', 'name', 'iinRanges', 'createdBy'),
  gives: {},
  sql: `
    insert into card_payment_system_versions (payment_system_id, version, name, iin_ranges, created_by)
    values ($paymentSystemId, $version, $name, $iinRanges, $createdBy)`,
});

/** The numbers of a payment system from now on. What cards have stays in its range: a table's rule sees to it. */
export async function replaceRanges(
  db: EntityManager,
  { id, panLength }: Pick<PaymentSystemRow, 'id' | 'panLength'>,
  ranges: readonly { readonly first: bigint; readonly last: bigint }[],
): Promise<void> {
  const kept = ranges.map(({ first }) => first);
  await removeRanges(db, id, kept);
  for (const range of ranges) await putRange.run(db, { ...range, paymentSystemId: id, panLength });
}

async function removeRanges(
  db: EntityManager,
  id: CardPaymentSystemId,
  kept: readonly bigint[],
): Promise<void> {
  const others = query(db).deleteFrom('card_iin_ranges').where('paymentSystemId', '=', id);
  await (kept.length === 0 ? others : others.where('first', 'not in', [...kept])).execute();
}

const putRange = statement({
  name: 'putCardIinRange',
  takes: columnsOf(CardIinRange, 'paymentSystemId', 'first', 'last', 'panLength'),
  gives: {},
  sql: `
    insert into card_iin_ranges (payment_system_id, first, last, pan_length)
    values ($paymentSystemId, $first, $last, $panLength)
    on conflict (payment_system_id, first) do update set last = excluded.last`,
});
