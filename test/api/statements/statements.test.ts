/** Statements of account in all their formats, of accounts whose entries were booked at times of the test's choice. */
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { streamed, type FORMATS as OFFERED } from '../../../api/statements/formats.ts';
import { exportStatement } from '../../../services/statements/export.ts';
import { loadConfig } from '../../../config.ts';
import { openOrm } from '../../../db/orm.ts';
import { row, rows } from '../../support/stack/sql.ts';
import type { AccountId } from '../../../domain/ids.ts';
import { refuse } from '../../../domain/refusals.ts';
import { openBank, type AccountAnswer, type Bank, type Person } from '../../support/bank/bank.ts';
import { bookPast, type PastEntry } from '../../support/bank/history.ts';
import { newKey } from '../../support/client.ts';
import { stack } from '../../support/stack/stack.ts';
import {
  listed,
  message,
  printed,
  spreadsheet,
  statementAs,
  type Days,
} from '../../support/bank/statements.ts';
import { violations } from '../../support/formats/xsd.ts';

const march: Days = { from: '2026-03-01', to: '2026-03-31' };
const FORMATS = ['application/json', 'text/csv', 'application/pdf', 'application/xml'];

let bank: Bank;
let owner: Person;
beforeAll(async () => {
  bank = openBank();
  owner = await bank.customer();
});
afterAll(() => bank.close());

async function accountWith(entries: readonly PastEntry[], type?: string): Promise<AccountAnswer> {
  const account = await bank.account(owner, type);
  await bookPast(bank, account, entries);
  return account;
}
const on = (day: string, minor: bigint, description = ''): PastEntry => ({
  at: `${day}T10:00:00Z`,
  minor,
  description,
});

describe('a month with movements', () => {
  let account: AccountAnswer;
  beforeAll(async () => {
    account = await accountWith([
      on('2026-02-10', 10_000n, 'Opening'),
      on('2026-03-02', -1_234n, 'Rent & more <b>'),
      { ...on('2026-03-02', -50n), part: 'fee' },
      { ...on('2026-03-05', 50_000n, 'Salary'), valueDate: '2026-03-06' },
      on('2026-04-01', -100n, 'Later'),
    ]);
  });

  test('leads from the opening balance over its lines to the closing one, and on to the next month', async () => {
    const list = await listed(owner, account, march);
    expect(list.opening_balance).toEqual({ amount: '100.00', currency: 'EUR' });
    expect(
      list.items.map(({ direction, amount, balance, part }) => [
        direction,
        amount.amount,
        balance.amount,
        part,
      ]),
    ).toEqual([
      ['debit', '12.34', '87.66', 'principal'],
      ['debit', '0.50', '87.16', 'fee'],
      ['credit', '500.00', '587.16', 'principal'],
    ]);
    expect(list.closing_balance.amount).toBe('587.16');
    expect([list.credits, list.debits]).toMatchObject([
      { count: 1, amount: { amount: '500.00' } },
      { count: 2, amount: { amount: '12.84' } },
    ]);
    const april = await listed(owner, account, { from: '2026-04-01', to: '2026-04-30' });
    expect(april.opening_balance).toEqual(list.closing_balance);
  });

  test('is the same, byte by byte, however often it is asked for and whatever is booked after it', async () => {
    const take = (format: string) => statementAs(format, owner, account, march);
    const before = await Promise.all(FORMATS.map(take));
    await bank.fund(account, '1.00');
    for (const [index, format] of FORMATS.entries())
      expect((await take(format)).bytes.equals(before[index]?.bytes ?? Buffer.of())).toBe(true);
  });

  test('is a valid camt.053.001.08 whose sums are those of its entries', async () => {
    const xml = await message(owner, account, march);
    expect(violations('camt.053.001.08', xml)).toEqual([]);
    expect(xml).toContain(
      '<Cd>OPBD</Cd></CdOrPrtry></Tp><Amt Ccy="EUR">100.00</Amt><CdtDbtInd>CRDT</CdtDbtInd>',
    );
    expect(xml).toContain(
      '<Cd>CLBD</Cd></CdOrPrtry></Tp><Amt Ccy="EUR">587.16</Amt><CdtDbtInd>CRDT</CdtDbtInd>',
    );
    expect(xml).toContain('<TtlDbtNtries><NbOfNtries>2</NbOfNtries><Sum>12.84</Sum></TtlDbtNtries>');
    expect(xml.match(/<Ntry>/g)).toHaveLength(3);
    expect(xml).toContain('<Ustrd>Rent &amp; more &lt;b&gt;</Ustrd>');
    expect(xml).toContain('<ValDt><Dt>2026-03-06</Dt></ValDt>');
    const ids = [...xml.matchAll(/<(?:Id|MsgId|NtryRef|AcctSvcrRef|EndToEndId)>([^<]+)</g)].map(
      ([, id]) => id ?? '',
    );
    expect(Math.max(...ids.map((id) => id.length))).toBeLessThanOrEqual(35);
  });

  test('is a spreadsheet that begins and ends with its balances', async () => {
    const rows = await spreadsheet(owner, account, march);
    expect(rows.map(({ record, debit, credit, balance }) => [record, debit, credit, balance])).toEqual([
      ['opening_balance', '', '', '100.00'],
      ['entry', '12.34', '', '87.66'],
      ['entry', '0.50', '', '87.16'],
      ['entry', '', '500.00', '587.16'],
      ['closing_balance', '', '', '587.16'],
    ]);
    const { bytes, headers } = await statementAs('text/csv', owner, account, march);
    expect(bytes.subarray(0, 3)).toEqual(Buffer.of(0xef, 0xbb, 0xbf));
    expect(headers.get('Content-Type')).toBe('text/csv; charset=utf-8; header=present');
    expect(headers.get('Content-Disposition')).toBe(
      `attachment; filename="statement-${account.number}-20260301-20260331.csv"`,
    );
    expect(headers.get('Vary')).toContain('Accept');
  });

  test('is a printed page with account, period, balances and lines', async () => {
    const { pages, text } = await printed(owner, account, march);
    expect(pages).toBe(1);
    for (const line of [
      'Test Person',
      '2026-03-01 – 2026-03-31',
      '100.00 EUR',
      '587.16 EUR',
      'Fee',
      'Salary',
      'Page 1',
    ])
      expect(text.split('\n')).toContain(line);
  });
});

test('a month without movements has the same balance at both ends, in every format', async () => {
  const account = await accountWith([on('2026-02-10', -5_000n + 10_000n)]);
  const list = await listed(owner, account, march);
  expect(list).toMatchObject({
    items: [],
    opening_balance: { amount: '50.00' },
    closing_balance: { amount: '50.00' },
  });
  expect(violations('camt.053.001.08', await message(owner, account, march))).toEqual([]);
  expect(await spreadsheet(owner, account, march)).toHaveLength(2);
  expect((await printed(owner, account, march)).text).toContain('Nothing was booked in this period.');
  const before = await listed(owner, account, { from: '2020-01-01', to: '2020-01-31' });
  expect([before.opening_balance.amount, before.closing_balance.amount]).toEqual(['0.00', '0.00']);
});

test('days are the bank’s: what is booked at their edges belongs to one of them, also where the clock changes', async () => {
  const account = await accountWith([
    { at: '2026-03-28T22:59:59.999Z', minor: 1n }, // 28th 23:59:59.999, winter time
    { at: '2026-03-28T23:00:00.000Z', minor: 10n }, // 29th 00:00
    { at: '2026-03-29T21:59:59.999Z', minor: 100n }, // 29th 23:59:59.999, summer time: the day has 23 hours
    { at: '2026-03-29T22:00:00.000Z', minor: 1_000n }, // 30th 00:00
    { at: '2026-10-24T22:00:00.000Z', minor: 10_000n }, // 25 October 00:00, summer time
    { at: '2026-10-25T22:59:59.999Z', minor: 100_000n }, // 25 October 23:59:59.999, winter time: 25 hours
    { at: '2026-10-25T23:00:00.000Z', minor: 1_000_000n },
  ]);
  const amounts = async (day: string): Promise<string[]> => {
    const { items } = await listed(owner, account, { from: day, to: day });
    expect(items.every((item) => item.booking_date === day)).toBe(true);
    return items.map(({ amount }) => amount.amount);
  };
  expect(await amounts('2026-03-28')).toEqual(['0.01']);
  expect(await amounts('2026-03-29')).toEqual(['0.10', '1.00']);
  expect(await amounts('2026-03-30')).toEqual(['10.00']);
  expect(await amounts('2026-10-25')).toEqual(['100.00', '1000.00']);
  expect(await amounts('2026-10-26')).toEqual(['10000.00']);
});

test.each([
  ['JPY', '¥ has no digits', -1_234_567n, '1234567', '1,234,567'],
  ['EUR', 'two digits', -1_234_567n, '12345.67', '12,345.67'],
  ['KWD', 'three digits', -1_234_567n, '1234.567', '1,234.567'],
  ['CLF', 'four digits', -1_234_567n, '123.4567', '123.4567'],
  ['EUR', 'less than one', -7n, '0.07', '0.07'],
])(
  'amounts in %s are written with their own digits in every format (%s)',
  async (currency, _why, minor, decimal, shown) => {
    const code = await typeOf(currency);
    const account = await accountWith([on('2026-03-02', 9_000_000_000n), on('2026-03-03', minor)], code);
    const list = await listed(owner, account, march);
    expect(list.items.at(-1)?.amount).toEqual({ amount: decimal, currency });
    const xml = await message(owner, account, march);
    expect(xml).toContain(`<Amt Ccy="${currency}">${decimal}</Amt><CdtDbtInd>DBIT</CdtDbtInd>`);
    expect(violations('camt.053.001.08', xml)).toEqual([]);
    expect((await spreadsheet(owner, account, march)).at(-2)?.['debit']).toBe(decimal);
    expect((await printed(owner, account, march)).text.split('\n')).toContain(shown);
  },
);

test('what has no ISO 4217 code has statements, but not as a message about money', async () => {
  const config = loadConfig(stack.serviceEnv);
  // such an account is not to stay: the other parts of the service know no such currency yet
  const orm = openOrm({ DATABASE_URL: stack.ownerUrl, DATABASE_POOL_MAX: 2 });
  const undone = new Error('undone');
  const told = orm.em.fork().transactional(async (db) => {
    await rows(db, `insert into assets (code, scale, kind) values ('TSTCOIN', 18, 'crypto')`);
    const account = `insert into accounts (kind, owner_id, account_type_id, number, asset)
      select 'customer', $1, t.id, next_account_number(), 'TSTCOIN' from account_types t where t.code = 'current_eur' returning id`;
    const opened = await row<{ id: AccountId }>(db, account, [owner.id]);
    if (opened === undefined) throw new Error('no account');
    const actor = { id: owner.id, role: 'customer', address: '127.0.0.1', requestId: newKey() } as const;
    const about = { account: opened.id, owner: owner.id, query: march, db, actor, refusal: refuse };
    const ask = async (format: (typeof OFFERED)[number]) =>
      streamed(await exportStatement({ ...about, format }, { config }), format);
    await expect(ask('application/xml')).rejects.toMatchObject({ code: 'format_not_offered' });
    const { parts } = await ask('application/json');
    let text = '';
    for await (const part of parts) text += part.toString();
    const balance = { amount: '0.000000000000000000', currency: 'TSTCOIN' };
    expect(JSON.parse(text)).toMatchObject({ closing_balance: balance });
    throw undone;
  });
  await expect(told).rejects.toBe(undone);
  await orm.close(true);
});

test('a cell that a spreadsheet would run is made harmless, and text is never changed otherwise', async () => {
  const texts = [
    '=1+1',
    '+49',
    '-1',
    '@SUM(A1)',
    '＝1+1',
    ' =1+1',
    '\u200b=1',
    '"quoted", and more',
    'fine = good',
    'Ünï',
    'rent; thanks | bye',
  ];
  const account = await accountWith(texts.map((text) => on('2026-03-02', 100n, text)));
  const rows = await spreadsheet(owner, account, march);
  expect(rows.slice(1, -1).map(({ description }) => description)).toEqual([
    ...texts.slice(0, 7).map((text) => `'${text}`),
    ...texts.slice(7),
  ]);
});

test.each([
  ['a semicolon', "a;=cmd|'/C calc'!A0;b", "a;'=cmd|'/C calc'!A0;b"],
  ['a semicolon and @', 'a;@SUM(1+1);b', "a;'@SUM(1+1);b"],
  ['a bar and blanks', 'a| =1', "a|' =1"],
  ['a quote', 'a;"=1"', 'a;\'"=1"'],
  ['the first sign, which is a semicolon', ';＝1', ";'＝1"],
])(
  'a cell that is a formula where cells are separated otherwise is made harmless: after %s',
  async (_sign, text, safe) => {
    const account = await accountWith([on('2026-03-02', 100n, text)]);
    const [row] = (await spreadsheet(owner, account, march)).slice(1, -1);
    expect(row?.['description']).toBe(safe);
  },
);

test('a page says where it cannot show a script, and how it is read', async () => {
  const texts = ['Αθήνα', 'Привіт', 'Łódź & Ünï', '東京 rent', 'שלום', '🎉', 'नमस्ते'];
  const account = await accountWith(texts.map((text) => on('2026-03-02', 100n, text)));
  const { text } = await printed(owner, account, march);
  for (const shown of ['Αθήνα', 'Привіт', 'Łódź & Ünï', '‹DongJing› rent']) expect(text).toContain(shown);
  expect(text).not.toContain('?');
  expect(text).toMatch(/‹ ›/);
  const xml = await message(owner, account, march);
  for (const whole of texts) expect(xml).toContain(whole.replace('&', '&amp;'));
});

test('a long statement goes over pages, each with its number and the balance brought forward', async () => {
  const entries = Array.from({ length: 2_500 }, (_, index) =>
    on('2026-03-02', 1n, `Payment ${String(index)}`),
  );
  const account = await accountWith(entries);
  const { pages, text } = await printed(owner, account, march);
  expect(pages).toBeGreaterThan(80);
  expect(text.match(/Balance brought forward/g)).toHaveLength(pages - 1);
  expect(text).toContain(`Page ${String(pages)}`);
  for (const index of [0, 999, 1_000, 2_499]) expect(text.split('\n')).toContain(`Payment ${String(index)}`);
  const list = await listed(owner, account, march);
  expect(list.items.map(({ sequence }) => Number(sequence))).toEqual(entries.map((_, index) => index + 1));
  const xml = await message(owner, account, march);
  expect(violations('camt.053.001.08', xml)).toEqual([]);
});

test('an export is in the audit log before its first byte: who, whose, which days, which format', async () => {
  const account = await accountWith([on('2026-03-02', 1n)]);
  const admin = await bank.admin('statements:export');
  const query = march;
  const path = `/v1/admin/accounts/${account.id}/statement`;
  const headers = { Accept: 'text/csv' };
  expect((await admin.client.call('GET', path, { token: admin.token, query, headers })).status).toBe(200);
  const written = await bank.asOwner(
    `select actor_id, actor_role, after from audit_log where action = 'statement.exported' and subject_id = $1`,
    [account.id],
  );
  expect(written).toEqual([
    { actor_id: admin.id, actor_role: 'admin', after: { ...march, format: 'text/csv' } },
  ]);
});

test.each([
  ['ends before it begins', { from: '2026-03-02', to: '2026-03-01' }, 'query/from'],
  ['ends in days to come', { to: '2999-01-01' }, 'query/to'],
  ['begins before there were books', { from: '0000-01-01' }, 'query/from'],
  ['names no day', { from: '2026-02-30' }, 'query/from'],
])('a period that %s is refused', async (_what, query, pointer) => {
  const account = await bank.account(owner);
  const path = `/v1/accounts/${account.id}/statement`;
  const answer = await owner.client.call('GET', path, { token: owner.token, query });
  expect(answer.body).toMatchObject({ status: 400, errors: [{ pointer }] });
});

test('another’s account is not found, and nothing is written about it', async () => {
  const account = await bank.account(owner);
  const stranger = await bank.customer();
  const path = `/v1/accounts/${account.id}/statement`;
  expect((await stranger.client.call('GET', path, { token: stranger.token })).status).toBe(404);
  expect(
    await bank.asOwner('select 1 from audit_log where subject_id = $1 and action = $2', [
      account.id,
      'statement.exported',
    ]),
  ).toEqual([]);
});

/** A type of account that customers can open, in this currency. */
async function typeOf(asset: string): Promise<string> {
  const code = `statements_${asset.toLowerCase()}`;
  await bank.asOwner(
    `insert into account_types (code, name, asset, openable_by) values ($1, $2, $3, 'customer') on conflict do nothing`,
    [code, `Account in ${asset}`, asset],
  );
  return code;
}
