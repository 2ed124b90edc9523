/** Screening of payees before a payment is booked, and of everybody beside it. Each test has names and payers of its own. */
import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals';
import { transferActivities } from '../../../activities/transfers.ts';
import { transferView } from '../../../api/transfers/views.ts';
import { countDueParties, recordScreening } from '../../../db/queries/aml/parties.ts';
import { transferOf } from '../../../db/queries/transfers/transfers.ts';
import type { TransferId } from '../../../domain/ids.ts';
import { previewThresholds } from '../../../services/aml/threshold-preview.ts';
import { openScreenedBank, type Payer, type ScreenedBank } from '../../support/bank/screening.ts';

let bank: ScreenedBank;
beforeAll(async () => {
  bank = await openScreenedBank();
});
afterAll(() => bank.close());

/** More entries than a test changes, so that no file waits for a second person. */
const FILL = Array.from(
  { length: 40 },
  (_, at) => `F${at},person,Quimby Overlo${'abcdefghij'[at % 10]}${'klmn'[at >> 3]}vek,`,
);
let lines: string[] = [];
let next = 0;
beforeEach(() => {
  next += 1;
});
/** One for each test, none like another. */
const NAMES = [
  'Tobrin Askeldar',
  'Wilfrana Ostpeck',
  'Jorvic Hamblequin',
  'Sephira Dunstow',
  'Gorluth Veymark',
  'Pellanor Brixham',
];
const MORE = [
  'Ysolde Crantwick',
  'Murdoth Felsing',
  'Zephric Laudomar',
  'Quenda Thistleroy',
  'Ulfrane Bockwitz',
  'Nimuel Tarragosh',
];
const EVEN_MORE = [
  'Drusk Oldemeyn',
  'Cyprienne Halvgrot',
  'Fenwick Ullathorp',
  'Bastwick Egremoul',
  'Tamsin Yorrowdale',
  'Corvus Blenkinship',
  'Hesper Quillanmoor',
  'Ottoline Varrisk',
  'Brannoch Tidswell',
  'Iolanthe Muncaster',
  'Perpetua Dravenor',
];
const name = (): string => [...NAMES, ...MORE, ...EVEN_MORE][next] ?? '';
async function onList(...added: readonly string[]): Promise<void> {
  lines = [...lines, ...added];
  expect(await bank.list(...FILL, ...lines)).toMatchObject({ status: 'loaded' });
}
async function changed(from: string, to: string): Promise<void> {
  lines = lines.map((line) => line.replace(from, to));
  expect(await bank.list(...FILL, ...lines)).toMatchObject({ status: 'loaded' });
}
const statusOf = async (id: TransferId) => {
  const [row] = await bank.books.asOwner('select status from transfers where id = $1', [id]);
  return row?.['status'];
};
const released = (id: TransferId, flag: string) =>
  transferActivities({ em: bank.books.em }).carryOutStep(id, { source: 'flag', id: flag });
const one = async (payer: Payer) => {
  const flags = await bank.flags(payer);
  expect(flags).toHaveLength(1);
  const [flag] = flags;
  if (flag === undefined) throw new Error('there is no flag');
  return flag;
};

test('while no list was ever loaded a payment needs no screening', async () => {
  const payer = await bank.payer();
  expect(await bank.payUnscreened(payer, await bank.payee(payer, name()))).toBeNull();
  expect(await bank.flags(payer)).toEqual([]);
  // unless a bank asks for it
  const { status } = await bank.pay(payer, await bank.payee(payer, name()), { AML_STALE_LIST: 'hold' });
  expect(status).toBe('aml_review');
});

test('a payment to somebody on a list is held, with its flag, its match and its money', async () => {
  await onList(`T${next},person,${name()},1962-03-15`);
  const payer = await bank.payer();
  const { id, status } = await bank.pay(payer, await bank.payee(payer, name()));
  expect(status).toBe('aml_review');
  const flag = await one(payer);
  expect(flag).toMatchObject({ subject_type: 'transfer', reason: 'hit', held: true });
  expect(flag.match).toMatchObject({
    list: 'own',
    entry_id: `T${next}`,
    score: 100,
    asked: { name: name() },
  });
  const [hit] = await bank.books.asOwner('select subject_id, held from aml_hits where flag_id = $1', [
    flag.id,
  ]);
  expect(hit).toEqual({ subject_id: id, held: true });
  expect(await bank.books.balance(payer.account)).toEqual({ posted: 1_000_000n, held: 100n });
});

test('a payment to anybody else goes', async () => {
  await onList(`T${next},person,${name()},`);
  const payer = await bank.payer();
  expect(await bank.pay(payer, await bank.payee(payer, 'Anna Beispiel'))).toMatchObject({
    status: 'submitted',
  });
  expect(await bank.flags(payer)).toEqual([]);
});

test('a second payment to the same name joins the open flag, and each goes on once it is resolved', async () => {
  await onList(`T${next},person,${name()},`);
  const payer = await bank.payer();
  const first = await bank.pay(payer, await bank.payee(payer, name()));
  const second = await bank.pay(payer, await bank.payee(payer, name()));
  const flag = await one(payer);
  await bank.resolve(flag, 'false_positive');
  for (const { id } of [first, second])
    expect(await released(id, flag.id)).toMatchObject({ status: 'submitted' });
});

test('who was cleared is not held again, not even under another id of the list, until the entry is described otherwise', async () => {
  await onList(`T${next},person,${name()},1962-03-15`);
  const payer = await bank.payer();
  const payee = await bank.payee(payer, name());
  await bank.pay(payer, payee);
  await bank.resolve(await one(payer), 'false_positive');
  expect(await bank.pay(payer, payee)).toMatchObject({ status: 'submitted' });
  await changed(`T${next},`, `N${next},`);
  expect(await bank.pay(payer, payee)).toMatchObject({ status: 'submitted' });
  await changed('1962-03-15', '1963-04-16');
  expect(await bank.pay(payer, payee)).toMatchObject({ status: 'aml_review' });
  const [, again] = await bank.flags(payer);
  expect(again?.match).toMatchObject({ changed: ['entry_details'] });
});

test('what was only cleared is asked again at the next payment, and a true match rejects the payment', async () => {
  await onList(`T${next},person,${name()},`);
  const payer = await bank.payer();
  const payee = await bank.payee(payer, name());
  const { id } = await bank.pay(payer, payee);
  const flag = await one(payer);
  await bank.resolve(flag, 'cleared');
  expect(await released(id, flag.id)).toMatchObject({ status: 'submitted' });
  const held = await bank.pay(payer, payee);
  const [, open] = await bank.flags(payer);
  if (open === undefined) throw new Error('there is no second flag');
  await bank.resolve(open, 'confirmed');
  expect(await released(held.id, open.id)).toMatchObject({ status: 'rejected' });
});

test('a payment screened on older lists is refused by the books, and screened again', async () => {
  const payer = await bank.payer();
  const payee = await bank.payee(payer, name());
  expect(await bank.pay(payer, payee)).toMatchObject({ status: 'submitted' });
  const [before] = await bank.books.asOwner('select epoch::text from screening_state');
  // this process has the older lists in memory
  await onList(`T${next},person,${name()},`);
  expect(await bank.payUnscreened(payer, payee, { epoch: before?.['epoch'], matches: [] })).toBe(
    'unavailable',
  );
  const [left] = await bank.books.asOwner(
    `select count(*)::int as keys from idempotency_keys where caller = $1::text and refusal is not null`,
    [payer.id],
  );
  expect(left).toEqual({ keys: 0 });
  expect(await bank.pay(payer, payee)).toMatchObject({ status: 'aml_review' });
});

test('what could not be screened is held', async () => {
  await onList(`T${next},person,${name()},`);
  const payer = await bank.payer();
  const payee = await bank.payee(payer, 'Anna Beispiel');
  expect(await bank.payUnscreened(payer, payee, { epoch: '0', failed: 'unreadable' })).toBeNull();
  expect(await bank.flags(payer)).toMatchObject([{ reason: 'not_checked', held: true, match: null }]);
});

test('what nobody has screened is held once there is a list', async () => {
  await onList(`T${next},person,${name()},`);
  const payer = await bank.payer();
  expect(await bank.payUnscreened(payer, await bank.payee(payer, 'Anna Beispiel'))).toBeNull();
  expect(await bank.flags(payer)).toMatchObject([{ reason: 'not_checked', held: true, match: null }]);
});

test('a full pass begins while somebody new waits, meets everybody once, and touches nobody by beginning', async () => {
  const payer = await bank.payer();
  await bank.round();
  const screened = 'select epoch, screened_at from screening_parties where party_id = $1';
  const before = await bank.books.asOwner(screened, [payer.id]);
  const late = await bank.payer();
  const [begun] = await bank.books.asOwner('select screening_begin()::int as due');
  const [all] = await bank.books.asOwner('select count(*)::int as due from screening_parties');
  expect(begun).toEqual(all);
  expect(await bank.books.asOwner(screened, [payer.id])).toEqual(before);
  // asked for again it goes on, and does not begin anew
  await bank.books.asOwner('select screening_begin()');
  await bank.round();
  expect(await bank.books.asOwner(screened, [payer.id])).not.toEqual(before);
  expect(await bank.books.asOwner(screened, [late.id])).not.toMatchObject([{ epoch: null }]);
  expect(await countDueParties.one(bank.books.em())).toEqual({ count: 0 });
});

test('what other thresholds would have raised counts pairs that nobody has decided', async () => {
  const since = new Date(Date.now() - 1_000);
  await onList(`T${next},person,${name()},`);
  const payer = await bank.payer();
  const preview = () => previewThresholds(bank.books.em, since, [70, 100]);
  const before = await preview();
  const payee = await bank.payee(payer, name().replace(' ', ' Jon '));
  for (let at = 0; at < 2; at += 1) await bank.pay(payer, payee);
  const [low, high] = await preview();
  const [lowBefore, highBefore] = before;
  if (low === undefined || lowBefore === undefined) throw new Error('there is no preview');
  expect(low).toEqual({
    threshold: 70,
    pairs: lowBefore.pairs + 1,
    people: lowBefore.people + 1,
    payments: lowBefore.payments + 2,
  });
  expect(high).toEqual(highBefore);
  await bank.resolve(await one(payer), 'false_positive');
  expect(await preview()).toEqual(before);
});

test('a stale list raises no hold unless the bank wants one', async () => {
  await onList(`T${next},person,${name()},`);
  const payer = await bank.payer();
  const payee = await bank.payee(payer, 'Anna Beispiel');
  const old = { AML_LIST_MAX_AGE_DAYS: -1 };
  expect(await bank.pay(payer, payee, old)).toMatchObject({ status: 'submitted' });
  expect(await bank.pay(payer, payee, { ...old, AML_STALE_LIST: 'hold' })).toMatchObject({
    status: 'aml_review',
  });
});

test('a payee who met nobody is known to have been screened', async () => {
  await onList(`T${next},person,${name()},`);
  const payer = await bank.payer();
  const payee = await bank.payee(payer, 'Anna Beispiel');
  await bank.pay(payer, payee);
  const current = `select p.epoch = s.epoch as now from screening_parties p, screening_state s where p.party_id = $1`;
  expect(await bank.books.asOwner(current, [payee])).toEqual([{ now: true }]);
});

test('a customer on a list is flagged, and every movement waits, also after the match is confirmed', async () => {
  await onList(`T${next},person,${name()},`);
  const [first = '', last = ''] = name().split(' ');
  const listed = await bank.payer(first, last);
  const other = await bank.payer();
  await bank.round();
  const flag = await one(listed);
  expect(flag).toMatchObject({ subject_type: 'customer', reason: 'hit' });
  expect(await bank.payInside(listed, other.account)).toBe('aml_review');
  expect(await bank.payInside(other, listed.account)).toBe('aml_review');
  await bank.resolve(flag, 'confirmed');
  expect(await bank.payInside(listed, other.account)).toBe('aml_review');
});

test('a changed name is screened again, and a decision about the old one does not count', async () => {
  await onList(`T${next},person,${name()},1962-03-15`);
  const [first = '', last = ''] = name().split(' ');
  const payer = await bank.payer(first, last);
  await bank.round();
  await bank.resolve(await one(payer), 'false_positive');
  await bank.books.asOwner('update users set date_of_birth = $2 where id = $1', [payer.id, '1962-03-15']);
  await bank.round();
  const [, again] = await bank.flags(payer);
  expect(again?.match).toMatchObject({ changed: ['birth_date'] });
});

test('a payment held by a list looks to its payer, byte for byte, like one that waits for an approval', async () => {
  await onList(`T${next},person,${name()},`);
  const shown = async (payee: string): Promise<string> => {
    const payer = await bank.payer();
    const made = await bank.pay(payer, await bank.payee(payer, payee));
    const stored = await transferOf.one(bank.books.em(), { id: made.id, customerId: payer.id });
    return JSON.stringify([transferView(made), transferView(stored)], (_, value: unknown) =>
      typeof value === 'bigint' ? value.toString() : value,
    )
      .replaceAll(payee, '<name>')
      .replaceAll(/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g, '<id>')
      .replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, '<time>');
  };
  const held = await shown(name());
  await bank.approvalAbove(1);
  const waiting = await shown('Anna Beispiel');
  await bank.approvalAbove(100_000);
  expect(held).toBe(waiting);
  expect(held).not.toMatch(/aml|sanction|screen/i);
});

test('a full pass opens nothing again for who was cleared, once or for good', async () => {
  await onList(`T${next},person,${name()},`);
  const [first = '', last = ''] = name().split(' ');
  const payers = [await bank.payer(first, last), await bank.payer(first, last)];
  await bank.round();
  for (const [at, payer] of payers.entries())
    await bank.resolve(await one(payer), at === 0 ? 'cleared' : 'false_positive');
  await bank.books.asOwner('select screening_begin()');
  await bank.round();
  for (const payer of payers) await one(payer);
});

test('what was found about an older name is not written down', async () => {
  const payer = await bank.payer();
  const party = { partyType: 'customer', partyId: payer.id } as const;
  const asked = { kind: 'person', name: 'Somebody Else' } as const;
  const record = { ...party, asked, epoch: null, matches: [] };
  expect(await recordScreening.one(bank.books.em(), record)).toEqual({ openPairs: null });
});

test('a changed list meets everybody who was screened before: customers, payees and what waits for them', async () => {
  const [first = '', last = ''] = name().split(' ');
  const listed = await bank.payer(first, last);
  const payer = await bank.payer();
  const payee = await bank.payee(payer, name());
  const waiting = await bank.pay(payer, payee);
  await bank.approvalAbove(1);
  const approval = await bank.pay(payer, payee);
  await bank.approvalAbove(100_000);
  expect([waiting.status, approval.status]).toEqual(['submitted', 'pending_approval']);
  await bank.round();
  await onList(`T${next},person,${name()},`);
  await bank.round();
  expect(await one(listed)).toMatchObject({ subject_type: 'customer' });
  const flag = await one(payer);
  expect(flag).toMatchObject({ subject_type: 'beneficiary', held: true });
  // a full pass finds the same pairs and opens nothing
  const [begun] = await bank.books.asOwner('select screening_begin()::int as due');
  expect(begun?.['due']).toBeGreaterThan(2);
  await bank.round();
  await one(payer);
});

test.each(['false_positive', 'confirmed'] as const)(
  'what waits for a payee is held by the flag of a later payment to the same name, and goes with it: %s',
  async (how) => {
    const payer = await bank.payer();
    const [payee, again] = [await bank.payee(payer, name()), await bank.payee(payer, name())];
    await bank.approvalAbove(1);
    const waiting = [await bank.pay(payer, payee), await bank.pay(payer, again)];
    await bank.approvalAbove(100_000);
    await onList(`T${next},person,${name()},`);
    const later = await bank.pay(payer, payee);
    expect(later.status).toBe('aml_review');
    // the round finds it too, and opens nothing else
    await bank.round();
    const flag = await one(payer);
    const ids = waiting.map(({ id }) => id);
    const held = () =>
      bank.books.asOwner(
        `select transfer_is_flagged(t) as held, transfer_confirmed(t) as confirmed,
                t.id in (select h.id from aml_held_transfers($2) h) as told
           from transfers t where t.id = any($1)`,
        [ids, flag.id],
      );
    const open = { held: true, confirmed: null, told: true };
    expect(await held()).toEqual([open, open]);
    await bank.resolve(flag, how);
    const isConfirmed = how === 'confirmed';
    const after = { ...open, held: isConfirmed, confirmed: isConfirmed ? flag.id : null };
    expect(await held()).toEqual([after, after]);
    for (const id of [...ids, later.id]) await released(id, flag.id);
    const statuses = await Promise.all([...ids, later.id].map(statusOf));
    expect(statuses).toEqual(
      isConfirmed
        ? ['rejected', 'rejected', 'rejected']
        : ['pending_approval', 'pending_approval', 'submitted'],
    );
  },
);

test('a waiting payment is screened against the lists of the moment at which it goes', async () => {
  await onList(`T${next},person,Ingvold Schraubenreiter,`);
  const payer = await bank.payer();
  const payee = await bank.payee(payer, name());
  await bank.books.asOwner(
    `insert into account_aml_flags (account_id, raised_by, reason) values ($1, $2, 'A look is wanted')`,
    [payer.account, await bank.books.admin(['aml:review'])],
  );
  const { id, status } = await bank.pay(payer, payee);
  expect(status).toBe('aml_review');
  const [manual] = await bank.books.asOwner(
    `select id from aml_flags where customer_id = $1 and kind = 'manual'`,
    [payer.id],
  );
  await onList(`U${next},person,${name()},`);
  await bank.resolve({ ...(await manualFlag(String(manual?.['id']))) }, 'cleared');
  expect(await released(id, String(manual?.['id']))).toEqual({ refused: 'aml_flag_open' });
  expect(await statusOf(id)).toBe('aml_review');
  const flag = await one(payer);
  expect(flag).toMatchObject({ subject_type: 'beneficiary' });
  await bank.resolve(flag, 'false_positive');
  expect(await released(id, flag.id)).toMatchObject({ status: 'submitted' });
});

async function manualFlag(id: string) {
  const nothing = { subject_type: 'account', reason: 'raised', status: 'open', held: true, match: null };
  return Promise.resolve({ ...nothing, id });
}
