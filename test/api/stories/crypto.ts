/** The happy paths of coins. */
import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import type { Bank, Person } from '../../support/bank/bank.ts';
import { call, Listed } from '../../support/bank/accounts.ts';
import { newDepositUnderReview } from '../../support/bank/coins.ts';
import { payerWith } from '../../support/bank/transfers.ts';
import { newKey } from '../../support/client.ts';
import { SignedBody } from '../../support/custodian/control.ts';
import { custodianControl } from '../../support/custodian/shared.ts';
import { until } from '../../support/until.ts';
import { perform, performBesideAnother, type Made as Call, type Stories } from '../story.ts';

const office = (bank: Bank): Promise<Person> => bank.admin('crypto:read');
const COIN = '/v1/admin/crypto/assets/LTC';
const LIMITS = '/v1/admin/crypto/limits/withdrawal';
/** What a new bank has, with a level more: nobody's limit changes. */
const SAME_LIMITS = [
  [0, '1000.00', '5000.00'],
  [1, '10000.00', '50000.00'],
  [2, '100000.00', '500000.00'],
  [9, '100000.00', '500000.00'],
].map(([kyc_level, day, month]) => ({
  kyc_level,
  last_24_hours: { amount: day, currency: 'EUR' },
  last_30_days: { amount: month, currency: 'EUR' },
}));
const NETWORK = '/v1/admin/crypto/networks/LTC/litecoin';

/** The story's coin is offered; what else is offered in this bank is nobody's wallet here. */
async function offered(bank: Bank): Promise<void> {
  await bank.asOwner(`update crypto_assets set enabled = true where asset = 'BTC'`);
  await bank.asOwner(`update asset_networks set enabled = true where asset = 'BTC'`);
}
const ASSETS = '/v1/crypto/assets?asset=BTC';
const DEPOSITS = '/v1/crypto/deposits';
const TRANSACTIONS = '/v1/crypto/transactions';

/** Somebody with a wallet. */
async function receiver(bank: Bank): Promise<Person> {
  await offered(bank);
  const person = await bank.customer();
  await call(person, 'GET', ASSETS);
  return person;
}

/** A wallet that is open. */
async function walletOf(person: Person): Promise<string> {
  const query = { status: 'active' };
  const open = async () =>
    (await call(person, 'GET', '/v1/crypto/wallets', undefined, { query })).as(Listed).items;
  await until(async () => (await open()).length > 0);
  return String((await open())[0]?.id);
}

/** Somebody to whom coins are on their way. */
async function expectant(bank: Bank): Promise<Person> {
  const person = await receiver(bank);
  await walletOf(person);
  const [wallet] = await bank.asOwner(`select address from crypto_wallets where user_id = $1`, [person.id]);
  const wish = { address: wallet?.['address'], asset: 'BTC_TEST', amount: '0.015' };
  await custodianControl('POST', '/deposits', wish);
  const seen = () => call(person, 'GET', DEPOSITS);
  await until(async () => (await seen()).as(Listed).items.length > 0);
  return person;
}

/** Somebody who had coins one day. */
async function holderInThePast(bank: Bank): Promise<Person> {
  const person = await bank.customer();
  const day = ['2001-02-03', 'BTC'];
  await bank.asOwner(
    `insert into crypto_snapshot_days (day, asset, currency, taken_at) values ($1, $2, 'EUR', $1::date) on conflict do nothing`,
    day,
  );
  await bank.asOwner('insert into crypto_snapshots (day, asset, user_id, balance) values ($1, $2, $3, 7)', [
    ...[...day, person.id],
  ]);
  return person;
}

/** A coin that nobody offers, whose price has jumped. */
async function breakerOpen(bank: Bank): Promise<void> {
  await bank.asOwner(
    `insert into coin_prices (asset, currency, breaker_opened_at, breaker_price) values ('TRX', 'EUR', now(), 1)
       on conflict (asset, currency) do update set breaker_opened_at = now(), breaker_price = 1`,
  );
}

/** Somebody to whom coins were credited. */
async function credited(bank: Bank): Promise<Person> {
  const person = await expectant(bank);
  await custodianControl('POST', '/blocks', { network: 'bitcoin', count: 3 });
  const booked = () => call(person, 'GET', TRANSACTIONS);
  await until(async () => (await booked()).as(Listed).items.length > 0);
  return person;
}

/** Somebody with money, and a coin that has a price. */
async function buyer(bank: Bank): Promise<{ readonly person: Person; readonly wish: object }> {
  await offered(bank);
  const { customer: person, from: account } = await payerWith(bank, '100.00');
  const wish = {
    side: 'buy',
    asset: 'BTC',
    account_id: account.id,
    spend: { amount: '50.00', currency: 'EUR' },
  };
  // workers ask for prices every few seconds
  await until(async () => (await call(person, 'POST', QUOTES, wish)).status === 200);
  return { person, wish };
}
const Made = z.looseObject({ id: z.uuid() });
const QUOTES = '/v1/crypto/quotes';
const ORDERS = '/v1/crypto/orders';

/** A quote that nobody has used. */
async function quoted(bank: Bank): Promise<{ readonly person: Person; readonly quote: string }> {
  const { person, wish } = await buyer(bank);
  return { person, quote: (await call(person, 'POST', QUOTES, wish)).as(Made).id };
}

/** An order of somebody. */
async function ordered(bank: Bank): Promise<{ readonly person: Person; readonly order: string }> {
  const { person, quote } = await quoted(bank);
  const order = await call(person, 'POST', ORDERS, { quote_id: quote });
  return { person, order: order.as(Made).id };
}

/** An event as the custodian signs it. */
async function signedEvent(): Promise<Pick<Call, 'bytes' | 'headers'>> {
  const event = { id: randomUUID(), eventType: 'vault_account.created', resourceId: '0', data: {} };
  const signed = await custodianControl('POST', '/webhooks/sign', { body: JSON.stringify(event) });
  const { body_base64, headers } = SignedBody.parse(signed);
  return { bytes: new Uint8Array(Buffer.from(body_base64, 'base64')), headers };
}

export const crypto: Stories = {
  takeCustodianWebhook: async (bank) => {
    const made = { method: 'POST', path: '/v1/crypto/webhooks/custodian', ...(await signedEvent()) } as const;
    return perform(await bank.customer(), made);
  },
  listCryptoAssets: async (bank) => perform(await receiver(bank), { method: 'GET', path: ASSETS }),
  listCryptoWallets: async (bank) =>
    perform(await receiver(bank), { method: 'GET', path: '/v1/crypto/wallets' }),
  listCryptoDeposits: async (bank) => perform(await expectant(bank), { method: 'GET', path: DEPOSITS }),
  getCryptoPortfolio: async (bank) =>
    perform(await expectant(bank), { method: 'GET', path: '/v1/crypto/portfolio' }),
  getCryptoBalanceHistory: async (bank) =>
    perform(await holderInThePast(bank), { method: 'GET', path: '/v1/crypto/balance-history' }),
  listCryptoPrices: async (bank) =>
    perform(await office(bank), { method: 'GET', path: '/v1/admin/crypto/prices' }),
  listCryptoReserves: async (bank) => {
    const admin = await office(bank);
    const path = '/v1/admin/crypto/reserves';
    // workers count every few seconds
    const Counted = z.object({ items: z.array(z.looseObject({})) });
    await until(async () => (await call(admin, 'GET', path)).as(Counted).items.length > 0);
    return perform(admin, { method: 'GET', path });
  },
  resetCryptoBreaker: async (bank) => {
    await breakerOpen(bank);
    const path = '/v1/admin/crypto/breakers/TRX/reset';
    return perform(await bank.admin('crypto:write'), { method: 'POST', path, key: newKey() });
  },
  quoteCryptoOrder: async (bank) => {
    const { person, wish } = await buyer(bank);
    const made = { method: 'POST', path: QUOTES, body: wish, key: newKey() } as const;
    return perform(person, made, { otherBody: { ...wish, spend: { amount: '60.00', currency: 'EUR' } } });
  },
  createCryptoOrder: async (bank) => {
    const { person, quote } = await quoted(bank);
    const made = { method: 'POST', path: ORDERS, body: { quote_id: quote }, key: newKey() } as const;
    return perform(person, made, { otherBody: { quote_id: randomUUID() } });
  },
  listCryptoOrders: async (bank) => perform((await ordered(bank)).person, { method: 'GET', path: ORDERS }),
  getCryptoOrder: async (bank) => {
    const { person, order } = await ordered(bank);
    return perform(person, { method: 'GET', path: `${ORDERS}/${order}` });
  },
  listCryptoTransactions: async (bank) =>
    perform(await credited(bank), { method: 'GET', path: TRANSACTIONS }),
  listCryptoWalletsAsAdmin: async (bank) => {
    const { id } = await receiver(bank);
    return perform(await office(bank), { method: 'GET', path: `/v1/admin/crypto/wallets?user_id=${id}` });
  },
  listCryptoDepositsAsAdmin: async (bank) => {
    await newDepositUnderReview(bank);
    return perform(await office(bank), { method: 'GET', path: '/v1/admin/crypto/deposits' });
  },
  getCryptoDepositAsAdmin: async (bank) => {
    const path = `/v1/admin/crypto/deposits/${await newDepositUnderReview(bank)}`;
    return perform(await office(bank), { method: 'GET', path });
  },
  releaseCryptoDeposit: async (bank) => {
    const path = `/v1/admin/crypto/deposits/${await newDepositUnderReview(bank)}/release`;
    const body = { user_id: (await bank.customer()).id, reason: 'The payer has shown it' };
    const made = { method: 'POST', path, key: newKey(), body } as const;
    return performBesideAnother(bank, await bank.admin('crypto:read', 'crypto:write'), made, {
      otherBody: { ...body, reason: 'Another' },
    });
  },
  refreshCryptoWallet: async (bank) => {
    const path = `/v1/admin/crypto/wallets/${await walletOf(await receiver(bank))}/refresh`;
    return perform(await bank.admin('crypto:write'), { method: 'POST', path });
  },
  listCryptoAssetsAsAdmin: async (bank) =>
    perform(await office(bank), { method: 'GET', path: '/v1/admin/crypto/assets' }),
  getCryptoAssetAsAdmin: async (bank) => perform(await office(bank), { method: 'GET', path: COIN }),
  updateCryptoAsset: async (bank) =>
    performBesideAnother(bank, await bank.admin('crypto:write'), {
      ...{ method: 'PATCH', path: COIN, body: { breaker_bps: 900 } },
    }),
  listCryptoNetworks: async (bank) =>
    perform(await office(bank), { method: 'GET', path: '/v1/admin/crypto/networks' }),
  getCryptoNetwork: async (bank) => perform(await office(bank), { method: 'GET', path: NETWORK }),
  updateCryptoNetwork: async (bank) =>
    performBesideAnother(bank, await bank.admin('crypto:write'), {
      ...{ method: 'PATCH', path: NETWORK, body: { confirmations: 7 } },
    }),
  listCryptoLimits: async (bank) =>
    perform(await office(bank), { method: 'GET', path: '/v1/admin/crypto/limits' }),
  getCryptoLimits: async (bank) => perform(await office(bank), { method: 'GET', path: LIMITS }),
  putCryptoLimits: async (bank) =>
    performBesideAnother(bank, await bank.admin('crypto:write'), {
      ...{ method: 'PUT', path: LIMITS, body: { limits: SAME_LIMITS } },
    }),
  checkCryptoAddress: async (bank) =>
    perform(await bank.customer(), {
      method: 'POST',
      path: '/v1/crypto/addresses/check',
      body: {
        ...{ asset: 'BTC', network: 'bitcoin' },
        address: 'tb1qw508d6qejxtdg4y5r3zarvary0c5xw7kxpjzsx',
      },
    }),
};
