/** Clearing from end to end: the network delivers files, holders see what was booked, and the back office what came of each file. */
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { z } from 'zod';
import { ClearingWish, SettlementWish, type Clearing } from '../../../dev/cards/clearing.ts';
import { openBank, type Bank } from '../../support/bank/bank.ts';
import { call, euro } from '../../support/bank/accounts.ts';
import { newClearing, newWallet, type Wallet } from '../../support/bank/card-network.ts';
import { feedOf } from '../../support/bank/notifications.ts';
import { newKey } from '../../support/client.ts';
import { until } from '../../support/stack/processes.ts';

let bank: Bank;
let clearing: Clearing;
beforeAll(() => {
  bank = openBank();
  clearing = newClearing();
});
afterAll(() => bank.close());

const clear = (records: readonly object[], more: object = {}) =>
  clearing.clear(ClearingWish.parse({ records, ...more }));
const File = z.looseObject({ id: z.uuid(), file_id: z.string().nullable(), status: z.string() });

/** The file as the back office lists it, once it is there. */
async function fileOf(networkId: string): Promise<z.output<typeof File>> {
  const office = await bank.admin('cards:read');
  let found: z.output<typeof File> | undefined;
  await until(async () => {
    const listed = await call(office, 'GET', '/v1/admin/card-files?limit=200');
    found = listed.as(z.looseObject({ items: z.array(File) })).items.find((one) => one.file_id === networkId);
    return found !== undefined;
  });
  if (found === undefined) throw new Error('there is no such file');
  return found;
}

const toldOf = async ({ holder }: Wallet, type: string) =>
  (await feedOf(holder, 1, `?type=${type}`)).items.map(({ body }) => body);

test('a payment is cleared, given back in part, and settled; its holder is told of what came back', async () => {
  const wallet = await newWallet(bank);
  const payment_id = newKey();
  await wallet.pay({ payment_id, billing: euro('40.00') });
  const record = { pan: wallet.pan, payment_id };
  const interchange = euro('0.08');
  const { file_id } = await clear([{ ...record, billing: euro('38.50'), interchange }], { deliver: 2 });
  await until(async () => (await wallet.payment(payment_id)).status === 'cleared');
  expect(await wallet.payment(payment_id)).toMatchObject({
    ...{ authorised: euro('40.00'), cleared: euro('38.50'), held: euro('0.00'), irregularities: [] },
  });
  expect(await wallet.account()).toEqual({ balance: '61.50', available: '61.50' });

  const back = await clear([{ ...record, kind: 'refund', billing: euro('8.50') }]);
  await until(async () => (await wallet.account()).balance === '70.00');
  expect(await wallet.payment(payment_id)).toMatchObject({ status: 'cleared', refunded: euro('8.50') });
  expect(await toldOf(wallet, 'card_refunded')).toEqual([
    `Corner shop has given back €8.50 to your card ending in ${wallet.card.last_four}.`,
  ]);

  const paid = await clearing.settle(SettlementWish.parse({ clearing_files: [file_id, back.file_id] }));
  expect(paid.net).toEqual(euro('29.92'));
  await until(async () => (await fileOf(paid.file_id)).status === 'settled');
  expect(await fileOf(file_id)).toMatchObject({ status: 'settled', records: 1, records_aside: 0 });

  const office = await bank.admin('cards:read');
  const { id } = await wallet.payment(payment_id);
  expect((await call(office, 'GET', `/v1/admin/card-payments/${id}`)).body).toMatchObject({
    clearings: [
      { kind: 'purchase', amount: euro('38.50'), interchange, final: true, fee: euro('0.00'), fault: null },
      { kind: 'refund', amount: euro('8.50') },
    ],
  });
});

test('what was never asked for is booked and told, and stands in the list with its irregularity', async () => {
  const wallet = await newWallet(bank);
  await clear([{ pan: wallet.pan, billing: euro('12.00') }]);
  await until(async () => (await wallet.payments()).length === 1);
  expect((await wallet.payments())[0]).toMatchObject({
    ...{ status: 'cleared', cleared: euro('12.00'), authorised: euro('0.00'), entry_mode: null },
    irregularities: [{ code: 'cleared_without_authorisation' }],
  });
  expect(await toldOf(wallet, 'card_payment')).toEqual([
    `€12.00 at Corner shop with your card ending in ${wallet.card.last_four}.`,
  ]);
});

test('of what was declined and booked all the same, the holder is told what was booked', async () => {
  const wallet = await newWallet(bank);
  const payment_id = newKey();
  expect((await wallet.pay({ payment_id, billing: euro('500.00') })).reason).toBe('insufficient_funds');
  await clear([{ pan: wallet.pan, payment_id, billing: euro('20.00') }]);
  expect(await toldOf(wallet, 'card_payment')).toEqual([
    `€20.00 at Corner shop with your card ending in ${wallet.card.last_four}.`,
  ]);
});

test('a card that is blocked, lost or replaced is cleared all the same', async () => {
  const wallet = await newWallet(bank);
  const ids = [newKey(), newKey()];
  for (const payment_id of ids) await wallet.pay({ payment_id });
  await call(wallet.holder, 'PATCH', `/v1/cards/${wallet.card.id}`, { status: 'blocked' });
  await clear([{ pan: wallet.pan, payment_id: ids[0], billing: euro('10.00') }]);
  const stepUp = await wallet.holder.stepUp('replaceCard');
  await call(wallet.holder, 'POST', `/v1/cards/${wallet.card.id}/replace`, { reason: 'lost' }, { stepUp });
  await clear([{ pan: wallet.pan, payment_id: ids[1], billing: euro('10.00') }]);
  await until(async () => (await wallet.payments()).every(({ status }) => status === 'cleared'));
  expect(await wallet.account()).toEqual({ balance: '80.00', available: '80.00' });
});

test('the back office sees a file that was refused, and the records that belong to nobody', async () => {
  const wallet = await newWallet(bank);
  const wrong = await clear([{ pan: wallet.pan, billing: euro('1.00') }], { faults: ['trailer_sum'] });
  await clear([{ pan: wallet.pan, billing: euro('1.00') }], { faults: ['truncated'] });
  const unknown = await clear([{ pan: '9999999999999995', billing: euro('3.00') }]);
  const file = await fileOf(unknown.file_id);
  const office = await bank.admin('cards:read');
  await until(async () => (await fileOf(unknown.file_id)).status === 'booked');
  expect((await call(office, 'GET', `/v1/admin/card-files/${file.id}`)).body).toMatchObject({
    ...{ records: 1, records_aside: 1, fault: null },
    aside: [{ last_four: '9995', fault: 'unknown_card', amount: euro('3.00') }],
  });
  await until(async () => {
    const listed = await call(office, 'GET', '/v1/admin/card-files?limit=200');
    const { items } = listed.as(
      z.looseObject({ items: z.array(z.looseObject({ fault: z.string().nullable() })) }),
    );
    const faults = items.map(({ fault }) => fault);
    return (
      faults.includes('its records in EUR have another sum than its trailer') &&
      faults.some((fault) => fault?.includes('cut off') === true)
    );
  });
  // nothing of it was taken
  expect(
    await bank.asOwner('select from card_files where network_id = $1 and fault is null', [wrong.file_id]),
  ).toEqual([]);
  expect(await wallet.account()).toEqual({ balance: '100.00', available: '100.00' });
});
