/** Deposits of coins, in the worker: what the custodian tells is noted, and booked once the custodian was asked. */
import type { EntityManager } from '@mikro-orm/postgresql';
import type { Logger } from 'pino';
import {
  CustodianFailure,
  type CustodyTransfer,
  type Custodian,
  type UnreadableTransfer,
} from '../../adapters/custody/custodian.ts';
import {
  advanceDeposit,
  coinOfCustodian,
  depositKnown,
  noteDeposit,
  overdueDeposits,
  type ToldDeposit,
} from '../../db/queries/crypto/deposits.ts';
import { readAddress } from '../../domain/addresses/check.ts';
import { readMemo } from '../../domain/addresses/memo.ts';
import type { Chains, Network } from '../../domain/addresses/address.ts';
import type { ToldFault } from '../../domain/crypto/deposits.ts';
import { CryptoDepositId, type UserId } from '../../domain/ids.ts';
import { parseMinor } from '../../domain/money.ts';
import { machineNow } from '../../domain/time/now.ts';
import type { DepositOrder, DepositStep } from '../../workflows/crypto-deposit/contract.ts';
import { depositProcess } from '../../workflows/crypto-deposit/process.ts';
import type { Recovery } from '../platform/recovery.ts';
import { takeMovement, type MovementFault } from './movements.ts';

/** After so long somebody must know that blocks are missing: none of the networks takes that long. */
const LATE_MILLISECONDS = 6 * 60 * 60 * 1_000;

export interface DepositDeps {
  readonly em: () => EntityManager;
  readonly custodian: Pick<Custodian, 'getTransfer' | 'chainHeight'>;
  readonly log: Logger;
}

/** Why the bank cannot take a transaction in: somebody must look. */
export type TransferFault = MovementFault | ToldFault | 'unknown_asset' | 'unreadable_transfer';

/** A deposit that was noted; `isOpen` if its process has something to do. */
export interface Noted {
  readonly id: CryptoDepositId;
  readonly customerId: UserId | null;
  readonly isOpen: boolean;
}

/** Notes a transaction that the custodian has told of. A deposit is not booked yet; what moves for the bank itself is, and is undefined. */
export async function noteTransfer(
  em: () => EntityManager,
  transfer: CustodyTransfer | UnreadableTransfer,
): Promise<Noted | TransferFault | undefined> {
  if (!('unreadable' in transfer) && !isDeposit(transfer)) return takeMovement(em, transfer);
  const told = await toldOf(em, transfer);
  if (told === undefined || typeof told === 'string') return told;
  const { deposit, customer, isOpen, fault } = await noteDeposit.one(em(), { told });
  if (fault !== null) return fault;
  return deposit === null ? undefined : { id: deposit, customerId: customer, isOpen };
}

/** Asks the custodian how a deposit is, notes it, and books it if that is final. A repeat books nothing again. */
export async function lookAtDeposit(deps: DepositDeps, deposit: CryptoDepositId): Promise<DepositStep> {
  const { em, custodian, log } = deps;
  const { custodyId, status, isOpen, requiredConfirmations } = await depositKnown.one(em(), { deposit });
  const unchanged = { status, isOpen, isNear: false };
  try {
    const transfer = await custodian.getTransfer(custodyId);
    const isBooked = status !== 'pending' && status !== 'reversed';
    // what is booked waits for no block
    const needed = isBooked ? 0 : requiredConfirmations;
    const told = await toldOf(em, await counted(custodian, transfer, needed));
    if (told === undefined || typeof told === 'string') {
      log.error(
        { alert: 'crypto_deposit_unreadable', deposit, fault: told ?? 'unknown_transfer' },
        'the custodian does not know a deposit any more, or tells of it what the bank cannot read: somebody must look at it',
      );
      return { ...unchanged, isAway: false };
    }
    const {
      state,
      changed,
      reason,
      isOpen: isStillOpen,
      isNear,
    } = await advanceDeposit.one(em(), {
      told,
      clock: machineNow(),
    });
    if (changed) alarm(log, deposit, state, reason, status);
    if (
      state === 'pending' &&
      isNear &&
      machineNow().getTime() - Date.parse(told.updated_at) > LATE_MILLISECONDS
    )
      log.error(
        { alert: 'crypto_deposit_late', deposit, confirmations: told.confirmations },
        'the custodian has completed a deposit hours ago, and the chain has fewer blocks than its network needs',
      );
    return { status: state, isOpen: isStillOpen, isNear, isAway: false };
  } catch (error) {
    if (!(error instanceof CustodianFailure)) throw error;
    log.warn({ err: error, deposit }, 'the custodian does not say how a deposit is; it is asked again');
    return { ...unchanged, isAway: true };
  }
}

/** A transaction with all its blocks: the custodian counts until its own policy is content, and the height of the chain says the rest. */
async function counted(
  custodian: DepositDeps['custodian'],
  transfer: CustodyTransfer | UnreadableTransfer | null,
  needed: number,
): Promise<typeof transfer> {
  if (transfer === null || 'unreadable' in transfer) return transfer;
  const { status, to, asset, block, confirmations } = transfer;
  if (status !== 'completed' || to.kind !== 'vault' || block === null || confirmations >= needed)
    return transfer;
  const height = await custodian.chainHeight(to.vault, asset);
  return { ...transfer, confirmations: Math.max(confirmations, height - Number(block.height) + 1) };
}

/** Says what people must know of a deposit that has changed. */
function alarm(
  log: Logger,
  deposit: CryptoDepositId,
  status: DepositStep['status'],
  fault: string | null,
  before: DepositStep['status'],
): void {
  // what the watch holds has a flag that somebody reviews
  if (status === 'under_review' && fault !== 'aml_review')
    log.error(
      { alert: 'crypto_deposit_under_review', deposit, fault },
      'coins have arrived that cannot be credited: somebody must look whose they are',
    );
  if (status === 'reversed' && before !== 'pending')
    log.error(
      { alert: 'crypto_deposit_reversed', deposit },
      'the chain has dropped a transaction whose coins were booked; they are taken back',
    );
}

/** Gas comes from the custodian, and coins move between vaults: neither is anybody's deposit. */
const isDeposit = ({ from, to }: CustodyTransfer): boolean => from.kind === 'outside' && to.kind === 'vault';

/** A transaction as the bank writes it; undefined if it is unknown or nothing arrives in a vault from outside. */
async function toldOf(
  em: () => EntityManager,
  transfer: CustodyTransfer | UnreadableTransfer | null,
): Promise<ToldDeposit | TransferFault | undefined> {
  if (transfer === null) return undefined;
  if ('unreadable' in transfer) return 'unreadable_transfer';
  const { to, address, txHash, block } = transfer;
  if (!isDeposit(transfer) || to.kind !== 'vault') return undefined;
  const coin = await coinOfCustodian.first(em(), { custodyAsset: transfer.asset });
  if (coin === undefined) return 'unknown_asset';
  const amount = parseMinor(transfer.amount, coin.scale);
  if (typeof amount === 'string') return 'unreadable_amount';
  return {
    ...{ custody_id: transfer.id, status: transfer.status, told: transfer.told },
    ...{ updated_at: new Date(transfer.lastUpdated).toISOString(), vault: to.vault },
    ...{ asset: coin.asset, network: coin.network, tx_hash: txHash, output_index: transfer.index },
    ...placeOf(coin.network, address, transfer.memo, coin.chains),
    source_address: addressOf(coin.network, transfer.fromAddress, coin.chains),
    chain_amount: amount.toString(),
    ...{ confirmations: transfer.confirmations, block_hash: block?.hash ?? null },
  };
}

/** Address and memo in the form in which the bank compares them. What has no such form is nobody's, and is kept as it was told. */
function placeOf(
  network: Network,
  text: string | null,
  tag: string | null,
  chains: Chains,
): Pick<ToldDeposit, 'address' | 'memo'> {
  const found = text === null ? undefined : readAddress(network, text, chains);
  const held = typeof found === 'object' ? found.memo : null;
  const given = tag === null ? null : { value: tag, type: null };
  const memo = readMemo(network, 'optional', held, given);
  return {
    address: addressOf(network, text, chains),
    memo: typeof memo === 'string' ? tag : (memo?.value ?? null),
  };
}

/** An address in the form in which the bank compares it; as it was told if it has none. */
function addressOf(network: Network, text: string | null, chains: Chains): string | null {
  const found = text === null ? undefined : readAddress(network, text, chains);
  return typeof found === 'object' ? found.address : text;
}

export const depositRecovery: Recovery<DepositOrder> = {
  process: depositProcess,
  async orderOf(db, id) {
    const deposit = CryptoDepositId.parse(id);
    const known = await depositKnown.first(db, { deposit });
    return known?.isOpen === true ? { id: deposit, customerId: known.userId } : undefined;
  },
  overdue: (db, page) => overdueDeposits.all(db, page),
};
