/** The network simulator: it pays at the door, stands in while the bank is away, and tells what it has approved, once. */
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { createServer } from 'node:http';
import { z } from 'zod';
import { networkKeys } from '../../../adapters/card-network.ts';
import { loadConfig } from '../../../config.ts';
import { messagesOfNewestPayments } from '../../../db/queries/cards/payments.ts';
import { Wish } from '../../../dev/cards/messages.ts';
import { createNetwork, Settings, type Network } from '../../../dev/cards/network.ts';
import { paymentsPage } from '../../../dev/cards/payments.ts';
import type { Fault } from '../../../dev/simulators/faults.ts';
import { claimPorts } from '../../../tools/devstack/process/ports.ts';
import { openBank, type Bank } from '../../support/bank/bank.ts';
import { openBooks } from '../../support/bank/books.ts';
import { SHARED } from '../../support/stack/database.ts';
import { euro } from '../../support/bank/accounts.ts';
import { newWallet, type Wallet } from '../../support/bank/card-network.ts';
import { newKey } from '../../support/client.ts';
import { until } from '../../support/stack/processes.ts';
import { stack } from '../../support/stack/stack.ts';

let bank: Bank;
let wallet: Wallet;
let network: Network;
let faults: Fault[] = [];
const noted: object[] = [];
beforeAll(async () => {
  bank = openBank();
  wallet = await newWallet(bank, {}, { amount: '1000.00' });
  const [first] = networkKeys(loadConfig(stack.serviceEnv).CARD_NETWORK_KEYS);
  if (first === undefined) throw new Error('no key');
  const [kid, key] = first;
  network = createNetwork({
    ...{ door: `${stack.api}/v1/cards/network/messages`, kid, key },
    control: {
      faultOf: (call) => (call === 'message' ? faults.shift() : undefined),
      note: (_, details) => void noted.push(details),
    },
  });
  // it stands in for a bank that is away, not for one that is busy
  network.settings(Settings.parse({ deadline_ms: 60_000 }));
});
afterAll(async () => {
  network.stop();
  await bank.close();
});

const Answers = z.array(
  z.looseObject({ answered_by: z.string(), response_code: z.string().nullable(), took_ms: z.number() }),
);
async function pay(more: object = {}) {
  const { payment_id: _id, stan: _stan, rrn: _rrn, ...message } = wallet.message();
  return Answers.parse(await network.send(Wish.parse({ ...message, ...more })));
}
const settled = () => until(() => network.waiting() === 0);

test('its page shows each payment as a person reads it', async () => {
  const payment_id = newKey();
  const [first] = await pay({ payment_id, stan: '000000001' });
  expect(first).toMatchObject({ response_code: '00' });
  await pay({ payment_id, stan: '000000002', purpose: 'increment', billing: euro('5.00') });
  const back = { type: '0420', billing: euro('3.00'), stan: '000000003' };
  await pay({ payment_id, ...back });
  const books = openBooks(SHARED);
  try {
    const page = paymentsPage(await messagesOfNewestPayments.all(books.em(), { most: 1_000 }));
    const from = page.slice(page.indexOf(`payment ${payment_id}<`));
    const rows = from.slice(0, from.indexOf('</table>')).split('<tr>').slice(2);
    const cells = rows.map((row) => [...row.matchAll(/<td>(.*?)<\/td>/g)].map(([, cell]) => cell).slice(1));
    expect(cells).toEqual([
      ['000000001 asks: purchase 10.00 EUR', 'approved', '10.00 EUR', '0.00 EUR', '10.00 EUR', 'authorised'],
      ['000000002 asks: increment 5.00 EUR', 'approved', '15.00 EUR', '0.00 EUR', '15.00 EUR', 'authorised'],
      ['000000003 takes back: 3.00 EUR', 'approved', '15.00 EUR', '3.00 EUR', '12.00 EUR', 'authorised'],
    ]);
    expect(page).not.toContain(wallet.pan);
  } finally {
    await books.close();
  }
});

test('the bank answers, a repeat as before, and messages of the same moment each for itself', async () => {
  const [first, second] = await pay({ repeat: 2 });
  expect(first).toMatchObject({ answered_by: 'bank', response_code: '00' });
  expect({ ...second, took_ms: 0 }).toEqual({ ...first, took_ms: 0 });
  const before = (await wallet.payments()).length;
  expect(await pay({ parallel: 3, delay_ms: 1 })).toHaveLength(3);
  expect(await wallet.payments()).toHaveLength(before + 3);
  expect(JSON.stringify(noted)).not.toContain(wallet.pan);
});

test('while it is offline it approves up to its limit, and the bank learns of it later', async () => {
  network.settings(Settings.parse({ online: false, stand_in_limit: '20.00' }));
  const payment_id = newKey();
  const [small] = await pay({ payment_id });
  const [large] = await pay({ billing: euro('20.01') });
  expect(small).toMatchObject({ answered_by: 'stand_in', response_code: '00' });
  expect(large).toMatchObject({ answered_by: 'stand_in', response_code: '91' });
  expect(network.waiting()).toBe(1);
  network.settings(Settings.parse({ online: true }));
  await settled();
  expect(await wallet.payment(payment_id)).toMatchObject({ status: 'authorised', held: euro('10.00') });
});

test.each(['timeout_after_commit', 'refuse', 'http_503'] as const)(
  'a payment with the fault %s is held once',
  async (fault) => {
    faults = [fault];
    const payment_id = newKey();
    const [answer] = await pay({ payment_id });
    expect(answer).toMatchObject({ answered_by: 'stand_in', response_code: '00' });
    await settled();
    expect(await wallet.payment(payment_id)).toMatchObject({ held: euro('10.00') });
  },
);

test('a deadline that is missed is a reversal and an advice', async () => {
  network.settings(Settings.parse({ deadline_ms: 50 }));
  faults = ['timeout'];
  const payment_id = newKey();
  const [answer] = await pay({ payment_id });
  network.settings(Settings.parse({ deadline_ms: 60_000 }));
  expect(answer).toMatchObject({ answered_by: 'stand_in' });
  await settled();
  expect(await wallet.payment(payment_id)).toMatchObject({ held: euro('10.00'), status: 'authorised' });
});

test('a bank that is away for a while learns of each payment once, and asks for none twice', async () => {
  const block = await claimPorts();
  const away = await block.next();
  const [first] = networkKeys(loadConfig(stack.serviceEnv).CARD_NETWORK_KEYS);
  if (first === undefined) throw new Error('no key');
  const [kid, key] = first;
  const control = { faultOf: () => undefined, note: () => undefined };
  const door = `http://127.0.0.1:${String(away)}/v1/cards/network/messages`;
  const other = createNetwork({ door, kid, key, control });
  const ids = [newKey(), newKey(), newKey()];
  for (const payment_id of ids) {
    const { stan: _stan, rrn: _rrn, ...message } = wallet.message({ payment_id });
    const [answer] = Answers.parse(await other.send(Wish.parse(message)));
    expect(answer).toMatchObject({ answered_by: 'stand_in', response_code: '00' });
  }
  expect(other.waiting()).toBe(3);
  // the bank is back
  const bankAgain = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const headers = {
        'Content-Type': 'application/json',
        'Network-Signature': String(request.headers['network-signature']),
      };
      void fetch(`${stack.api}${request.url ?? ''}`, {
        method: 'POST',
        headers,
        body: Buffer.concat(chunks).toString(),
      }).then(async (answer) => response.writeHead(answer.status).end(await answer.text()));
    });
  }).listen(away, '127.0.0.1');
  await until(() => other.waiting() === 0);
  other.stop();
  bankAgain.close();
  await block.release();
  const asked = await bank.asOwner(
    'select type, count(*)::int as times from card_messages where network_id = any ($1) group by type',
    [ids],
  );
  expect(asked).toEqual([{ type: '0120', times: 3 }]);
  for (const id of ids) expect(await wallet.payment(id)).toMatchObject({ held: euro('10.00') });
});
