/**
 * Coins are kept by Fireblocks, or by the sandbox custodian, which speaks the same protocol. This is the only file that imports
 * the SDK, whose types change with each major version. The first call loads it, because that takes 50 MB and half a second.
 */
import type { Fireblocks } from '@fireblocks/ts-sdk';
import { createPrivateKey } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { z } from 'zod';
import type { Config } from '../../config.ts';
import { partFailures } from '../metrics.ts';
import { CustodianFailure, type Custodian, type CustodyAddress } from './custodian.ts';
import { failureOf, Unsuccessful } from './failures.ts';
import { createTransferList, createTransferLookUp } from './fireblocks-transfers.ts';

/** The SDK has no timeout of its own. It does not retry either; Temporal does. */
const ANSWER_MILLISECONDS = 10_000;
/** The most that Fireblocks gives. */
const PAGE = 500;
/** A key of a UUID and a number stays below the 40 characters that Fireblocks takes. */
const KEYS = 9;

type FireblocksConfig = Pick<Config, 'CUSTODIAN_URL' | 'CUSTODIAN_API_KEY' | 'CUSTODIAN_SECRET_FILE'>;

/** Calls fail as `away` while no custodian is set, or its key cannot be read. */
export function createFireblocks(
  config: FireblocksConfig,
  answerMilliseconds: number = ANSWER_MILLISECONDS,
): Custodian {
  const ask = createAsk(config, answerMilliseconds);
  return {
    ensureVault: createVaults(ask),
    ensureWallet: createWallets(ask),
    ensureTag: createTags(ask),
    refreshBalance: (vault, asset) => refreshed(ask, Balance, vault, asset),
    chainHeight: async (vault, asset) => (await refreshed(ask, Height, vault, asset)).blockHeight,
    holdings: (accountNamePrefix) =>
      ask('getVaultAssets', Holdings, ({ vaults }) => vaults.getVaultAssets({ accountNamePrefix })),
    getTransfer: createTransferLookUp(ask),
    transfersSince: createTransferList(ask),
  };
}

/** Makes a call, named as in the SDK, and returns its answer in the shape that is expected. */
export type Ask = <Shape extends z.ZodType>(
  operation: string,
  shape: Shape,
  call: (to: Fireblocks) => Promise<{ readonly data: unknown }>,
) => Promise<z.output<Shape>>;

function createAsk(config: FireblocksConfig, timeout: number): Ask {
  let client: Fireblocks | undefined;
  return async (operation, shape, call) => {
    try {
      client ??= await open(config, timeout);
      const { data } = await call(client);
      const read = shape.safeParse(data);
      if (read.success) return read.data;
      throw new CustodianFailure('away', `${operation}: the custodian’s answer has an unknown form`);
    } catch (error) {
      const failure = failureOf(operation, error);
      // the next call reads the key again: it may have been replaced
      if (failure instanceof Unsuccessful && failure.status === 401) client = undefined;
      if (failure.kind !== 'refused') partFailures.inc({ part: 'custodian' });
      throw failure;
    }
  };
}

async function open(config: FireblocksConfig, timeout: number): Promise<Fireblocks> {
  const { CUSTODIAN_URL: url, CUSTODIAN_API_KEY: apiKey, CUSTODIAN_SECRET_FILE: file } = config;
  if (url === undefined || apiKey === undefined || file === undefined)
    throw new CustodianFailure('away', 'no custodian is set; set CUSTODIAN_URL');
  const secretKey = await privateKeyIn(file);
  const sdk = await import('@fireblocks/ts-sdk');
  return new sdk.Fireblocks({
    ...{ apiKey, secretKey, basePath: url.replace(/\/$/, '') },
    // a redirect would take the token elsewhere
    additionalOptions: { userAgent: 'teller', baseOptions: { timeout, maxRedirects: 0 } },
  });
}

/** The sandbox custodian may write the file after the worker has started. */
async function privateKeyIn(file: string): Promise<string> {
  try {
    const pem = await readFile(file, 'utf8');
    if (createPrivateKey(pem).asymmetricKeyType === 'rsa') return pem;
  } catch {
    // answered below, without what the file holds
  }
  throw new CustodianFailure('away', 'CUSTODIAN_SECRET_FILE cannot be read, or is no private key of RSA');
}

const Paging = z.object({ after: z.string().nullish() }).nullish();
const Vault = z.object({ id: z.string().min(1), name: z.string() });
const Vaults = z.object({ accounts: z.array(Vault), paging: Paging });
const Tag = z
  .string()
  .nullish()
  .transform((tag) => (tag === '' || tag === undefined ? null : tag));
/** Empty while the wallet is still being made. */
const Wallet = z.object({ address: z.string().default(''), tag: Tag });
const Address = z.object({
  ...Wallet.shape,
  description: z.string().nullish(),
  bip44AddressIndex: z.int().nullish(),
});
const Addresses = z.object({ addresses: z.array(Address), paging: Paging });
const Decimal = z.string().regex(/^\d+(\.\d+)?$/);
/** The same amounts also come as JSON numbers, which lose digits, under other names. */
const Height = z.object({
  blockHeight: z
    .string()
    .regex(/^\d{1,15}$/)
    .transform(Number),
});
const amounts = {
  ...{ total: Decimal, available: Decimal },
  ...{ pending: Decimal.default('0'), frozen: Decimal.default('0'), lockedAmount: Decimal.default('0') },
};
const Balance = z.object(amounts).transform(({ lockedAmount: locked, ...rest }) => ({ ...rest, locked }));
const Holdings = z.array(
  z
    .object({ id: z.string().min(1), ...amounts })
    .transform(({ id: asset, lockedAmount: locked, ...rest }) => ({ asset, ...rest, locked })),
);

/** What Fireblocks says of a wallet after it has looked at the chain again. */
function refreshed<Shape extends z.ZodType>(ask: Ask, shape: Shape, vaultAccountId: string, assetId: string) {
  return ask('updateVaultAccountAssetBalance', shape, ({ vaults }) =>
    vaults.updateVaultAccountAssetBalance({ vaultAccountId, assetId }),
  );
}

function createVaults(ask: Ask): Custodian['ensureVault'] {
  const everyNamed = (namePrefix: string) =>
    everyItem(async (cursor) => {
      const wish = { namePrefix, limit: PAGE, ...cursor };
      const page = await ask('getPagedVaultAccounts', Vaults, ({ vaults }) =>
        vaults.getPagedVaultAccounts(wish),
      );
      return { items: page.accounts, after: page.paging?.after };
    });

  /** Should there be several, everybody finds the same one. */
  async function find(name: string): Promise<string | undefined> {
    let found: string | undefined;
    for await (const vault of everyNamed(name))
      if (vault.name === name && (found === undefined || Number(vault.id) < Number(found))) found = vault.id;
    return found;
  }

  async function create(name: string, reference: string | null, idempotencyKey: string): Promise<string> {
    const createVaultAccountRequest = {
      ...{ name, hiddenOnUI: true, autoFuel: false },
      ...(reference === null ? {} : { customerRefId: reference }),
    };
    const { id } = await ask('createVaultAccount', Vault, ({ vaults }) =>
      vaults.createVaultAccount({ createVaultAccountRequest, idempotencyKey }),
    );
    return id;
  }

  return async ({ name, reference, key }) =>
    (await find(name)) ??
    withUsableKey(
      key,
      (usable) => create(name, reference, usable),
      () => find(name),
    );
}

function createWallets(ask: Ask): Custodian['ensureWallet'] {
  async function create(vaultAccountId: string, assetId: string): Promise<CustodyAddress> {
    return ask('createVaultAccountAsset', Wallet, ({ vaults }) =>
      vaults.createVaultAccountAsset({ vaultAccountId, assetId }),
    );
  }

  /** The wallet's own address. Further ones have a tag or a higher index. */
  async function find(vault: string, asset: string): Promise<CustodyAddress | undefined> {
    let first: CustodyAddress | undefined;
    for await (const { address, tag, bip44AddressIndex: index } of everyAddress(ask, vault, asset)) {
      first ??= { address, tag };
      if (tag === null && (index ?? 0) === 0) return { address, tag };
    }
    return first;
  }

  return async (vault, asset) => {
    let refused: Unsuccessful | undefined;
    try {
      const created = await create(vault, asset);
      if (created.address !== '') return created;
    } catch (error) {
      // Fireblocks does not say how it answers if the wallet exists
      if (!mayExist(error)) throw error;
      refused = error;
    }
    const found = await find(vault, asset).catch((error: unknown) => {
      // there is no wallet: what keeps it from being opened says more
      if (error instanceof CustodianFailure && error.kind === 'refused') throw refused ?? error;
      throw error;
    });
    if (found !== undefined && found.address !== '') return found;
    if (found === undefined && refused !== undefined) throw refused;
    throw new CustodianFailure('away', 'createVaultAccountAsset: the wallet has no address yet');
  };
}

function mayExist(error: unknown): error is Unsuccessful {
  return error instanceof Unsuccessful && (error.kind === 'refused' || error.status === 409);
}

function createTags(ask: Ask): Custodian['ensureTag'] {
  return async (vault, asset, { reference, key }) => {
    const wish = { vaultAccountId: vault, assetId: asset };
    const create = (idempotencyKey: string): Promise<CustodyAddress> =>
      ask('createVaultAccountAssetAddress', Wallet, ({ vaults }) =>
        vaults.createVaultAccountAssetAddress({
          ...wish,
          createAddressRequest: { customerRefId: reference, description: key },
          idempotencyKey,
        }),
      );
    async function find(): Promise<CustodyAddress | undefined> {
      for await (const { address, tag, description } of everyAddress(ask, vault, asset))
        if (description === key) return { address, tag };
      return undefined;
    }
    const { address, tag } = await withUsableKey(key, create, find);
    if (tag === null)
      throw new CustodianFailure(
        'refused',
        'createVaultAccountAssetAddress: addresses of this asset have no tag',
      );
    return { address, tag };
  };
}

/**
 * An internal error uses up the key of the call, although the call may have been carried out. So what it should have created is looked
 * for, and only if it is missing the next key is taken.
 */
async function withUsableKey<Made>(
  key: string,
  create: (key: string) => Promise<Made>,
  find: () => Promise<Made | undefined>,
): Promise<Made> {
  for (let attempt = 1; attempt <= KEYS; attempt += 1) {
    try {
      return await create(attempt === 1 ? key : `${key}-${String(attempt)}`);
    } catch (error) {
      if (!(error instanceof Unsuccessful && error.isKeyUsedUp)) throw error;
    }
    // whichever key has made it
    const found = attempt === 1 ? await find() : undefined;
    if (found !== undefined) return found;
  }
  throw new CustodianFailure('away', 'the idempotency keys of this call are used up for a day');
}

function everyAddress(ask: Ask, vault: string, asset: string) {
  return everyItem(async (cursor) => {
    const wish = { vaultAccountId: vault, assetId: asset, limit: PAGE, ...cursor };
    const page = await ask('getVaultAccountAssetAddressesPaginated', Addresses, ({ vaults }) =>
      vaults.getVaultAccountAssetAddressesPaginated(wish),
    );
    return { items: page.addresses, after: page.paging?.after };
  });
}

interface Cursor {
  readonly after?: string;
}

/** The items of a list, page by page. */
async function* everyItem<Item>(
  read: (
    cursor: Cursor,
  ) => Promise<{ readonly items: readonly Item[]; readonly after: string | null | undefined }>,
): AsyncGenerator<Item> {
  let cursor: Cursor | undefined = {};
  while (cursor !== undefined) {
    const { items, after }: Awaited<ReturnType<typeof read>> = await read(cursor);
    yield* items;
    cursor = after == null || after === '' ? undefined : { after };
  }
}
