/** What a transfer has to pass, and when the rail takes it: the SQL functions that decide it, called directly. */
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { openBooks, type Books } from '../../support/bank/books.ts';
import { ownBank } from '../../support/stack/database.ts';
import { clearFlag, flag, openMover, railType, type Mover } from '../../support/bank/movements.ts';
import { transferType } from '../../support/bank/transfers.ts';

let books: Books;
let mover: Mover;
beforeAll(async () => {
  books = openBooks(await ownBank());
  mover = await openMover(books);
});
afterAll(() => books.close());

interface Asked {
  readonly stage: number;
  readonly approval?: boolean;
  readonly kind?: string;
  readonly type?: string;
  readonly external?: boolean;
}

async function gate({ stage, approval = false, kind = 'transfer', type, external = false }: Asked) {
  const [found] = await books.asOwner('select status, due from transfer_gate($1, $2, $3, $4, $5, $6)', [
    ...[stage, approval, kind, mover.from, type ?? 'internal', external],
  ]);
  return found?.['status'];
}

test('the approval is asked for first, and only by what needs it', async () => {
  expect(await gate({ stage: 0, approval: true })).toBe('pending_approval');
  expect(await gate({ stage: 0 })).toBe('executed');
  expect(await gate({ stage: 1, approval: true })).toBe('executed');
});

test('a flag holds a transfer until the screening is passed, and nothing but transfers', async () => {
  await flag(books, mover.from);
  try {
    expect(await gate({ stage: 0, approval: true })).toBe('pending_approval');
    expect(await gate({ stage: 1, approval: true })).toBe('aml_review');
    expect(await gate({ stage: 0 })).toBe('aml_review');
    expect(await gate({ stage: 2 })).toBe('executed');
    for (const kind of ['adjustment', 'reversal']) expect(await gate({ stage: 0, kind })).toBe('executed');
  } finally {
    await clearFlag(books, mover.from, await books.user());
  }
  expect(await gate({ stage: 0 })).toBe('executed');
});

test('what leaves the bank is submitted while the window is open, and queued until it opens', async () => {
  const open = await railType(books);
  const closed = await railType(books, { closed: true });
  expect(await gate({ stage: 2, type: open, external: true })).toBe('submitted');
  expect(await gate({ stage: 2, type: closed, external: true })).toBe('queued');
  expect(await gate({ stage: 3, type: closed, external: true })).toBe('queued');
  expect(await gate({ stage: 2, type: closed })).toBe('executed');
});

interface Window {
  readonly cutOff?: string;
  readonly zone?: string;
  readonly businessDays?: boolean;
}

async function windowAfter(at: string, { cutOff, zone = 'UTC', businessDays = false }: Window) {
  const code = await transferType(books, cutOff === undefined ? {} : { cutOff });
  await books.asOwner(
    'update transfer_types set cut_off_zone = $2, business_days_only = $3 where code = $1',
    [code, zone, businessDays],
  );
  const [found] = await books.asOwner('select rail_window($1, $2) as opens', [code, at]);
  return found;
}

test.each([
  ['2026-03-04T11:00:00Z', {}, '2026-03-04T11:00:00Z'],
  ['2026-03-04T11:00:00Z', { cutOff: '11:00' }, '2026-03-04T11:00:00Z'],
  ['2026-03-04T11:00:01Z', { cutOff: '11:00' }, '2026-03-05T00:00:00Z'],
  // 11:30 in Berlin, in winter and in summer
  ['2026-01-07T10:30:00Z', { cutOff: '11:00', zone: 'Europe/Berlin' }, '2026-01-07T23:00:00Z'],
  ['2026-07-07T09:30:00Z', { cutOff: '11:00', zone: 'Europe/Berlin' }, '2026-07-07T22:00:00Z'],
  // a Saturday, a Friday after the cut-off, and the Thursday before Easter, which Good Friday and Easter Monday follow
  ['2026-03-07T08:00:00Z', { businessDays: true }, '2026-03-09T00:00:00Z'],
  ['2026-03-06T12:00:00Z', { businessDays: true, cutOff: '11:00' }, '2026-03-09T00:00:00Z'],
  ['2026-04-02T12:00:00Z', { businessDays: true, cutOff: '11:00' }, '2026-04-07T00:00:00Z'],
])('after %s a rail with %j takes payments from %s on', async (at, window, opens) => {
  expect((await windowAfter(at, window))?.['opens']).toEqual(new Date(opens));
});
