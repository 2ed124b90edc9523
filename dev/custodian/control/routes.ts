/** The control API: it makes deposits and blocks, decides transactions, disturbs webhooks, and lists the custodian's data for tests. */
import { answered, type Answer } from '../../simulators/control.ts';
import { ASSETS, NETWORKS, RULES } from '../assets.ts';
import { decimalOf, unitsOf } from '../amounts.ts';
import { deposit } from '../chain/arriving.ts';
import type { Custodian } from '../custodian.ts';
import { balanceOf, type Balance } from '../state/balances.ts';
import type { Transaction, Vault } from '../state/records.ts';
import type { World } from '../state/world.ts';
import { addressesOf } from '../wallets.ts';
import { confirmationsOf, walletsOf } from '../views.ts';
import { Behaviour, type Counted, type Delivery } from '../webhooks/delivery.ts';
import { WEBHOOK_ID } from '../webhooks/resend-calls.ts';
import type { Signer } from '../webhooks/signing.ts';
import { force } from './force.ts';
import {
  BlocksWish,
  bytesOf,
  depositOf,
  DepositWish,
  FeesWish,
  NextWish,
  RawWish,
  ReorgWish,
  SettingsWish,
  SignWish,
  TransactionWish,
  unusable,
} from './wishes.ts';

export interface ControlOptions {
  readonly custodian: Custodian;
  readonly signer: Signer;
  /** Undefined while no address is configured. */
  readonly delivery: Delivery | undefined;
}

type Routes = Readonly<Record<string, (body: unknown, id: string) => Promise<Answer>>>;

const NOTHING_SENT: Counted = { delivered: 0, failed: 0, waiting: 0 };

export function controlRoutes(options: ControlOptions): Routes {
  return {
    ...chainRoutes(options),
    ...fateRoutes(options),
    ...webhookRoutes(options),
    ...truthRoutes(options.custodian.world),
  };
}

function chainRoutes(options: ControlOptions): Routes {
  const { custodian } = options;
  const { world, lifecycle } = custodian;
  const change = changing(options);
  return {
    'POST /deposits': (body) =>
      change(() => {
        const arriving = deposit(world, lifecycle, depositOf(world, DepositWish.parse(body)));
        const [first] = arriving;
        return { tx_id: first?.id, tx_hash: first?.txHash, tx_ids: arriving.map(({ id }) => id) };
      }),
    'POST /blocks': (body) =>
      change(() => {
        const { network, count } = BlocksWish.parse(body);
        custodian.mine(network, count);
        return shownChain(world, network);
      }),
    'POST /reorgs': (body) =>
      change(() => {
        const { network, depth, vanish } = ReorgWish.parse(body);
        custodian.reorganise(network, depth, vanish);
        return shownChain(world, network);
      }),
    'PUT /fees': (body) =>
      change(() => {
        const { network, level } = FeesWish.parse(body);
        world.chains.setMarket(network, level);
        return shownChain(world, network);
      }),
    'PUT /settings': (body) =>
      change(() => {
        const wish = SettingsWish.parse(body);
        const now = world.settings();
        world.change({
          automaticBlocks: wish.automatic_blocks ?? now.automaticBlocks,
          blockSeconds: wish.block_seconds ?? now.blockSeconds,
          stepMs: wish.step_ms ?? now.stepMs,
          gasStation: wish.gas_station ?? now.gasStation,
        });
        return shownSettings(world);
      }),
    'GET /settings': () => answered(() => shownSettings(world)),
  };
}

function fateRoutes(options: ControlOptions): Routes {
  const { custodian } = options;
  const { world } = custodian;
  const change = changing(options);
  return {
    'PUT /next': (body) =>
      change(() => {
        const { status, sub_status: subStatus } = NextWish.parse(body);
        world.setFate(status === 'STUCK' ? { status } : { status, subStatus });
        return { status, sub_status: subStatus };
      }),
    'POST /transactions/{id}': (body, id) =>
      change(() => {
        const { status, sub_status: subStatus, network_fee: networkFee } = TransactionWish.parse(body);
        const transaction = transactionNamed(world, id);
        const fee = networkFee === undefined ? undefined : feeOf(transaction, networkFee);
        return shownTransaction(world, force(custodian, transaction, { status, subStatus, fee }));
      }),
  };
}

function feeOf({ network }: Transaction, text: string): bigint {
  const fee = unitsOf(text, ASSETS.get(RULES[network].gas)?.decimals ?? 0);
  if (fee === undefined) throw unusable('network_fee', 'must be a decimal');
  return fee;
}

/** Makes a change, waits for its webhooks and adds to the answer how many were delivered. */
function changing({ custodian, delivery }: ControlOptions): (act: () => object) => Promise<Answer> {
  return (act) =>
    answered(async () => {
      const { result, told } = custodian.world.act(act);
      return { ...result, webhooks: (await delivery?.settled(told)) ?? NOTHING_SENT };
    });
}

function webhookRoutes({ signer, delivery }: ControlOptions): Routes {
  const sending = (act: (delivery: Delivery) => unknown): Promise<Answer> =>
    answered(() => {
      if (delivery === undefined) throw new Error('no address for webhooks: set CUSTODIAN_WEBHOOK_URL');
      return act(delivery);
    });
  return {
    'PUT /webhooks': (body) =>
      sending(({ behave }) => ({ id: WEBHOOK_ID, ...behave(Behaviour.parse(body)) })),
    'GET /webhooks': () => sending(({ behave }) => ({ id: WEBHOOK_ID, ...behave({}) })),
    'POST /webhooks/raw': (raw) =>
      sending(({ post }) => {
        const { sign, headers, ...given } = RawWish.parse(raw);
        return post(bytesOf(given), sign, headers);
      }),
    'POST /webhooks/sign': (raw) =>
      answered(() => {
        const { sign, ...given } = SignWish.parse(raw);
        const { body, headers } = signer.sign(bytesOf(given), sign);
        return { body_base64: body.toString('base64'), headers };
      }),
    'POST /webhooks/retry': () => sending(async ({ retry }) => ({ webhooks: await retry() })),
    'POST /keys/rotate': () => answered(async () => ({ kid: await signer.rotate() })),
  };
}

function truthRoutes(world: World): Routes {
  return {
    'GET /vaults': () =>
      answered(() => ({ items: [...world.vaults.values()].map((vault) => shownVault(world, vault)) })),
    'GET /transactions': () =>
      answered(() => ({
        items: [...world.transactions.values()].map((transaction) => shownTransaction(world, transaction)),
      })),
    'GET /chains': () => answered(() => ({ items: NETWORKS.map((network) => shownChain(world, network)) })),
  };
}

/** Finds a transaction by id, external id or hash. */
function transactionNamed(world: World, name: string): Transaction {
  const found = [...world.transactions.values()].find(
    ({ id, externalTxId, txHash }) => id === name || externalTxId === name || txHash === name,
  );
  if (found === undefined) throw unusable('id', `there is no transaction ${name}`);
  return found;
}

export function shownChain(world: World, network: (typeof NETWORKS)[number]) {
  const { height, rate } = world.chains.of(network);
  return { network, height, hash: world.chains.blockHash(network, height), rate: String(rate) };
}

function shownSettings(world: World): object {
  const { automaticBlocks, blockSeconds, stepMs, gasStation } = world.settings();
  return {
    ...{ automatic_blocks: automaticBlocks, block_seconds: blockSeconds },
    ...{ step_ms: stepMs, gas_station: gasStation },
  };
}

export function shownVault(world: World, { id, name, customerRefId, hiddenOnUI }: Vault) {
  const assets = walletsOf(world, id).map((asset) => {
    const balance = balanceOf(world, id, asset.id);
    const amount = (part: keyof Balance): string => decimalOf(balance[part], asset.decimals);
    const addresses = addressesOf(world, id, asset.id).map(({ address, tag }) => ({ address, tag }));
    return {
      ...{ asset: asset.id, addresses, total: amount('total'), available: amount('available') },
      ...{ pending: amount('pending'), frozen: amount('frozen'), locked: amount('locked') },
    };
  });
  return { id, name, customer_ref_id: customerRefId, hidden: hiddenOnUI, assets };
}

export function shownTransaction(world: World, transaction: Transaction) {
  const { network, height } = transaction;
  const gas = ASSETS.get(RULES[network].gas);
  return {
    ...{ id: transaction.id, tx_hash: transaction.txHash, external_tx_id: transaction.externalTxId },
    ...{ network, asset: transaction.asset, status: transaction.status, sub_status: transaction.subStatus },
    ...{ source: transaction.source, destination: transaction.destination },
    ...{ address: transaction.destinationAddress, memo: transaction.destinationTag },
    amount: decimalOf(transaction.amount, transaction.decimals),
    network_fee: decimalOf(transaction.fee, gas?.decimals ?? 0),
    confirmations: confirmationsOf(world, transaction),
    required_confirmations: RULES[network].confirmations,
    block_height: height,
    index: transaction.index,
  };
}
