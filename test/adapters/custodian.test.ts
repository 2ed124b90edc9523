/**
 * The sandbox custodian over the wire: the official SDK makes every call that the bank needs, webhooks are verified as a receiver does it,
 * and what was answered survives a power cut.
 */
import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals';
import {
  TransferPeerPathType,
  TransactionRequestFeeLevelEnum,
  type TransactionRequest,
} from '@fireblocks/ts-sdk';
import { createRemoteJWKSet, flattenedVerify } from 'jose';
import { createPublicKey, randomUUID, verify } from 'node:crypto';
import { z } from 'zod';
import { WEBHOOK_ID } from '../../dev/custodian/webhooks/resend-calls.ts';
import {
  openDoor,
  Sent,
  startCustodian,
  type Arrived,
  type SandboxCustodian,
} from '../support/custodian/process.ts';
import { dataOf, failureOf } from '../support/custodian/answers.ts';
import { until } from '../support/until.ts';

const STRANGER = 'tb1qw508d6qejxtdg4y5r3zarvary0c5xw7kxpjzsx';

let door: Awaited<ReturnType<typeof openDoor>>;
let custodian: SandboxCustodian;
beforeAll(async () => {
  door = await openDoor();
  custodian = await startCustodian(door.url);
  await custodian.told('PUT', '/settings', { automatic_blocks: false, step_ms: 0 });
});
beforeEach(async () => {
  door.answer(200);
  await custodian.told('DELETE', '/faults');
  await custodian.told('PUT', '/webhooks', {
    drop: false,
    duplicate: 0,
    delay_ms: 0,
    shuffle: false,
    sign: 'good',
  });
});
afterAll(async () => {
  await custodian.stop();
  door.close();
});

const Envelope = z.looseObject({
  id: z.uuid(),
  workspaceId: z.uuid(),
  eventType: z.string(),
  resourceId: z.string(),
  createdAt: z.int(),
  data: z.looseObject({ id: z.string().optional(), status: z.string().optional() }),
});
/** What has arrived about these resources; transactions of other tests may still be on their way. */
const arrivedAbout = (...resources: string[]) =>
  door.arrived
    .map((arrived) => ({ arrived, message: Envelope.safeParse(JSON.parse(arrived.body.toString())).data }))
    .flatMap(({ arrived, message }) =>
      message !== undefined && resources.includes(message.resourceId) ? [{ arrived, message }] : [],
    );
const messages = (...resources: string[]) => arrivedAbout(...resources).map(({ message }) => message);

/** A vault with wallets of these assets. */
async function newVault(...assets: string[]): Promise<string> {
  const { vaults } = custodian.fireblocks;
  const name = `u:${randomUUID()}`;
  const request = { createVaultAccountRequest: { name, hiddenOnUI: true, customerRefId: name } };
  const { id = '' } = await dataOf(vaults.createVaultAccount({ ...request, idempotencyKey: randomUUID() }));
  for (const assetId of assets) await vaults.createVaultAccountAsset({ vaultAccountId: id, assetId });
  // waits for the messages of that
  await custodian.told('POST', '/webhooks/retry');
  return id;
}

const deposit = async (body: object) => Sent.parse(await custodian.told('POST', '/deposits', body));
const blocks = (network: string, count: number) => custodian.told('POST', '/blocks', { network, count });

const order = (vault: string, more: TransactionRequest = {}): TransactionRequest => ({
  ...{ assetId: 'BTC_TEST', amount: '0.1', externalTxId: randomUUID() },
  source: { type: TransferPeerPathType.VaultAccount, id: vault },
  destination: { type: TransferPeerPathType.OneTimeAddress, oneTimeAddress: { address: STRANGER } },
  ...more,
});
const send = (
  transactionRequest: TransactionRequest,
  idempotencyKey: string = randomUUID(),
  client = custodian.fireblocks,
) => client.transactions.createTransaction({ transactionRequest, idempotencyKey });
const statusOf = async (txId: string) =>
  (await dataOf(custodian.fireblocks.transactions.getTransaction({ txId }))).status;

async function funded(): Promise<string> {
  const vault = await newVault('BTC_TEST');
  await deposit({ vault_id: vault, asset: 'BTC_TEST', amount: '1' });
  await blocks('bitcoin', 3);
  return vault;
}

test('the official SDK makes every call that the bank needs, and none is refused', async () => {
  const { vaults, transactions, blockchainsAssets } = custodian.fireblocks;
  const vault = await newVault('BTC_TEST', 'XRP_TEST', 'ETH_TEST5');
  const wallet = { vaultAccountId: vault, assetId: 'BTC_TEST' };
  const { name = '' } = await dataOf(vaults.getVaultAccount({ vaultAccountId: vault }));
  const found = await dataOf(vaults.getPagedVaultAccounts({ namePrefix: name, limit: 1 }));
  expect(found.accounts).toMatchObject([{ id: vault, name, customerRefId: name, hiddenOnUI: true }]);
  const further = await dataOf(
    vaults.createVaultAccountAssetAddress({ ...wallet, createAddressRequest: {} }),
  );
  const { addresses } = await dataOf(vaults.getVaultAccountAssetAddressesPaginated(wallet));
  expect(addresses?.map(({ address }) => address)).toContain(further.address);
  const tagged = await dataOf(
    vaults.createVaultAccountAssetAddress({ vaultAccountId: vault, assetId: 'XRP_TEST' }),
  );
  expect(tagged.tag).toMatch(/^\d+$/);
  await deposit({ address: further.address, asset: 'BTC_TEST', amount: '0.3' });
  await blocks('bitcoin', 3);
  const balance = { total: '0.3', available: '0.3', pending: '0', frozen: '0', lockedAmount: '0' };
  expect(await dataOf(vaults.getVaultAccountAsset(wallet))).toMatchObject(balance);
  expect(await dataOf(vaults.updateVaultAccountAssetBalance(wallet))).toMatchObject(balance);
  expect((await dataOf(vaults.getVaultAssets())).map(({ id }) => id)).toContain('BTC_TEST');

  const request = order(vault, { feeLevel: TransactionRequestFeeLevelEnum.High });
  const fees = await dataOf(transactions.estimateTransactionFee({ transactionRequest: request }));
  const { id: txId = '', status } = await dataOf(send(request));
  expect(status).toBe('SUBMITTED');
  await blocks('bitcoin', 3);
  const sent = await dataOf(transactions.getTransaction({ txId }));
  expect(sent).toMatchObject({
    ...{ status: 'COMPLETED', subStatus: 'CONFIRMED', numOfConfirmations: 3, destinationAddress: STRANGER },
    ...{ amountInfo: { amount: '0.1' }, feeInfo: { networkFee: fees.high.networkFee } },
  });
  const { externalTxId = '' } = request;
  expect(await dataOf(transactions.getTransactionByExternalId({ externalTxId }))).toEqual(sent);
  const left = { total: '0.19998308', available: '0.19998308' };
  expect(await dataOf(vaults.getVaultAccountAsset(wallet))).toMatchObject(left);
  expect(await dataOf(transactions.cancelTransaction({ txId }))).toEqual({ success: false });
  expect(await dataOf(transactions.estimateNetworkFee({ assetId: 'ETH_TEST5' }))).toHaveProperty(
    'medium.gasPrice',
  );
  const check = { assetId: 'BTC_TEST', address: STRANGER };
  expect(await dataOf(transactions.validateAddress(check))).toMatchObject({ isValid: true });
  expect((await dataOf(blockchainsAssets.getSupportedAssets())).map(({ id }) => id)).toContain(
    'TRX_USDT_TEST',
  );

  const { items } = z
    .object({
      items: z.array(
        z.looseObject({ status: z.number().nullable().optional(), user_agent: z.string().optional() }),
      ),
    })
    .parse(await custodian.told('GET', '/log'));
  const calls = items.filter(({ user_agent: agent }) => agent?.includes('bank') === true);
  expect(calls.length).toBeGreaterThan(15);
  expect(calls.filter((call) => call.status !== 200)).toEqual([]);
});

test('a list of transactions is read page by page, each transaction once', async () => {
  const { transactions } = custodian.fireblocks;
  const vault = await newVault('BTC_TEST');
  const expected = [];
  for (let time = 0; time < 5; time += 1)
    expected.push((await deposit({ vault_id: vault, asset: 'BTC_TEST', amount: '1' })).tx_id);
  const found: (string | undefined)[] = [];
  let next: string | undefined;
  do {
    const query = { orderBy: 'lastUpdated', sort: 'ASC', limit: 2, destId: vault } as const;
    const page = await transactions.getTransactions({ ...query, ...(next === undefined ? {} : { next }) });
    found.push(...page.data.map(({ id }) => id));
    const link = z.string().optional().parse(page.headers['next-page']);
    next = link === undefined ? undefined : (new URL(link).searchParams.get('next') ?? undefined);
  } while (next !== undefined);
  expect(found).toEqual(expected);
});

test('a call that is made again has one effect: the key has its first answer, the external id is taken for ever', async () => {
  const vault = await funded();
  const [request, key] = [order(vault), randomUUID()];
  const first = await dataOf(send(request, key));
  expect(await dataOf(send(request, key))).toEqual(first);
  expect(await failureOf(send(request))).toMatchObject({ status: 400, code: 1438 });
  expect(await failureOf(send(order(vault), 'k'.repeat(41)))).toMatchObject({ status: 400 });
  const again = custodian.fireblocks.vaults.createVaultAccountAsset({
    vaultAccountId: vault,
    assetId: 'BTC_TEST',
  });
  expect(await failureOf(again)).toMatchObject({ status: 400 });
  const unknown = custodian.fireblocks.vaults.getVaultAccount({ vaultAccountId: '999999' });
  expect(await failureOf(unknown)).toMatchObject({ status: 404, code: 1004 });
});

test('a transaction whose answer never came is found by its external id, and is there once', async () => {
  const vault = await funded();
  const [request, key] = [order(vault), randomUUID()];
  await custodian.told('POST', '/faults', { call: 'create_transaction', fault: 'timeout_after_commit' });
  const failure = await failureOf(send(request, key, custodian.impatient));
  expect(failure).toMatchObject({ status: undefined, message: expect.stringContaining('timeout') });
  const { externalTxId = '' } = request;
  const { transactions } = custodian.fireblocks;
  const lookUp = () => dataOf(transactions.getTransactionByExternalId({ externalTxId }));
  // the client may have given up before it was carried out
  await until(() => lookUp().then(Boolean, () => false));
  const found = await lookUp();
  expect(await dataOf(send(request, key))).toMatchObject({ id: found.id });
  expect(await failureOf(send(request))).toMatchObject({ code: 1438 });
  expect(await dataOf(transactions.getTransactions({ sourceId: vault }))).toHaveLength(1);
});

test('after an internal error neither key nor external id can be used again, and there is no transaction', async () => {
  const vault = await funded();
  const [request, key] = [order(vault), randomUUID()];
  await custodian.told('POST', '/faults', { call: 'create_transaction', fault: 'http_500' });
  expect(await failureOf(send(request, key))).toMatchObject({ status: 500 });
  expect(await failureOf(send(request, key))).toMatchObject({ status: 400, code: undefined });
  expect(await failureOf(send(request))).toMatchObject({ status: 400, code: 1438 });
  const { externalTxId = '' } = request;
  const lookUp = custodian.fireblocks.transactions.getTransactionByExternalId({ externalTxId });
  expect(await failureOf(lookUp)).toMatchObject({ status: 404 });
  expect(await dataOf(custodian.fireblocks.transactions.getTransactions({ sourceId: vault }))).toEqual([]);
});

test.each([
  ['refuse', 401, -8],
  ['http_503', 503, undefined],
  ['http_429', 429, undefined],
  ['timeout', undefined, undefined],
])('a call with the fault %s does nothing, and is answered with %s', async (fault, status, code) => {
  const before = z.object({ items: z.array(z.unknown()) }).parse(await custodian.told('GET', '/vaults'));
  await custodian.told('POST', '/faults', { call: 'create_vault', fault });
  const client = fault === 'timeout' ? custodian.impatient : custodian.fireblocks;
  const failure = await failureOf(
    client.vaults.createVaultAccount({ createVaultAccountRequest: { name: 'never' } }),
  );
  expect(failure).toMatchObject({ status, code });
  if (fault === 'http_429') expect(failure.headers).toMatchObject({ 'retry-after': '1' });
  expect(await custodian.told('GET', '/vaults')).toEqual(before);
});

test('a transaction that still waits can be cancelled, and one is decided otherwise if the control says so', async () => {
  const vault = await funded();
  await custodian.told('PUT', '/next', { status: 'PENDING_AUTHORIZATION' });
  const { id: waiting = '' } = await dataOf(send(order(vault)));
  expect(await dataOf(custodian.fireblocks.transactions.cancelTransaction({ txId: waiting }))).toEqual({
    success: true,
  });
  expect(await statusOf(waiting)).toBe('CANCELLED');
  await custodian.told('PUT', '/next', { status: 'BLOCKED', sub_status: 'BLOCKED_BY_POLICY' });
  const { id: blocked = '' } = await dataOf(send(order(vault)));
  await until(async () => (await statusOf(blocked)) === 'BLOCKED');
  await custodian.told('PUT', '/next', { status: 'stuck' });
  const { id: stuck = '' } = await dataOf(send(order(vault)));
  await blocks('bitcoin', 2);
  expect(await statusOf(stuck)).toBe('CONFIRMING');
  await custodian.told('POST', `/transactions/${stuck}`, { status: 'COMPLETED', network_fee: '0.00001' });
  const { feeInfo } = await dataOf(custodian.fireblocks.transactions.getTransaction({ txId: stuck }));
  expect(feeInfo).toMatchObject({ networkFee: '0.00001' });
});

test('estimates follow the market, and a transaction that waits is replaced, dropped or paid for by a child', async () => {
  const { transactions } = custodian.fireblocks;
  const vault = await newVault('BTC_TEST', 'ETH_TEST5');
  for (const [asset, network] of [
    ['BTC_TEST', 'bitcoin'],
    ['ETH_TEST5', 'ethereum'],
  ] as const) {
    await deposit({ vault_id: vault, asset, amount: '2' });
    await blocks(network, 12);
  }
  const { Low, High } = TransactionRequestFeeLevelEnum;
  const destination = {
    type: TransferPeerPathType.OneTimeAddress,
    oneTimeAddress: { address: '0x7E5F4552091A69125d5DfCb7b8C2659029395Bdf' },
  };
  const low = async () =>
    (await dataOf(transactions.estimateNetworkFee({ assetId: 'ETH_TEST5' }))).low.gasPrice;
  const before = await low();
  const ether = order(vault, { assetId: 'ETH_TEST5', destination, feeLevel: Low });
  const sent = [
    await send(ether),
    await send({ ...ether, externalTxId: randomUUID() }),
    await send(order(vault)),
  ];
  const [first = '', second = '', parent = ''] = sent.map(({ data }) => data.id);
  await blocksAt('ethereum', 'high');
  await blocksAt('bitcoin', 'high');
  expect(Number(await low())).toBe(Number(before) * 10);
  expect(await Promise.all([first, second, parent].map(statusOf))).toEqual(Array(3).fill('CONFIRMING'));

  const hashOf = async (txId: string) => (await dataOf(transactions.getTransaction({ txId }))).txHash ?? '';
  const cheap = send({ ...ether, externalTxId: randomUUID(), replaceTxByHash: await hashOf(first) });
  expect((await dataOf(cheap)).status).toBe('SUBMITTED');
  const dropping = await dataOf(transactions.dropTransaction({ txId: second }));
  expect(dropping.replacedTxHash).toBe(await hashOf(second));
  const inputsToSpend = [{ txHash: await hashOf(parent), index: 0 }];
  const child = order(vault, {
    ...{ feeLevel: High, extraParameters: { inputsSelection: { inputsToSpend } } },
    destination: { type: TransferPeerPathType.VaultAccount, id: vault },
  });
  const { id: childId = '' } = await dataOf(send(child));
  await blocks('ethereum', 12);
  await blocks('bitcoin', 3);
  expect(await Promise.all([first, second, parent, childId].map(statusOf))).toEqual([
    ...['FAILED', 'FAILED', 'COMPLETED', 'COMPLETED'],
  ]);
  const again = send({ ...ether, externalTxId: randomUUID(), replaceTxByHash: await hashOf(first) });
  expect(await failureOf(again)).toMatchObject({ status: 400 });
  for (const network of ['ethereum', 'bitcoin'])
    await custodian.told('PUT', '/fees', { network, level: 'low' });
});

/** Sets the market, and mines what it still takes. */
async function blocksAt(network: string, level: string): Promise<void> {
  await custodian.told('PUT', '/fees', { network, level });
  await blocks(network, 1);
}

test('a reorganisation is told: the deposit has no confirmation any more, and another block has it after the next one', async () => {
  const vault = await newVault('BTC_TEST');
  const { tx_id: txId } = await deposit({ vault_id: vault, asset: 'BTC_TEST', amount: '1' });
  await blocks('bitcoin', 3);
  const blockOf = async () =>
    (await dataOf(custodian.fireblocks.transactions.getTransaction({ txId }))).blockInfo?.blockHash;
  const before = await blockOf();
  door.arrived.length = 0;
  await custodian.told('POST', '/reorgs', { network: 'bitcoin', depth: 3 });
  expect(
    messages(txId, vault).map(({ data }) => [data.status, data['numOfConfirmations'], data['pending']]),
  ).toEqual([
    ['CONFIRMING', 0, undefined],
    [undefined, undefined, '1'],
  ]);
  await blocks('bitcoin', 3);
  expect(await statusOf(txId)).toBe('COMPLETED');
  expect(await blockOf()).not.toBe(before);
  await custodian.told('POST', '/reorgs', { network: 'bitcoin', depth: 3, vanish: true });
  expect(await dataOf(custodian.fireblocks.transactions.getTransaction({ txId }))).toMatchObject({
    ...{ status: 'FAILED', subStatus: 'DROPPED_BY_BLOCKCHAIN', blockInfo: {} },
  });
});

/** Verifies as the bank does: the detached signature over the raw bytes, by the published keys, RS512 alone. */
async function verified({ headers, body }: Arrived): Promise<string | undefined> {
  const [header = '', empty, signature = ''] = String(headers['fireblocks-webhook-signature']).split('.');
  expect(empty).toBe('');
  const keys = createRemoteJWKSet(new URL(`${custodian.api}/.well-known/jwks.json`));
  const jws = { protected: header, payload: body.toString('base64url'), signature };
  const { protectedHeader } = await flattenedVerify(jws, keys, { algorithms: ['RS512'] });
  return protectedHeader?.kid;
}

test('webhooks tell of each step of a deposit, signed so that a receiver can verify them', async () => {
  const vault = await newVault('ETH_TEST5');
  door.arrived.length = 0;
  const {
    tx_id: id,
    tx_hash: hash,
    webhooks,
  } = await deposit({
    ...{ vault_id: vault, asset: 'ETH_TEST5', amount: '1.000000000000000001' },
  });
  expect(webhooks).toEqual({ delivered: 2, failed: 0, waiting: 0 });
  await blocks('ethereum', 12);
  const told = messages(id, vault);
  expect(new Set(told.map((message) => message.id)).size).toBe(told.length);
  const ofTransaction = told.filter(({ resourceId }) => resourceId === id);
  expect(
    ofTransaction.map(({ eventType, data }) => [eventType, data.status, data['numOfConfirmations']]),
  ).toEqual([
    ['transaction.created', 'CONFIRMING', 0],
    ...Array.from({ length: 11 }, (_, at) => ['transaction.status.updated', 'CONFIRMING', at + 1]),
    ['transaction.status.updated', 'COMPLETED', 12],
  ]);
  expect(ofTransaction.at(-1)?.data).toMatchObject({
    ...{ txHash: hash, assetId: 'ETH_TEST5', amountInfo: { amount: '1.000000000000000001' } },
    ...{ destination: { type: 'VAULT_ACCOUNT', id: vault }, source: { type: 'UNKNOWN' } },
  });
  expect(told.at(-1)).toMatchObject({
    eventType: 'vault_account.asset.balance_updated',
    data: { assetId: 'ETH_TEST5', vaultAccountId: vault, total: '1.000000000000000001', pending: '0' },
  });
  for (const { arrived } of arrivedAbout(id, vault)) await verified(arrived);
});

test('after a rotation the new key signs and the old one is still published, and each wrong signature is wrong', async () => {
  const vault = await newVault('BTC_TEST');
  const one = async (sign: string): Promise<Arrived> => {
    door.arrived.length = 0;
    await custodian.told('PUT', '/webhooks', { sign });
    const { tx_hash: hash } = await deposit({ vault_id: vault, asset: 'BTC_TEST', amount: '1' });
    // found by its hash: of what was tampered with another digit may have changed
    const found = door.arrived.find(({ body }) => body.includes(hash));
    if (found === undefined) throw new Error('no message came');
    return found;
  };
  const before = await verified(await one('good'));
  const { kid } = z.object({ kid: z.string() }).parse(await custodian.told('POST', '/keys/rotate'));
  expect(await verified(await one('good'))).toBe(kid);
  expect(await verified(await one('old_key'))).toBe(before);
  await expect(verified(await one('tampered'))).rejects.toThrow('signature verification failed');
  await expect(verified(await one('unknown_key'))).rejects.toThrow('no applicable key');
  expect((await one('none')).headers).not.toHaveProperty('fireblocks-webhook-signature');
  const { headers, body } = await one('legacy_only');
  expect(headers).not.toHaveProperty('fireblocks-webhook-signature');
  const { keys } = z
    .object({ keys: z.array(z.looseObject({ kid: z.string(), kty: z.string() })) })
    .parse(await (await fetch(`${custodian.api}/.well-known/jwks.json`)).json());
  const jwk = keys.find((key) => key.kid === kid) ?? { kty: '' };
  const signature = Buffer.from(String(headers['fireblocks-signature']), 'base64');
  expect(verify('sha512', body, createPublicKey({ key: jwk, format: 'jwk' }), signature)).toBe(true);
});

test('messages get lost, come twice or are refused as the control says, and can be had again', async () => {
  const vault = await newVault('BTC_TEST');
  const { webhooksV2 } = custodian.fireblocks;
  const wish = { vault_id: vault, asset: 'BTC_TEST', amount: '1' };
  door.arrived.length = 0;
  await custodian.told('PUT', '/webhooks', { drop: true });
  const lost = await deposit(wish);
  expect(lost.webhooks).toEqual({ delivered: 0, failed: 2, waiting: 0 });
  expect(messages(lost.tx_id, vault)).toEqual([]);
  await webhooksV2.resendNotificationsByResourceId({
    ...{ webhookId: WEBHOOK_ID, resendNotificationsByResourceIdRequest: { resourceId: lost.tx_id } },
  });
  await until(() => messages(lost.tx_id).length > 0);

  await custodian.told('PUT', '/webhooks', { drop: false, duplicate: 2, shuffle: true });
  const { tx_id: twice } = await deposit(wish);
  const ids = messages(twice, vault).map(({ id }) => id);
  expect([ids.length, new Set(ids).size]).toEqual([6, 2]);

  await custodian.told('PUT', '/webhooks', { duplicate: 0, shuffle: false });
  door.answer(503);
  const away = await deposit(wish);
  expect(away.webhooks).toMatchObject({ delivered: 0, failed: 2 });
  door.answer(200);
  expect(await custodian.told('POST', '/webhooks/retry')).toMatchObject({ webhooks: { failed: 0 } });
  const [attempt, next, ...more] = messages(away.tx_id).map(({ id }) => id);
  expect([next, more]).toEqual([attempt, []]);

  door.answer(400);
  const { tx_id: final } = await deposit(wish);
  door.answer(200);
  await custodian.told('POST', '/webhooks/retry');
  expect(messages(final)).toHaveLength(1);
  const [refused] = messages(final);
  await webhooksV2.resendNotificationById({ webhookId: WEBHOOK_ID, notificationId: refused?.id ?? '' });
  await until(() => messages(final).length === 2);
});

test('any bytes can be sent to the door with any signature, and its answer is seen', async () => {
  door.arrived.length = 0;
  door.answer(418);
  const raw = { body: '{"id": 1.0}', sign: 'good', headers: { 'X-Test': 'yes' } };
  expect(await custodian.told('POST', '/webhooks/raw', raw)).toEqual({ status: 418, body: 'answered 418' });
  const arrived = door.arrived.find(({ body }) => body.toString() === raw.body);
  expect(arrived?.headers).toMatchObject({ 'x-test': 'yes' });
  const { status } = await custodian.control('POST', '/webhooks/raw', { sign: 'good' });
  expect(status).toBe(400);
});

test.each([
  ['/deposits', { vault_id: '0', asset: 'NOTHING', amount: '1' }, 'asset'],
  ['/deposits', { vault_id: '0', asset: 'BTC_TEST', amount: '0.000000001' }, 'amount'],
  ['/deposits', { address: STRANGER, asset: 'BTC_TEST', amount: '1' }, 'address'],
  ['/deposits', { asset: 'BTC_TEST', amount: '1' }, 'vault_id'],
  ['/deposits', { vault_id: '0', asset: 'BTC_TEST', amount: '1', source_address: 'me' }, 'source_address'],
  ['/blocks', { network: 'bitcoin', count: 0 }, 'count'],
  ['/reorgs', { network: 'nowhere', depth: 1 }, 'network'],
])('the control refuses POST %s %j and names %s', async (path, body, field) => {
  expect(await custodian.control('POST', path, body)).toMatchObject({
    status: 400,
    body: { detail: expect.stringContaining(field) },
  });
});

test('one transaction can have outputs for several vaults, and a token of an unknown contract is an asset of its own', async () => {
  const [one, other] = [await newVault('BTC_TEST'), await newVault('BTC_TEST', 'USDC_ETH_TEST5_0GER')];
  const [first, second] = await Promise.all(
    [one, other].map(async (vaultAccountId) => {
      const { vaults } = custodian.fireblocks;
      const found = await dataOf(
        vaults.getVaultAccountAssetAddressesPaginated({ vaultAccountId, assetId: 'BTC_TEST' }),
      );
      return found.addresses?.[0]?.address ?? '';
    }),
  );
  const outputs = [first, STRANGER, second].map((address) => ({ address, amount: '0.1' }));
  const { tx_ids: ids, tx_hash: hash } = await deposit({ asset: 'BTC_TEST', outputs });
  const found = await dataOf(
    custodian.fireblocks.transactions.getTransactions({ txHash: hash, sort: 'ASC' }),
  );
  expect(found.map(({ id, destination }) => [id, destination?.id])).toEqual([
    [ids[0], one],
    [ids[1], other],
  ]);
  const token = {
    asset: 'USDC_ETH_TEST5_0GER',
    amount: '5',
    contract: '0x000000000000000000000000000000000000dEaD',
  };
  const { tx_id: txId } = await deposit({ vault_id: other, ...token });
  const { assetId } = await dataOf(custodian.fireblocks.transactions.getTransaction({ txId }));
  expect(assetId).toMatch(/^USDC_ETH_TEST5_0GER_[0-9A-F]{4}$/);
});

test('after a power cut everything that was answered is still there, and what was not told is told', async () => {
  const vault = await newVault('BTC_TEST');
  door.answer(503);
  const { tx_id: txId } = await deposit({ vault_id: vault, asset: 'BTC_TEST', amount: '0.7' });
  const before = [await custodian.told('GET', '/vaults'), await custodian.told('GET', '/transactions')];
  const jwks = async () => (await fetch(`${custodian.api}/.well-known/jwks.json`)).text();
  const published = await jwks();
  door.answer(200);
  door.arrived.length = 0;
  await custodian.restart();
  expect([await custodian.told('GET', '/vaults'), await custodian.told('GET', '/transactions')]).toEqual(
    before,
  );
  expect(await jwks()).toBe(published);
  await until(() => messages(txId).length > 0);
  await blocks('bitcoin', 3);
  expect(await statusOf(txId)).toBe('COMPLETED');
});
