/** The bank's side of the custodian, over the real wire: what is asked for again exists once, and failures say what to do about them. */
import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals';
import { generateKeyPairSync, randomUUID } from 'node:crypto';
import { copyFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { inspect } from 'node:util';
import { CustodianFailure, type Custodian } from '../../adapters/custody/custodian.ts';
import { createFireblocks } from '../../adapters/custody/fireblocks.ts';
import { partFailures } from '../../adapters/metrics.ts';
import { serveAnswers, type Answer } from '../support/custodian/answering.ts';
import { Vaults } from '../support/custodian/control.ts';
import { startCustodian, type SandboxCustodian } from '../support/custodian/process.ts';
import { freePort } from '../support/stack/processes.ts';
import { stack } from '../support/stack/stack.ts';

let sandbox: SandboxCustodian;
let bank: Custodian;
beforeAll(async () => {
  sandbox = await startCustodian();
  bank = createFireblocks(settings());
});
beforeEach(() => sandbox.told('DELETE', '/faults'));
afterAll(() => sandbox.stop());

const settings = (more: Partial<Parameters<typeof createFireblocks>[0]> = {}) => ({
  CUSTODIAN_URL: `${sandbox.api}/v1`,
  CUSTODIAN_API_KEY: sandbox.apiKey,
  CUSTODIAN_SECRET_FILE: sandbox.keyFile,
  ...more,
});

const newVault = () => ({ name: `u:${randomUUID()}`, reference: randomUUID(), key: randomUUID() });

/** What the custodian really has under this name. */
const truthOf = async (name: string) =>
  Vaults.parse(await sandbox.told('GET', '/vaults')).items.filter((vault) => vault.name === name);

/** All that a message may say: the call, the status and the code, or the system's name of what happened. */
const HARMLESS =
  /^\w+: the custodian(’s answer has an unknown form| answered \d{3}( with code -?\d+)?| did not answer \((timeout|E[A-Z]+)\))$/;

/** How a call fails. Nothing of the failure may hold a token, or what the call was about. */
async function failureOf(call: Promise<unknown>, ...secrets: string[]) {
  const failure: unknown = await call.then(
    () => undefined,
    (error: unknown) => error,
  );
  if (!(failure instanceof CustodianFailure)) throw new Error(`it did not fail: ${inspect(failure)}`);
  const all = inspect(failure, { depth: 9, showHidden: true });
  for (const secret of ['eyJ', 'Bearer', ...secrets]) expect(all).not.toContain(secret);
  return failure;
}

const failuresCounted = async () =>
  (await partFailures.get()).values.find(({ labels }) => labels['part'] === 'custodian')?.value ?? 0;

test('a vault, its wallet and a tag are opened once, and a repeat returns the same', async () => {
  const wish = newVault();
  const owner = { reference: randomUUID(), key: randomUUID() };
  const open = async () => {
    const vault = await bank.ensureVault(wish);
    const [coin, shared] = [
      await bank.ensureWallet(vault, 'ETH_TEST5'),
      await bank.ensureWallet(vault, 'XRP_TEST'),
    ];
    return { vault, coin, shared, tagged: await bank.ensureTag(vault, 'XRP_TEST', owner) };
  };
  const opened = await open();
  expect(await open()).toEqual(opened);
  const { vault, coin, shared, tagged } = opened;
  expect(coin).toEqual({ address: expect.stringMatching(/^0x[0-9a-fA-F]{40}$/), tag: null });
  expect(tagged).toEqual({ address: shared.address, tag: expect.stringMatching(/^\d+$/) });
  expect(await truthOf(wish.name)).toMatchObject([
    {
      ...{ id: vault, name: wish.name, customer_ref_id: wish.reference, hidden: true },
      assets: [
        { asset: 'ETH_TEST5', addresses: [{ address: coin.address, tag: '' }] },
        {
          asset: 'XRP_TEST',
          addresses: [
            { address: shared.address, tag: '' },
            { address: shared.address, tag: tagged.tag },
          ],
        },
      ],
    },
  ]);
  const another = await bank.ensureTag(vault, 'XRP_TEST', { reference: randomUUID(), key: randomUUID() });
  expect(another.tag).not.toBe(tagged.tag);
});

test('a vault without a reference is created, and one is not taken for another whose name begins alike', async () => {
  const { name, key } = newVault();
  const longer = await bank.ensureVault({ name: `${name}-2`, reference: null, key: randomUUID() });
  expect(await bank.ensureVault({ name, reference: null, key })).not.toBe(longer);
  expect(await truthOf(name)).toMatchObject([{ customer_ref_id: null }]);
});

test('twenty workers that open one vault at once open one', async () => {
  const wish = newVault();
  const ids = await Promise.all(Array.from({ length: 20 }, () => bank.ensureVault(wish)));
  expect(await truthOf(wish.name)).toMatchObject([{ id: ids[0] }]);
  expect(new Set(ids).size).toBe(1);
});

test('a balance has each digit of the chain', async () => {
  const vault = await bank.ensureVault(newVault());
  await bank.ensureWallet(vault, 'ETH_TEST5');
  const none = { available: '0', pending: '0', frozen: '0', locked: '0' };
  expect(await bank.refreshBalance(vault, 'ETH_TEST5')).toEqual({ total: '0', ...none });
  const amount = '12.345678901234567891';
  await sandbox.told('POST', '/deposits', { vault_id: vault, asset: 'ETH_TEST5', amount });
  await sandbox.told('POST', '/blocks', { network: 'ethereum', count: 12 });
  expect(await bank.refreshBalance(vault, 'ETH_TEST5')).toEqual({
    ...{ total: amount, ...none },
    available: amount,
  });
});

test.each([
  ['timeout_after_commit', 'away', null],
  ['http_500', 'away', null],
  ['http_503', 'away', null],
  ['refuse', 'away', null],
  ['http_429', 'busy', 1],
] as const)(
  'after %s a call fails as %s, and its repeat leaves one vault, wallet and tag',
  async (fault, kind, retryAfterSeconds) => {
    const caller = fault === 'timeout_after_commit' ? createFireblocks(settings(), 500) : bank;
    const wish = newVault();
    const owner = { reference: randomUUID(), key: randomUUID() };
    const before = await failuresCounted();
    async function repeated<Made>(call: string, ask: (custodian: Custodian) => Promise<Made>): Promise<Made> {
      await sandbox.told('POST', '/faults', { call, fault, times: 1 });
      const failure = await failureOf(ask(caller), wish.name, wish.reference, owner.reference);
      expect(failure).toMatchObject({ kind, retryAfterSeconds, message: expect.stringMatching(HARMLESS) });
      // a slow machine may have given up at an earlier call
      await sandbox.told('DELETE', '/faults');
      return ask(bank);
    }
    const vault = await repeated('create_vault', (to) => to.ensureVault(wish));
    await repeated('create_wallet', (to) => to.ensureWallet(vault, 'XRP_TEST'));
    const { address, tag } = await repeated('create_address', (to) => to.ensureTag(vault, 'XRP_TEST', owner));
    await repeated('refresh_balance', (to) => to.refreshBalance(vault, 'XRP_TEST'));
    const addresses = [
      { address, tag: '' },
      { address, tag },
    ];
    expect(await truthOf(wish.name)).toMatchObject([{ id: vault, assets: [{ addresses }] }]);
    expect(await failuresCounted()).toBe(before + 4);
  },
);

test('the keys that internal errors use up are followed by others, and what such an error has made is found', async () => {
  const [first, second] = [newVault(), { reference: randomUUID(), key: randomUUID() }];
  for (const times of [1, 2]) {
    await sandbox.told('POST', '/faults', { call: 'create_vault', fault: 'http_500', times: 1 });
    expect([times, await failureOf(bank.ensureVault(first))]).toMatchObject([times, { kind: 'away' }]);
  }
  const vault = await bank.ensureVault(first);
  expect(await truthOf(first.name)).toMatchObject([{ id: vault }]);

  await bank.ensureWallet(vault, 'XLM_TEST');
  await sandbox.told('POST', '/faults', { call: 'create_address', fault: 'http_500', times: 1 });
  await failureOf(bank.ensureTag(vault, 'XLM_TEST', second));
  const made = await sandbox.fireblocks.vaults.createVaultAccountAssetAddress({
    ...{ vaultAccountId: vault, assetId: 'XLM_TEST' },
    createAddressRequest: { description: second.key },
  });
  expect((await bank.ensureTag(vault, 'XLM_TEST', second)).tag).toBe(made.data.tag);
});

test('a wallet that exists and cannot be read now is not taken for one that is refused', async () => {
  const vault = await bank.ensureVault(newVault());
  const opened = await bank.ensureWallet(vault, 'BTC_TEST');
  await sandbox.told('POST', '/faults', { call: 'list_addresses', fault: 'http_503', times: 1 });
  expect(await failureOf(bank.ensureWallet(vault, 'BTC_TEST'))).toMatchObject({ kind: 'away' });
  expect(await bank.ensureWallet(vault, 'BTC_TEST')).toEqual(opened);
});

test('what can never work is refused, and not counted as a failure of the custodian', async () => {
  const vault = await bank.ensureVault(newVault());
  await bank.ensureWallet(vault, 'BTC_TEST');
  const owner = { reference: randomUUID(), key: randomUUID() };
  const before = await failuresCounted();
  for (const ask of [
    () => bank.ensureWallet(vault, 'NO_SUCH_COIN'),
    () => bank.ensureWallet('999999', 'BTC_TEST'),
    () => bank.refreshBalance(vault, 'ETH_TEST5'),
    () => bank.ensureTag(vault, 'BTC_TEST', owner),
  ])
    expect(await failureOf(ask(), 'NO_SUCH_COIN')).toMatchObject({ kind: 'refused' });
  expect(await failuresCounted()).toBe(before);
});

test('a key that is missing or wrong is read again at the next call', async () => {
  const file = join(stack.folder, `api-user-${randomUUID()}.pem`);
  const late = createFireblocks(settings({ CUSTODIAN_SECRET_FILE: file }));
  const wish = newVault();
  expect(await failureOf(late.ensureVault(wish))).toMatchObject({
    kind: 'away',
    message: expect.stringContaining('CUSTODIAN_SECRET_FILE'),
  });
  writeFileSync(file, 'half a key');
  expect(await failureOf(late.ensureVault(wish), 'half a key')).toMatchObject({ kind: 'away' });
  const pem = { privateKeyEncoding: { type: 'pkcs8', format: 'pem' } } as const;
  const { privateKey } = generateKeyPairSync('rsa', {
    ...{ modulusLength: 2048, ...pem },
    publicKeyEncoding: { type: 'spki', format: 'pem' },
  });
  writeFileSync(file, privateKey);
  expect(await failureOf(late.ensureVault(wish))).toMatchObject({
    kind: 'away',
    message: 'getPagedVaultAccounts: the custodian answered 401 with code -1',
  });
  copyFileSync(sandbox.keyFile, file);
  expect(await late.ensureVault(wish)).toMatch(/^\d+$/);
});

test('a custodian that does not run is away, and so is one that is not set', async () => {
  const gone = createFireblocks(
    settings({ CUSTODIAN_URL: `http://127.0.0.1:${String(await freePort())}/v1` }),
  );
  expect(await failureOf(gone.ensureWallet('1', 'BTC_TEST'))).toMatchObject({
    kind: 'away',
    message: 'createVaultAccountAsset: the custodian did not answer (ECONNREFUSED)',
  });
  const unset = createFireblocks(settings({ CUSTODIAN_URL: undefined }));
  expect(await failureOf(unset.ensureWallet('1', 'BTC_TEST'))).toMatchObject({
    kind: 'away',
    message: 'no custodian is set; set CUSTODIAN_URL',
  });
});

/** The bank at a custodian that gives these answers, one after another. */
async function answering(...answers: readonly Answer[]) {
  const server = await serveAnswers(answers);
  return { ...server, bank: createFireblocks(settings({ CUSTODIAN_URL: server.url })) };
}

test('a wallet that is still being made has its address on some page of the list, or is away', async () => {
  const tagged = { address: 'rShared', tag: '7', bip44AddressIndex: 0 };
  const fake = await answering(
    ...([
      [200, { id: 'XRP', address: '' }],
      [200, { addresses: [tagged], paging: { after: 'seven' } }],
      [200, { addresses: [{ address: 'rShared', tag: '' }] }],
      [200, { id: 'XRP' }],
      [200, { addresses: [] }],
      [409, { message: 'exists' }],
      [200, { addresses: [tagged], paging: null }],
    ] as const),
  );
  expect(await fake.bank.ensureWallet('1', 'XRP')).toEqual({ address: 'rShared', tag: null });
  expect(fake.asked[2]).toContain('after=seven');
  expect(await failureOf(fake.bank.ensureWallet('1', 'XRP'))).toMatchObject({ kind: 'away' });
  expect(await fake.bank.ensureWallet('1', 'XRP')).toEqual({ address: 'rShared', tag: '7' });
  fake.close();
});

test('an answer in another form than expected is no balance, and a redirect is not followed', async () => {
  const fake = await answering([200, { total: 0.1, available: '0.1' }], [200, {}], [302, {}], [200, {}]);
  for (const message of [/unknown form/, /unknown form/, /answered 302/])
    expect(await failureOf(fake.bank.refreshBalance('1', 'BTC'))).toMatchObject({
      ...{ kind: 'away', message: expect.stringMatching(message) },
    });
  expect(fake.asked).toHaveLength(3);
  fake.close();
});
