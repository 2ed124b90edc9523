/** What cards have booked stands in statements with merchant, place, card and what was paid there; what is only held stands apart. */
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { z } from 'zod';
import { ClearingWish } from '../../../dev/cards/clearing.ts';
import { openBank, type Bank } from '../../support/bank/bank.ts';
import { call, euro } from '../../support/bank/accounts.ts';
import { decide, DisputeAnswer, NOT_RECEIVED } from '../../support/bank/card-disputes.ts';
import { newClearing, newWallet, withPin, type Wallet } from '../../support/bank/card-network.ts';
import { listed, message, printed, spreadsheet } from '../../support/bank/statements.ts';
import { newKey } from '../../support/client.ts';
import { violations } from '../../support/formats/xsd.ts';
import { until } from '../../support/stack/processes.ts';

const KAFE = { id: 'KAFE1', name: 'Kafé Ænda', city: 'OSLO', country: 'NO', mcc: '5812' };
const kroner = (amount: string) => ({ amount, currency: 'NOK' });

let bank: Bank;
let wallet: Wallet;
let four: string;
beforeAll(async () => {
  bank = openBank();
  wallet = await newWallet(bank);
  four = wallet.card.last_four;
  const { pan } = wallet;
  const [bought, drawn] = [newKey(), newKey()];
  const there = { merchant: KAFE, merchant_amount: kroner('115.00') };
  await wallet.pay({ payment_id: bought, billing: euro('10.00'), ...there });
  await wallet.pay({
    payment_id: drawn,
    billing: euro('20.00'),
    purpose: 'cash',
    ...(await withPin(wallet)),
  });
  await wallet.pay({ billing: euro('7.50'), ...there, merchant_amount: kroner('86.25') });
  await newClearing().clear(
    ClearingWish.parse({
      records: [
        { pan, payment_id: bought, billing: euro('10.00'), ...there },
        { pan, payment_id: drawn, kind: 'cash', billing: euro('20.00') },
        {
          pan,
          payment_id: bought,
          kind: 'refund',
          billing: euro('4.00'),
          ...there,
          merchant_amount: kroner('46.00'),
        },
      ],
    }),
  );
  await until(async () => (await wallet.account()).balance === '74.00');
  const { id } = await wallet.payment(bought);
  const opened = await call(wallet.holder, 'POST', `/v1/card-payments/${id}/disputes`, NOT_RECEIVED);
  await decide(bank, opened.as(DisputeAnswer).id, 'accept');
});
afterAll(() => bank.close());

const account = () => ({ id: wallet.card.account_id });

test('the lines name merchant, place, card, and what was paid in another currency at which rate', async () => {
  const { items, pending } = await listed(wallet.holder, account(), {});
  const lines = items.filter(({ kind }) => /^(card|dispute)_/.test(kind)).toSorted(byKind);
  const kafe = { name: 'Kafé Ænda' };
  const oslo = `Card ${four}, OSLO NO`;
  expect(lines).toMatchObject([
    {
      kind: 'card_cash',
      counterparty: { name: 'Corner shop' },
      description: `Card ${four}, Berlin DE`,
      exchange: null,
    },
    {
      ...{ kind: 'card_purchase', counterparty: kafe, description: oslo, direction: 'debit' },
      exchange: { amount: kroner('115.00'), rate: '11.5' },
    },
    {
      ...{ kind: 'card_refund', counterparty: kafe, description: oslo, direction: 'credit' },
      exchange: { amount: kroner('46.00'), rate: '0.08695652' },
    },
    {
      ...{ kind: 'dispute_credit', counterparty: kafe, amount: euro('6.00') },
      description: `Dispute, credited for now: ${oslo}`,
    },
  ]);
  expect(pending).toMatchObject([
    {
      ...{ amount: euro('7.50'), merchant: 'Kafé Ænda', place: 'OSLO NO', last_four: four },
      merchant_amount: kroner('86.25'),
    },
  ]);
});

const byKind = (one: { kind: string }, other: { kind: string }): number => (one.kind < other.kind ? -1 : 1);

test('the list of movements shows the same, and finds them by merchant and place', async () => {
  const find = async (text: string) => {
    const path = `/v1/accounts/${account().id}/transactions?text=${text}`;
    const answer = await call(wallet.holder, 'GET', path);
    return answer.as(z.looseObject({ items: z.array(z.looseObject({ kind: z.string() })) })).items.length;
  };
  expect(await find('kafe')).toBe(3);
  expect(await find('berlin')).toBe(1);
});

test('the spreadsheet has them with the other currency, and what is held after the closing balance', async () => {
  const rows = await spreadsheet(wallet.holder, account(), {});
  const bought = rows.find(({ kind }) => kind === 'card_purchase');
  expect(bought).toMatchObject({
    ...{
      counterparty: 'Kafé Ænda',
      debit: '10.00',
      other_amount: '115.00',
      other_currency: 'NOK',
      rate: '11.5',
    },
  });
  expect(rows.slice(-2)).toMatchObject([
    { record: 'closing_balance', balance: '80.00' },
    { record: 'pending', debit: '7.50', balance: '', other_amount: '86.25', other_currency: 'NOK' },
  ]);
});

test('the message has the codes of card transactions, and mentions what is held', async () => {
  const xml = await message(wallet.holder, account(), {});
  expect(violations('camt.053.001.08', xml)).toEqual([]);
  const codes = [...xml.matchAll(/<Fmly><Cd>CCRD<\/Cd><SubFmlyCd>(\w+)</g)]
    .map(([, code]) => code)
    .toSorted();
  expect(codes).toEqual(['CAJT', 'CWDL', 'POSD', 'RIMB']);
  expect(xml).toContain('<Cdtr><Pty><Nm>Kafé Ænda</Nm></Pty></Cdtr>');
  expect(xml).toContain('<TrgtCcy>NOK</TrgtCcy><UnitCcy>EUR</UnitCcy><XchgRate>11.5</XchgRate>');
  expect(xml).toMatch(/<AddtlStmtInf>Card payments not booked yet: 1, 7.50 EUR held: 7.50 Kafé Ænda/);
});

test('the printed statement has both', async () => {
  const { text } = await printed(wallet.holder, account(), {});
  for (const part of [
    'Kafé Ænda',
    `Card ${four}, OSLO NO`,
    '115.00 NOK at 11.5',
    'not booked yet',
    '7.50 EUR',
  ])
    expect(text).toContain(part);
});

test('a statement of days before lists nothing as held', async () => {
  const days = { from: '2026-03-01', to: '2026-03-31' };
  expect((await listed(wallet.holder, account(), days)).pending).toEqual([]);
  expect(await message(wallet.holder, account(), days)).not.toContain('AddtlStmtInf');
});
