/** The payment systems whose cards the bank issues, and the numbers that it may give them. */
import {
  addPaymentSystem,
  addPaymentSystemVersion,
  lockPaymentSystem,
  paymentSystemById,
  replaceRanges,
  setPaymentSystem,
  type PaymentSystemRow,
} from '../../db/queries/cards/payment-systems.ts';
import { record } from '../../db/queries/platform/audit.ts';
import { constraintOf } from '../../db/sql-state.ts';
import type { AuditState } from '../../db/schema/platform.ts';
import { addsNumbers, type NumberRange } from '../../domain/cards/loosening.ts';
import type { CardPaymentSystemId } from '../../domain/ids.ts';
import { faultIn, found } from '../../domain/refusals.ts';
import type { Call } from '../callers.ts';
import { fourEyes, type Place } from '../platform/four-eyes.ts';

/** A range as the request names it: numbers without their check digits, as text. */
interface WantedRange {
  readonly first: string;
  readonly last: string;
}
interface NewSystem {
  readonly code: string;
  readonly name: string;
  readonly panLength: number;
  readonly iinRanges: readonly WantedRange[];
}

/** Numbers that cards could not get before wait for a second administrator: they may belong to another bank. */
export const paymentSystemFourEyes = fourEyes({
  resource: ({ params }: Place<{ readonly id: CardPaymentSystemId }>) => ['card_payment_system', params.id],
  state: async (db, { params }) => (await paymentSystemById.first(db, params)) ?? null,
  loosens: (before, after) => addsNumbers(before?.ranges ?? [], after?.ranges ?? []),
  shown: told,
});

/** Adds a payment system. No card gets a number of it before a product of it is approved. */
export async function createPaymentSystem(
  call: Call<'conflict'>,
  id: CardPaymentSystemId,
  { iinRanges, ...system }: NewSystem,
): Promise<PaymentSystemRow> {
  const ranges = readRanges(iinRanges, system.panLength);
  try {
    await addPaymentSystem.run(call.db, { ...system, id });
  } catch (error) {
    if (constraintOf(error) !== 'card_payment_systems_code_key') throw error;
    throw call.refusal('conflict', { detail: 'The code is taken by another payment system.' });
  }
  await addVersion(call, { ...system, id, version: 1 }, ranges);
  return recorded(call, id, undefined);
}

/** Writes another version; a list of ranges replaces the one before. */
export async function updatePaymentSystem(
  call: Call<'in_use'>,
  id: CardPaymentSystemId,
  { name, iinRanges }: Partial<Pick<NewSystem, 'name' | 'iinRanges'>>,
): Promise<PaymentSystemRow> {
  await lockPaymentSystem.run(call.db, { id });
  const before = found(await paymentSystemById.first(call.db, { id }));
  const ranges = iinRanges === undefined ? before.ranges : readRanges(iinRanges, before.panLength);
  const used = before.ranges.filter(({ issued }) => issued > 0n);
  const keeps = (range: NumberRange): boolean =>
    ranges.some(({ first, last }) => first === range.first && last >= range.last);
  if (!used.every(keeps))
    throw call.refusal('in_use', {
      detail: 'Cards have numbers of a range that is left out or made smaller.',
    });
  await addVersion(call, { ...before, name: name ?? before.name, version: before.version + 1 }, ranges);
  return recorded(call, id, before);
}

type Version = Pick<PaymentSystemRow, 'id' | 'name' | 'panLength' | 'version'>;

async function addVersion(
  { db, actor }: Call,
  system: Version,
  ranges: readonly NumberRange[],
): Promise<void> {
  const { id, name, version } = system;
  try {
    await replaceRanges(db, system, ranges);
  } catch (error) {
    if (constraintOf(error) !== 'card_iin_ranges_apart') throw error;
    throw faultIn('/iin_ranges', 'overlap', 'numbers of a range belong to another one');
  }
  await setPaymentSystem.run(db, { id, name, version });
  const iinRanges = ranges.map(({ first, last }) => ({ first: String(first), last: String(last) }));
  await addPaymentSystemVersion.run(db, {
    ...{ paymentSystemId: id, version, name, iinRanges, createdBy: actor.id },
  });
}

/** Refuses invalid_request if a number has not as many digits as it needs, or a range ends before it begins. */
function readRanges(wanted: readonly WantedRange[], panLength: number): NumberRange[] {
  return wanted.map(({ first, last }, index) => {
    for (const [field, digits] of Object.entries({ first, last }))
      if (digits.length !== panLength - 1 || digits.startsWith('0'))
        throw faultIn(
          `/iin_ranges/${index}/${field}`,
          'wrong_length',
          `must have ${panLength - 1} digits and not begin with 0: the whole number without its check digit`,
        );
    if (BigInt(first) > BigInt(last))
      throw faultIn(`/iin_ranges/${index}/last`, 'before_first', 'must not be below the first number');
    return { first: BigInt(first), last: BigInt(last) };
  });
}

async function recorded(
  { db, actor }: Call,
  id: CardPaymentSystemId,
  before: PaymentSystemRow | undefined,
): Promise<PaymentSystemRow> {
  const after = await paymentSystemById.one(db, { id });
  await record(db, actor, {
    action: `card_payment_system.${before === undefined ? 'created' : 'updated'}`,
    subject: ['card_payment_system', id],
    before: before && told(before),
    after: told(after),
  });
  return after;
}

/** A payment system as the audit log keeps it. How many numbers are left changes with each card and is no part of it. */
function told({ code, name, panLength, version, ranges }: PaymentSystemRow): AuditState {
  return {
    ...{ code, name, pan_length: panLength, version },
    iin_ranges: ranges.map(({ first, last }) => ({ first: String(first), last: String(last) })),
  };
}
