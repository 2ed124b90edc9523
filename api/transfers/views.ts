/** Transfers and quotes as the wire shows them. */
import type { z } from 'zod';
import type { Config } from '../../config.ts';
import type {
  OwnTransferRow,
  TransferEntry,
  TransferEvent,
  TransferRow,
} from '../../db/queries/transfers/transfers.ts';
import { formatMoney, type MoneyWire } from '../../domain/money.ts';
import { restoredPrice, type Price } from '../../domain/pricing.ts';
import type { TransferStatus } from '../../domain/transfers.ts';
import { movementProcesses } from '../../workflows/transfer/contract.ts';
import type { Intent } from './intent.ts';
import type * as wire from './schemas.ts';

type Numbers = Pick<
  z.input<typeof wire.Transfer>,
  'amount' | 'target_amount' | 'fees' | 'total_debit' | 'exchange'
>;

function numbersOf({ source, target, fees, exchange, totalDebit }: Price): Numbers {
  return {
    amount: formatMoney(source),
    target_amount: formatMoney(target),
    fees: fees.map(({ ruleId, version, code, description, minor }) => ({
      code,
      description,
      amount: formatMoney({ minor, asset: source.asset }),
      rule_id: ruleId,
      rule_version: version,
    })),
    total_debit: formatMoney(totalDebit),
    exchange: exchange && {
      rate: exchange.rate,
      mid_rate: exchange.midRate,
      spread_bps: exchange.spreadBps,
      spread: formatMoney(exchange.spread),
      as_of: exchange.asOf,
    },
  };
}

/** A quote that was just frozen. */
export function quoteView(
  id: string,
  { type, source, payee }: Intent,
  price: Price,
  frozen: { readonly requires_approval: boolean; readonly expires_at: Date },
): z.input<typeof wire.TransferQuote> {
  return {
    id,
    type,
    source_account_id: source.id,
    destination_account_number: payee.account?.number ?? null,
    beneficiary: payee.beneficiary && {
      name: payee.beneficiary.name,
      iban: payee.beneficiary.iban,
      account: payee.beneficiary.account,
      bic: payee.beneficiary.bic,
      country: payee.beneficiary.country,
    },
    ...numbersOf(price),
    requires_approval: frozen.requires_approval,
    expires_at: frozen.expires_at.toISOString(),
  };
}

/** As its customer sees it: that an account is flagged is not theirs to know, so a held transfer looks like one that is reviewed. */
export function transferView(transfer: OwnTransferRow): z.input<typeof wire.Transfer> {
  return {
    ...plainView(transfer),
    status: transfer.status === 'aml_review' ? 'pending_approval' : transfer.status,
  };
}

function plainView(transfer: OwnTransferRow): z.input<typeof wire.Transfer> {
  const price = restoredPrice(
    { minor: BigInt(transfer.amount), asset: transfer.asset },
    { minor: BigInt(transfer.target_amount), asset: transfer.target_asset },
    transfer.price,
  );
  return {
    id: transfer.id,
    type: transfer.type_code ?? transfer.kind,
    status: transfer.status,
    source_account_id: transfer.source_account_id,
    destination_account_number: transfer.destination_number,
    beneficiary:
      transfer.beneficiary_name === null || transfer.beneficiary_country === null
        ? null
        : {
            name: transfer.beneficiary_name,
            iban: transfer.beneficiary_iban,
            account: transfer.beneficiary_account,
            bic: transfer.beneficiary_bic,
            country: transfer.beneficiary_country,
          },
    ...numbersOf(price),
    description: transfer.description,
    quote_id: transfer.quote_id,
    failure_code: transfer.failure_code,
    return_code: transfer.return_code,
    created_at: transfer.created_at.toISOString(),
    approve_until: transfer.approve_until?.toISOString() ?? null,
    due_at: transfer.due_at?.toISOString() ?? null,
    submitted_at: transfer.submitted_at?.toISOString() ?? null,
    finished_at: transfer.finished_at?.toISOString() ?? null,
  };
}

const WAITS_FOR: Partial<Record<TransferStatus, 'approval' | 'aml_clearance' | 'rail_window' | 'rail'>> = {
  pending_approval: 'approval',
  aml_review: 'aml_clearance',
  queued: 'rail_window',
  submitted: 'rail',
};

/** With who asked, who decided, what it waits for, and where its process is to be seen. */
export function adminTransferView(
  transfer: TransferRow,
  config: Pick<Config, 'TEMPORAL_UI_URL' | 'TEMPORAL_NAMESPACE'>,
): z.input<typeof wire.AdminTransfer> {
  const workflowId = movementProcesses[transfer.kind].workflowId(transfer.id);
  const waitsFor = WAITS_FOR[transfer.status] ?? null;
  return {
    ...plainView(transfer),
    type: transfer.type_code,
    kind: transfer.kind,
    source_account_number: transfer.source_number,
    destination_account_id: transfer.destination_account_id,
    customer_id: transfer.customer_id,
    requested_by: transfer.requested_by,
    requires_approval: transfer.requires_approval,
    waits_for: waitsFor,
    waiting_seconds:
      waitsFor === null
        ? null
        : Math.max(0, Math.floor((Date.now() - transfer.created_at.getTime()) / 1_000)),
    reason: transfer.reason,
    approved_by: transfer.approved_by,
    approved_at: transfer.approved_at?.toISOString() ?? null,
    decided_by: transfer.decided_by,
    decision_reason: transfer.decision_reason,
    reverses_id: transfer.reverses_id,
    reversed_by_id: transfer.reversed_by_id,
    value_date: transfer.value_date,
    transaction_id: transfer.transaction_id,
    return_transaction_id: transfer.return_transaction_id,
    workflow_id: workflowId,
    workflow_url: `${config.TEMPORAL_UI_URL}/namespaces/${config.TEMPORAL_NAMESPACE}/workflows/${encodeURIComponent(workflowId)}`,
  };
}

/** The whole story of a transfer beside it. */
export function storyView({
  events,
  entries,
}: {
  readonly events: readonly TransferEvent[];
  readonly entries: readonly TransferEntry[];
}): Required<Pick<z.input<typeof wire.AdminTransfer>, 'events' | 'entries'>> {
  const money = (minor: string, asset: string): MoneyWire => formatMoney({ minor: BigInt(minor), asset });
  return {
    events: events.map(({ at, action, after, actor_id, actor_role, reason }) => ({
      at: at.toISOString(),
      action,
      status: after?.status ?? null,
      actor_id,
      actor_role,
      reason,
    })),
    entries: entries.map(({ amount, asset, booked_at, ...entry }) => ({
      ...entry,
      amount: money(amount, asset),
      booked_at: booked_at.toISOString(),
    })),
  };
}
