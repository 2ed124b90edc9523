/**
 * A bank of a test's own beside a custodian of its own, whose chains stand still until the test mines. The rounds of the worker are
 * called by the test, and the process of a deposit is one look at the custodian for each time it is asked.
 */
import { randomUUID } from 'node:crypto';
import pino, { type Logger } from 'pino';
import { z } from 'zod';
import type { Custodian } from '../../../adapters/custody/custodian.ts';
import { createFireblocks } from '../../../adapters/custody/fireblocks.ts';
import { keepCustodyEvent } from '../../../db/queries/crypto/custody-events.ts';
import { depositsOf, type DepositRow } from '../../../db/queries/crypto/deposits.ts';
import { walletsOf, wantWallets, type WalletRow } from '../../../db/queries/crypto/wallets.ts';
import { OFFERED_NETWORKS } from '../../../domain/crypto/offered.ts';
import { CryptoDepositId, type UserId } from '../../../domain/ids.ts';
import type { Process } from '../../../domain/process.ts';
import { lookAtDeposit, type DepositDeps } from '../../../services/crypto/deposits.ts';
import { openWallets } from '../../../services/crypto/opening-wallets.ts';
import { reservesAfter, type ReserveRow } from '../../../db/queries/crypto/reserves.ts';
import { eventRound, pollRound, type CustodyRoundDeps } from '../../../workers/custody-round.ts';
import { reservesRound } from '../../../workers/reserves-round.ts';
import { openBooks, type Books } from '../bank/books.ts';
import { coinFigures } from '../bank/coin-figures.ts';
import { ownBank } from '../stack/database.ts';
import { row, rows } from '../stack/sql.ts';
import { Sent, startCustodian, type SandboxCustodian } from './process.ts';

/** What the bank offers here: one network for each asset, so that what the books say of an asset is what one chain says. */
const OFFERED = {
  ...{ BTC: 'bitcoin', DOGE: 'dogecoin', ETH: 'ethereum', SOL: 'solana', XRP: 'ripple' },
  ...{ USDC: 'ethereum', USDT: 'bnb' },
} as const;
type Asset = keyof typeof OFFERED;

/** A customer with a wallet of each asset. */
export interface Holder {
  readonly id: UserId;
  wallet(asset: Asset): WalletRow;
}

export type CoinBank = Awaited<ReturnType<typeof openCoinBank>>;

/** Opens both; `close` them in afterAll. */
export async function openCoinBank() {
  const [books, sandbox] = await Promise.all([ownBank().then(openBooks), startCustodian()]);
  await sandbox.told('PUT', '/settings', { automatic_blocks: false, step_ms: 0 });
  await books.asOwner('update crypto_assets set enabled = true where asset = any ($1)', [
    Object.keys(OFFERED),
  ]);
  await books.asOwner(`update asset_networks set enabled = true where asset || '/' || network = any ($1)`, [
    Object.entries(OFFERED).map((coin) => coin.join('/')),
  ]);
  /** Of a client that waits so long for an answer. */
  const custodianWithin = (milliseconds?: number, url = `${sandbox.api}/v1`): Custodian =>
    createFireblocks(
      { CUSTODIAN_URL: url, CUSTODIAN_API_KEY: sandbox.apiKey, CUSTODIAN_SECRET_FILE: sandbox.keyFile },
      milliseconds,
    );
  const alerts: string[] = [];
  const deps = depsOf({ em: books.em, custodian: custodianWithin(), log: collecting(alerts) });
  return {
    ...{ books, sandbox, alerts, deps, custodianWithin },
    ...chains(sandbox),
    ...inbox(books),
    ...figures(books),
    customer: () => openHolder(books, deps),
    /** A round of taking events, with parts of its own. */
    events: (parts: Partial<CustodyRoundDeps> = {}) => eventRound({ ...deps, ...parts })(),
    /** A round of asking what has changed, unless another worker has asked within `seconds`. */
    poll: (parts: Partial<CustodyRoundDeps> = {}, seconds = 0) => pollRound({ ...deps, ...parts }, seconds)(),
    /** Counts, and returns the coins as they were counted. */
    async count(): Promise<Map<string, ReserveRow>> {
      await reservesRound(deps, 0)();
      const counted = await reservesAfter.all(books.em(), { after: '', most: 50 });
      return new Map(counted.map((one) => [one.asset, one]));
    },
    close: () => Promise.all([sandbox.stop(), books.close()]),
  };
}

/** Collects alerts, and what else people must see. */
function collecting(alerts: string[]): Logger {
  const Line = z.looseObject({ alert: z.string().optional(), msg: z.string() });
  const write = (text: string): void => {
    const { alert, msg } = Line.parse(JSON.parse(text));
    alerts.push(alert ?? msg);
  };
  return pino({ level: 'error' }, { write });
}

/** The parts of both rounds and of the process, in whose place is one look. */
export function depsOf<Custody extends DepositDeps['custodian']>(
  look: DepositDeps & { readonly custodian: Custody },
) {
  const ask = async <Input, Answer extends object>(
    process: Process<Input>,
    input: Input,
  ): Promise<Answer> => {
    await lookAtDeposit(look, CryptoDepositId.parse(process.idOf(input)));
    return z.custom<Answer>((answer) => typeof answer === 'object').parse({});
  };
  return { ...look, processes: { ask } };
}

async function openHolder(
  books: Books,
  deps: DepositDeps & { readonly custodian: Custodian },
): Promise<Holder> {
  const id = await books.user();
  const { vault } = await wantWallets.one(books.em(), { customer: id, asset: null });
  await openWallets(deps, vault);
  const filter = { asset: null, network: null, status: 'active', before: null, most: 50 };
  const wallets = await walletsOf.all(books.em(), { ...filter, customer: id });
  return {
    id,
    wallet(asset) {
      const found = wallets.find((one) => one.asset === asset);
      if (found === undefined) throw new Error(`there is no wallet of ${asset}`);
      return found;
    },
  };
}

/** What happens on the chains. */
function chains(sandbox: SandboxCustodian) {
  const nameOf = (asset: Asset): string => {
    const offered = OFFERED_NETWORKS.find((one) => one.asset === asset && one.network === OFFERED[asset]);
    if (offered === undefined) throw new Error(`there is no ${asset}`);
    return offered.testnet.custodyAsset;
  };
  return {
    /** Has the custodian send coins out of a vault, to another one or to an address. Returns its id of the transaction. */
    async send(vault: string, asset: Asset, amount: string, to: { vault: string } | { address: string }) {
      const { data } = await sandbox.fireblocks.transactions.createTransaction({
        transactionRequest: {
          ...{ assetId: nameOf(asset), amount, source: { type: 'VAULT_ACCOUNT', id: vault } },
          destination:
            'vault' in to
              ? { type: 'VAULT_ACCOUNT', id: to.vault }
              : { type: 'ONE_TIME_ADDRESS', oneTimeAddress: { address: to.address } },
        },
      });
      return data.id ?? '';
    },
    /** Coins arrive with the next block. Returns the custodian's id of the transaction. */
    async arrive(holder: Holder, asset: Asset, amount: string, more: object = {}): Promise<string> {
      const { address, memo } = holder.wallet(asset);
      const wish = { address, asset: nameOf(asset), amount, memo: memo ?? '', ...more };
      return Sent.parse(await sandbox.told('POST', '/deposits', wish)).tx_id;
    },
    blocks: (asset: Asset, count: number) =>
      sandbox.told('POST', '/blocks', { network: OFFERED[asset], count }),
    /** Replaces the newest blocks. What was in them waits for the next block, or never comes back. */
    reorganise: (asset: Asset, depth: number, vanish: boolean) =>
      sandbox.told('POST', '/reorgs', { network: OFFERED[asset], depth, vanish }),
  };
}

/** The inbox of webhooks. */
function inbox(books: Books) {
  return {
    /** Keeps another event of a transaction, as the door does. */
    event: (transfer: string) =>
      keepCustodyEvent.one(books.em(), {
        ...{ custodyId: randomUUID(), type: 'transaction.status.updated', resource: transfer },
        ...{ body: Buffer.from(randomUUID()), flaw: null },
      }),
    /** The events that wait. */
    waiting: () =>
      rows<{ resource: string; claimed: boolean }>(
        books.em(),
        `select resource, claimed_until > bank_now() is true as claimed from custody_events
          where status = 'waiting' order by id`,
      ),
    /** The transactions that were put aside, and why. */
    aside: () =>
      rows<{ resource: string; fault: string }>(
        books.em(),
        `select resource, fault from custody_events where status = 'aside' order by id`,
      ),
    /** As if the worker that works on events had died a minute ago. */
    forgetClaims: () =>
      books.asOwner(`update custody_events set claimed_until = bank_now() where status = 'waiting'`),
  };
}

/** What the bank has written. */
function figures(books: Books) {
  const { held, house } = coinFigures(books.em);
  return {
    deposits: (holder: Holder): Promise<DepositRow[]> =>
      depositsOf.all(books.em(), {
        ...{ customer: holder.id, asset: null, network: null, status: null, before: null, most: 50 },
      }),
    held: (holder: Holder, asset: Asset) => held(holder.id, asset),
    house: (role: string, asset: Asset) => house(role, asset),
    /** The custodian's number of a customer's own vault. */
    async vaultOf(holder: Holder): Promise<string> {
      const found = await row<{ vault: string }>(
        books.em(),
        'select custody_vault as vault from crypto_vaults where user_id = $1',
        [holder.id],
      );
      return found?.vault ?? '';
    },
    /** What was booked of a transaction of the custodian, in turns. */
    async booked(...transfers: readonly string[]): Promise<string[][]> {
      const found = await rows<{ custody_id: string; kind: string }>(
        books.em(),
        `select d.custody_id, b.kind from crypto_deposit_bookings b join crypto_deposits d on d.id = b.deposit_id
          where d.custody_id = any ($1) order by b.seq`,
        [transfers],
      );
      return transfers.map((id) => found.flatMap((one) => (one.custody_id === id ? [one.kind] : [])));
    },
    /** The deposit that a transaction of the custodian is. */
    async depositOf(transfer: string): Promise<CryptoDepositId> {
      const [found] = await rows<{ id: string }>(
        books.em(),
        'select id from crypto_deposits where custody_id = $1',
        [transfer],
      );
      return CryptoDepositId.parse(found?.id);
    },
  };
}
