/** The bank reads transfers of the custodian over the real wire: exact, complete, and without one that cannot be read keeping others back. */
import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import type { Custodian, CustodyTransfer, UnreadableTransfer } from '../../adapters/custody/custodian.ts';
import { createFireblocks } from '../../adapters/custody/fireblocks.ts';
import { serveAnswers, type Answer } from '../support/custodian/answering.ts';
import { Sent, startCustodian, type SandboxCustodian } from '../support/custodian/process.ts';

const BLOCK = { hash: expect.any(String), height: expect.stringMatching(/^\d+$/) };

let sandbox: SandboxCustodian;
let bank: Custodian;
beforeAll(async () => {
  sandbox = await startCustodian();
  await sandbox.told('PUT', '/settings', { automatic_blocks: false, step_ms: 0 });
  bank = bankAt(`${sandbox.api}/v1`);
});
beforeEach(() => sandbox.told('DELETE', '/faults'));
afterAll(() => sandbox.stop());

const bankAt = (url: string): Custodian =>
  createFireblocks({
    CUSTODIAN_URL: url,
    CUSTODIAN_API_KEY: sandbox.apiKey,
    CUSTODIAN_SECRET_FILE: sandbox.keyFile,
  });
const newVault = () => bank.ensureVault({ name: `u:${randomUUID()}`, reference: null, key: randomUUID() });
const deposit = async (body: object) => Sent.parse(await sandbox.told('POST', '/deposits', body));
const blocks = (network: string, count: number) => sandbox.told('POST', '/blocks', { network, count });

async function transfer(id: string): Promise<CustodyTransfer> {
  const found = await bank.getTransfer(id);
  if (found === null || 'unreadable' in found) throw new Error(`there is no transfer ${id}`);
  return found;
}

type Told = CustodyTransfer | UnreadableTransfer;
async function listed(since: number, custodian = bank): Promise<Told[]> {
  const all: Told[] = [];
  for await (const one of custodian.transfersSince(since)) all.push(one);
  return all;
}

/** A bank at a custodian that gives these answers, one after another. */
async function answering(...answers: readonly Answer[]) {
  const server = await serveAnswers(answers);
  return { ...server, bank: bankAt(server.url) };
}

test('a deposit moves until it has all its blocks, with each digit of the chain', async () => {
  const vault = await newVault();
  const { address } = await bank.ensureWallet(vault, 'ETH_TEST5');
  const amount = '1.000000000000000001';
  const { tx_id: id, tx_hash: txHash } = await deposit({ vault_id: vault, asset: 'ETH_TEST5', amount });
  const begun = await transfer(id);
  expect(begun).toEqual({
    ...{ id, externalId: null, asset: 'ETH_TEST5', status: 'moving', txHash, index: 0, amount },
    told: 'CONFIRMING PENDING_BLOCKCHAIN_CONFIRMATIONS',
    ...{ from: { kind: 'outside' }, to: { kind: 'vault', vault }, address, memo: null },
    fromAddress: expect.stringMatching(/^0x/),
    networkFee: expect.stringMatching(/^0\.\d+$/),
    ...{ confirmations: 0, block: null },
    ...{ createdAt: expect.any(Number), lastUpdated: begun.createdAt },
  });
  await blocks('ethereum', 11);
  expect(await transfer(id)).toMatchObject({ status: 'moving', confirmations: 11, block: BLOCK });
  await blocks('ethereum', 1);
  const done = await transfer(id);
  expect(done).toMatchObject({ status: 'completed', told: 'COMPLETED CONFIRMED', confirmations: 12, amount });
  expect(done.lastUpdated).toBeGreaterThan(done.createdAt);
  expect((await listed(begun.lastUpdated)).filter((one) => one.id === id)).toEqual([done]);
});

test('each output of a transaction is a transfer, and a memo comes with it', async () => {
  const vaults = [await newVault(), await newVault()];
  const wallets = await Promise.all(vaults.map((vault) => bank.ensureWallet(vault, 'BTC_TEST')));
  const { tx_ids: ids } = await deposit({
    asset: 'BTC_TEST',
    outputs: wallets.map(({ address }, at) => ({ address, amount: `0.0000000${String(at + 1)}` })),
  });
  const both = await Promise.all(ids.map(transfer));
  expect(both).toMatchObject([
    { index: 0, amount: '0.00000001', address: wallets[0]?.address, to: { vault: vaults[0] } },
    { index: 1, amount: '0.00000002', address: wallets[1]?.address, to: { vault: vaults[1] } },
  ]);
  expect(both[0]?.txHash).toBe(both[1]?.txHash);

  const [vault = ''] = vaults;
  await bank.ensureWallet(vault, 'XRP_TEST');
  const owner = { reference: randomUUID(), key: randomUUID() };
  const { address, tag } = await bank.ensureTag(vault, 'XRP_TEST', owner);
  const { tx_id: id } = await deposit({ address, asset: 'XRP_TEST', amount: '5', memo: tag });
  expect(await transfer(id)).toMatchObject({ memo: tag, address, to: { kind: 'vault', vault } });
});

test('a reorganisation takes the block away, and one that never comes back has failed', async () => {
  const vault = await newVault();
  const { tx_id: id } = await deposit({ vault_id: vault, asset: 'BTC_TEST', amount: '1' });
  await blocks('bitcoin', 2);
  expect(await transfer(id)).toMatchObject({ status: 'moving', confirmations: 2, block: BLOCK });
  await sandbox.told('POST', '/reorgs', { network: 'bitcoin', depth: 2 });
  expect(await transfer(id)).toMatchObject({ status: 'moving', confirmations: 0, block: null });
  await blocks('bitcoin', 3);
  expect(await transfer(id)).toMatchObject({ status: 'completed' });
  await sandbox.told('POST', '/reorgs', { network: 'bitcoin', depth: 3, vanish: true });
  expect(await transfer(id)).toMatchObject({
    ...{ status: 'failed', told: 'FAILED DROPPED_BY_BLOCKCHAIN', confirmations: 0, block: null },
  });
});

test('gas that a vault gets is no deposit from outside, and a transfer out has the id of the bank', async () => {
  const vault = await newVault();
  await sandbox.told('PUT', '/settings', { gas_station: true });
  const { tx_id: token } = await deposit({ vault_id: vault, asset: 'USDC_ETH_TEST5_0GER', amount: '5' });
  await blocks('ethereum', 12);
  await sandbox.told('PUT', '/settings', { gas_station: false });
  const since = (await transfer(token)).createdAt;
  const gas = (await listed(since)).find((one) => !('unreadable' in one) && one.asset === 'ETH_TEST5');
  expect(gas).toMatchObject({ from: { kind: 'gas_station' }, to: { kind: 'vault', vault } });

  await blocks('ethereum', 12);
  const externalTxId = randomUUID();
  const address = '0x7E5F4552091A69125d5DfCb7b8C2659029395Bdf';
  const { data } = await sandbox.fireblocks.transactions.createTransaction({
    transactionRequest: {
      ...{ assetId: 'USDC_ETH_TEST5_0GER', amount: '2', externalTxId },
      source: { type: 'VAULT_ACCOUNT', id: vault },
      destination: { type: 'ONE_TIME_ADDRESS', oneTimeAddress: { address } },
    },
  });
  expect(await transfer(data.id ?? '')).toMatchObject({
    ...{ externalId: externalTxId, from: { kind: 'vault', vault }, to: { kind: 'outside' }, amount: '2' },
  });
});

test('an id that the custodian does not know has no transfer, and one that is no id is not asked for', async () => {
  expect(await bank.getTransfer(randomUUID())).toBeNull();
  const fake = await answering();
  for (const id of ['', '../vault/accounts', 'a b', 'é', 'a'.repeat(81)])
    expect([id, await fake.bank.getTransfer(id)]).toEqual([id, null]);
  expect(fake.asked).toEqual([]);
  fake.close();
});

test.each([
  ['http_503', 'away'],
  ['refuse', 'away'],
  ['http_429', 'busy'],
])('after %s reading transfers fails as %s, and no transfer is taken for missing', async (fault, kind) => {
  await sandbox.told('POST', '/faults', { call: 'get_transaction', fault, times: 1 });
  await sandbox.told('POST', '/faults', { call: 'list_transactions', fault, times: 1 });
  const failure = { name: 'CustodianFailure', kind };
  await expect(bank.getTransfer(randomUUID())).rejects.toMatchObject(failure);
  await expect(listed(0)).rejects.toMatchObject(failure);
});

test('a list of several pages has each transfer once, the oldest change first', async () => {
  const vault = await newVault();
  const { address } = await bank.ensureWallet(vault, 'BTC_TEST');
  const outputs = Array.from({ length: 100 }, () => ({ address, amount: '0.01' }));
  const ids: string[] = [];
  for (let time = 0; time < 6; time += 1) ids.push(...(await deposit({ asset: 'BTC_TEST', outputs })).tx_ids);
  const [first = '', second = ''] = ids;
  const { lastUpdated } = await transfer(first);
  // transfers of other tests may still be on their way
  const ours = async (since: number) => (await listed(since)).filter(({ id }) => ids.includes(id ?? ''));
  expect((await ours(lastUpdated)).map(({ id }) => id)).toEqual(ids);
  expect((await ours(lastUpdated + 1))[0]?.id).toBe(second);
  // it changes, and is the newest from now on
  await sandbox.told('POST', `/transactions/${first}`, { status: 'BLOCKED', sub_status: 'by policy!' });
  const changed = await ours(lastUpdated);
  expect(changed.map(({ id }) => id)).toEqual([...ids.slice(1), first]);
  expect(changed.at(-1)).toMatchObject({ status: 'failed', told: 'BLOCKED BY POLICY_' });
});

/** A transaction as Fireblocks tells it. */
const transaction = (lastUpdated: number, more: object = {}) => ({
  ...{ id: randomUUID(), externalTxId: null, status: 'COMPLETED', subStatus: 'CONFIRMED', assetId: 'BTC' },
  ...{ source: { type: 'UNKNOWN', id: '' }, destination: { type: 'VAULT_ACCOUNT', id: '7' } },
  ...{ sourceAddress: '', destinationAddress: 'bc1q', destinationTag: '', txHash: 'f00d', destinations: [] },
  ...{ amountInfo: { amount: '2', netAmount: '1' }, feeInfo: {}, blockInfo: {}, amount: 2 },
  ...{ createdAt: 1_000, lastUpdated },
  ...more,
});
/** The address of the next page, as in `next-page`. */
const then = (cursor: string) => ({
  'next-page': `https://api.fireblocks.io/v1/transactions?next=${cursor}`,
});

test('what changed in one millisecond at the border of two pages is in the list, though the cursor skips it', async () => {
  const [newest, edge, beyond, old, before] = [4_000, 3_000, 3_000, 2_000, 1_500].map((at) =>
    transaction(at),
  );
  const fake = await answering(
    [200, [newest, edge], then('c%2F1')],
    [200, [beyond, edge]],
    [200, [old, before], then('2')],
  );
  const found = await listed(2_000, fake.bank);
  expect(found.map(({ id }) => id)).toEqual([old, edge, beyond, newest].map((one) => one?.id));
  const queries = fake.asked.map((url) => Object.fromEntries(new URL(url, fake.url).searchParams));
  expect(queries).toEqual([
    { orderBy: 'lastUpdated', sort: 'DESC', after: '0', limit: '50' },
    { orderBy: 'lastUpdated', sort: 'DESC', after: '2999', before: '3001', limit: '500' },
    { orderBy: 'lastUpdated', sort: 'DESC', after: '0', limit: '500', next: 'c/1' },
  ]);
  fake.close();
});

test('a transfer that changes while pages are read is told once, as it was told last', async () => {
  const moving = transaction(3_000, { status: 'CONFIRMING' });
  const fake = await answering(
    [200, [moving], then('1')],
    [200, []],
    [200, [{ ...moving, status: 'COMPLETED', lastUpdated: 5_000 }]],
  );
  expect(await listed(2_000, fake.bank)).toMatchObject([{ status: 'completed', lastUpdated: 5_000 }]);
  fake.close();
});

test('a list that never ends fails', async () => {
  const endless = Array.from({ length: 200 }, (): Answer => [200, [{}], then('1')]);
  const fake = await answering(...endless);
  await expect(listed(0, fake.bank)).rejects.toMatchObject({ name: 'CustodianFailure', kind: 'away' });
  expect(fake.asked).toHaveLength(200);
  fake.close();
});

test.each([
  ['amountInfo', { amountInfo: undefined }],
  ['amountInfo', { amountInfo: {} }],
  ['amountInfo.netAmount', { amountInfo: { amount: '1', netAmount: 1.5 } }],
  ['amountInfo.netAmount', { amountInfo: { amount: '1', netAmount: '1e-8' } }],
  ['source', { source: null }],
  ['destination.id', { destination: { type: 'VAULT_ACCOUNT' } }],
  ['destinations', { destinations: [{}, {}] }],
  ['assetId, lastUpdated', { assetId: undefined, lastUpdated: 'yesterday' }],
  ['id', { id: 'no id' }],
])(
  'a transfer of which %s cannot be read is told of, and the others come: %j',
  async (unreadable, broken) => {
    const [one, other, odd] = [transaction(1_000), transaction(3_000), transaction(2_000, broken)];
    const fake = await answering([200, [other, odd, one]], [200, odd]);
    const found = await listed(1_000, fake.bank);
    expect(found).toHaveLength(3);
    expect(found).toContainEqual({ unreadable, id: 'id' in broken ? null : odd.id });
    expect(found.flatMap((told) => ('unreadable' in told ? [] : [told.id]))).toEqual([one.id, other.id]);
    expect(await fake.bank.getTransfer('x')).toEqual({ unreadable, id: 'x' });
    fake.close();
  },
);

test.each([
  ['COMPLETED', 'completed'],
  ['FAILED', 'failed'],
  ['CANCELLED', 'failed'],
  ['REJECTED', 'failed'],
  ['BLOCKED', 'failed'],
  ['PARTIALLY_COMPLETED', 'moving'],
  ['TIMEOUT', 'moving'],
  ['CANCELLING', 'moving'],
  ['A_WORD_TO_COME', 'moving'],
])('the status %s is %s', async (status, expected) => {
  const fake = await answering([200, transaction(1, { status, subStatus: '' })]);
  expect(await fake.bank.getTransfer('x')).toMatchObject({ status: expected, told: status });
  fake.close();
});

test('what the custodian leaves out is null, and what it says of its own kinds of places is told apart', async () => {
  const bare = {
    ...{ id: 'x', status: 'SUBMITTED', assetId: 'BTC', createdAt: 1, lastUpdated: 2 },
    ...{ source: { type: 'GAS_STATION_ACCOUNT' }, destination: { type: 'EXCHANGE_ACCOUNT', id: '3' } },
    amountInfo: { amount: '11', requestedAmount: '11' },
  };
  const fake = await answering([200, bare], [200, { ...bare, subStatus: `a/${'b'.repeat(100)}` }]);
  expect(await fake.bank.getTransfer('x')).toEqual({
    ...{ id: 'x', externalId: null, asset: 'BTC', status: 'moving', told: 'SUBMITTED', amount: '11' },
    ...{ from: { kind: 'gas_station' }, to: { kind: 'outside' }, fromAddress: null, address: null },
    ...{ memo: null, txHash: null, index: null, networkFee: null, confirmations: 0, block: null },
    ...{ createdAt: 1, lastUpdated: 2 },
  });
  expect(await fake.bank.getTransfer('x')).toMatchObject({ told: `SUBMITTED A_${'B'.repeat(68)}` });
  fake.close();
});
