/** Deposits of coins. Functions of the database write them (db/functions/crypto-deposits.sql). */
import { CHAINS, NETWORKS } from '../../../domain/addresses/address.ts';
import {
  DEPOSIT_FAULTS,
  TOLD_FAULTS,
  DEPOSIT_STATUSES,
  type TransferStatus,
} from '../../../domain/crypto/deposits.ts';
import type { AmlFlagId, CryptoDepositId, UserId } from '../../../domain/ids.ts';
import {
  bigCount,
  boolean,
  id,
  integer,
  moment,
  oneOf,
  ownJson,
  text,
  type RowOf,
} from '../../rows/columns.ts';
import { statement } from '../../rows/statement.ts';
import { columnsOf, selectList } from '../../rows/table-columns.ts';
import { AssetNetwork, CryptoDeposit } from '../../schema/crypto.ts';

/** What the custodian calls by this name, and how its chain counts. */
export const coinOfCustodian = statement({
  name: 'coinOfCustodian',
  takes: columnsOf(AssetNetwork, 'custodyAsset'),
  gives: {
    ...columnsOf(AssetNetwork, 'asset', 'scale'),
    network: oneOf(NETWORKS),
    chains: oneOf(CHAINS),
  },
  sql: `
    select n.asset, n.network, n.scale, s.crypto_chains as chains
      from asset_networks n, bank_settings s where n.custody_asset = $custodyAsset`,
});

/** What the custodian tells of a transaction that arrives in a vault, as the bank writes it. `chain_amount` is in the chain's smallest unit. Hash and address are null while it is on no chain. */
export interface ToldDeposit {
  readonly custody_id: string;
  readonly status: TransferStatus;
  readonly told: string;
  readonly updated_at: string;
  readonly vault: string;
  readonly asset: string;
  readonly network: string;
  readonly tx_hash: string | null;
  readonly output_index: number | null;
  readonly address: string | null;
  readonly memo: string | null;
  readonly source_address: string | null;
  readonly chain_amount: string;
  readonly confirmations: number;
  readonly block_hash: string | null;
}

/** Notes what is told of a deposit. Null if it is none of the bank's; `isOpen` if its process has something to do; with a `fault` somebody must look. */
export const noteDeposit = statement({
  name: 'noteDeposit',
  takes: { told: ownJson<ToldDeposit>() },
  gives: {
    deposit: id<CryptoDepositId>().nullable(),
    customer: id<UserId>().nullable(),
    isOpen: boolean(),
    fault: oneOf(TOLD_FAULTS).nullable(),
  },
  sql: 'select deposit, customer, is_open, fault from crypto_deposit_noted($told)',
});

/** Notes what the custodian says of a deposit, having been asked, and books it if that is final. */
export const advanceDeposit = statement({
  name: 'advanceDeposit',
  takes: { told: ownJson<ToldDeposit>(), clock: moment() },
  gives: {
    state: oneOf(DEPOSIT_STATUSES),
    changed: boolean(),
    reason: oneOf(DEPOSIT_FAULTS).nullable(),
    ...{ isOpen: boolean(), isNear: boolean() },
  },
  sql: `
    select x.state, x.changed, x.reason, x.is_open, x.is_near
      from clock_check($clock), crypto_deposit_advance($told) x`,
});

/** What the custodian calls a deposit, and how it is. */
export const depositKnown = statement({
  name: 'depositKnown',
  takes: { deposit: id<CryptoDepositId>() },
  gives: {
    ...columnsOf(CryptoDeposit, 'custodyId', 'userId', 'status', 'requiredConfirmations'),
    isOpen: boolean(),
  },
  sql: `
    select d.custody_id, d.user_id, d.status, d.required_confirmations,
           crypto_deposit_is_open(d) or crypto_deposit_is_cleared(d) as is_open
      from crypto_deposits d where d.id = $deposit`,
});

/** Deposits about which something should have been done so long ago. */
export const overdueDeposits = statement({
  name: 'overdueDeposits',
  takes: { lateSeconds: integer(), most: bigCount(), after: id().nullable() },
  gives: { id: id() },
  sql: `
    select d.id from (
        select o.id, o.created_at from crypto_deposits o where crypto_deposit_is_open(o)
        union all
        select h.id, h.created_at from crypto_deposits h where h.status = 'under_review' and crypto_deposit_is_cleared(h)) d
     where d.created_at < bank_now() - make_interval(secs => $lateSeconds::integer)
       and d.id > coalesce($after::uuid, '00000000-0000-0000-0000-000000000000')
     order by d.id limit $most`,
});

/** Deposits of a flag's customer that the watch has held and that no flag holds any more. */
export const depositsCleared = statement({
  name: 'depositsCleared',
  takes: { flag: id<AmlFlagId>() },
  gives: { id: id<CryptoDepositId>(), customerId: id<UserId>().nullable() },
  sql: `
    select d.id, d.user_id as customer_id from aml_flags f join crypto_deposits d on d.user_id = f.customer_id
     where f.id = $flag and d.status = 'under_review' and crypto_deposit_is_cleared(d) order by d.id`,
});

const deposit = columnsOf(
  CryptoDeposit,
  ...(['id', 'asset', 'network', 'amount', 'status', 'txHash', 'address', 'memo'] as const),
  ...(['confirmations', 'requiredConfirmations', 'createdAt', 'creditedAt'] as const),
);
/** A deposit as its customer sees it. */
export type DepositRow = RowOf<typeof deposit>;

/** A page of a customer's deposits, newest first. */
export const depositsOf = statement({
  name: 'depositsOf',
  takes: {
    customer: id<UserId>(),
    ...{ asset: text().nullable(), network: text().nullable(), status: text().nullable() },
    ...{ before: id<CryptoDepositId>().nullable(), most: bigCount() },
  },
  gives: deposit,
  sql: `
    select ${selectList(deposit, 'd')} from crypto_deposits d
     where d.user_id = $customer and ($asset::text is null or d.asset = $asset)
       and ($network::text is null or d.network = $network) and ($status::text is null or d.status = $status)
       and ($before::uuid is null or d.id < $before)
     order by d.id desc limit $most`,
});

const known = {
  ...deposit,
  ...columnsOf(CryptoDeposit, 'userId', 'fault', 'outputIndex', 'sourceAddress', 'chainAmount'),
  ...columnsOf(CryptoDeposit, 'blockHash', 'custodyId', 'custodyStatus', 'custodyTold', 'custodyUpdated'),
};
const ofNetwork = columnsOf(AssetNetwork, 'scale');
const KNOWN = `
  select ${selectList(known, 'd')}, n.scale
    from crypto_deposits d join asset_networks n on (n.asset, n.network) = (d.asset, d.network)`;

/** A deposit as administrators see it. `scale` is that of the chain, and of `chainAmount`. */
export type KnownDepositRow = RowOf<typeof known & typeof ofNetwork>;

/** A page of all deposits, newest first. */
export const knownDeposits = statement({
  name: 'knownDeposits',
  takes: {
    user: id<UserId>().nullable(),
    ...{ status: text().nullable(), fault: text().nullable() },
    ...{ asset: text().nullable(), network: text().nullable() },
    ...{ txHash: text().nullable(), address: text().nullable() },
    ...{ before: id<CryptoDepositId>().nullable(), most: bigCount() },
  },
  gives: { ...known, ...ofNetwork },
  sql: `${KNOWN}
    where ($user::uuid is null or d.user_id = $user) and ($status::text is null or d.status = $status)
      and ($fault::text is null or d.fault = $fault) and ($asset::text is null or d.asset = $asset)
      and ($network::text is null or d.network = $network) and ($txHash::text is null or d.tx_hash = $txHash)
      and ($address::text is null or d.address = $address) and ($before::uuid is null or d.id < $before)
    order by d.id desc limit $most`,
});

/** One deposit as administrators see it. */
export const knownDeposit = statement({
  name: 'knownDeposit',
  takes: columnsOf(CryptoDeposit, 'id'),
  gives: { ...known, ...ofNetwork },
  sql: `${KNOWN} where d.id = $id`,
});

/** Gives a deposit under review to its owner, or to the customer who is named; or says why not. */
export const releaseDeposit = statement({
  name: 'releaseDeposit',
  takes: {
    deposit: id<CryptoDepositId>(),
    customer: id<UserId>().nullable(),
    ...{ by: id<UserId>(), clock: moment() },
  },
  gives: {
    refusal: oneOf([
      ...(['crypto_deposit_not_under_review', 'crypto_deposit_held', 'no_owner', 'unknown_owner'] as const),
      ...(['same_person', 'account_closed', 'account_blocked'] as const),
    ]).nullable(),
  },
  sql: `
    select x.refusal
      from clock_check($clock), crypto_deposit_release($deposit, $customer, $by) x`,
});
