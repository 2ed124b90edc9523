/** Transfers and quotes as the wire shows them. */
import type { z } from 'zod';
import type { Config } from '../../config.ts';
import type { QuoteTerms } from '../../db/queries/transfers/quotes.ts';
import type { TransferStory } from '../../db/queries/transfers/transfer-story.ts';
import type { OwnTransferRow, TransferRow } from '../../db/queries/transfers/transfers.ts';
import type { QuoteId } from '../../domain/ids.ts';
import { restoredPrice, type Price } from '../../domain/pricing/pricing.ts';
import { now } from '../../domain/time/now.ts';
import { shownStatus, type TransferStatus } from '../../domain/transfers/transfers.ts';
import { movementProcesses } from '../../workflows/transfer/process.ts';
import { Provisional } from '../declaration/outline.ts';
import { processLink } from '../wire/process-link.ts';
import type { Intent } from '../../services/transfers/intent.ts';
import type * as wire from './schemas.ts';

type Numbers = Pick<
  z.output<typeof wire.Transfer>,
  'amount' | 'target_amount' | 'fees' | 'total_debit' | 'exchange'
>;

function numbersOf({ source, target, fees, exchange, totalDebit }: Price): Numbers {
  return {
    amount: source,
    target_amount: target,
    fees: fees.map(({ ruleId, version, code, description, minor }) => ({
      code,
      description,
      amount: { minor, asset: source.asset },
      rule_id: ruleId,
      rule_version: version,
    })),
    total_debit: totalDebit,
    exchange: exchange && {
      rate: exchange.rate,
      mid_rate: exchange.midRate,
      spread_bps: exchange.spreadBps,
      spread: exchange.spread,
      as_of: exchange.asOf,
    },
  };
}

/** A quote that was just frozen. Whoever asks by email or phone does not learn the account number behind it. */
export function quoteView(
  id: QuoteId,
  { type, source, payee, byContact }: Intent,
  price: Price,
  frozen: QuoteTerms,
): z.output<typeof wire.TransferQuote> {
  return {
    id,
    type,
    source_account_id: source.id,
    destination_account_number: byContact ? null : (payee.account?.number ?? null),
    beneficiary: payee.beneficiary && {
      name: payee.beneficiary.name,
      iban: payee.beneficiary.iban,
      account: payee.beneficiary.account,
      bic: payee.beneficiary.bic,
      country: payee.beneficiary.country,
    },
    ...numbersOf(price),
    requires_approval: frozen.requiresApproval,
    expires_at: frozen.expiresAt,
  };
}

/** As its customer sees it. */
export function transferView(transfer: OwnTransferRow): z.output<typeof wire.Transfer> {
  return {
    ...plainView(transfer),
    // who of the bank has decided is not theirs to know either
    decision: transfer.decisionBy === transfer.customerId ? decisionView(transfer) : null,
    status: shownStatus(transfer.status, transfer.dueAt),
  };
}

function plainView(transfer: OwnTransferRow): Omit<z.output<typeof wire.Transfer>, 'status'> {
  const price = restoredPrice(
    { minor: transfer.amount, asset: transfer.asset },
    { minor: transfer.targetAmount, asset: transfer.targetAsset },
    transfer.price,
  );
  return {
    id: transfer.id,
    type: transfer.typeCode ?? transfer.kind,
    source_account_id: transfer.sourceAccountId,
    destination_account_number: transfer.destinationNumber,
    beneficiary:
      transfer.beneficiaryName === null || transfer.beneficiaryCountry === null
        ? null
        : {
            name: transfer.beneficiaryName,
            iban: transfer.beneficiaryIban,
            account: transfer.beneficiaryAccount,
            bic: transfer.beneficiaryBic,
            country: transfer.beneficiaryCountry,
          },
    ...numbersOf(price),
    description: transfer.description,
    quote_id: transfer.quoteId,
    failure_code: transfer.failureCode,
    return_code: transfer.returnCode,
    created_at: transfer.createdAt,
    approve_until: transfer.approveUntil,
    due_at: transfer.dueAt,
    submitted_at: transfer.submittedAt,
    finished_at: transfer.finishedAt,
    decision: decisionView(transfer),
  };
}

function decisionView({
  decision: kind,
  decisionBy: by,
  decisionAt: at,
  decisionState: state,
}: OwnTransferRow) {
  if (kind === null || by === null || at === null || state === null || state === 'refused') return null;
  return { kind, by, at, state };
}

export type Decided<View> = View | Provisional<View>;

/** The answer to a decision. One that its process has not carried out yet is not the last word. */
export function decided<View>(
  { decisionState }: Pick<TransferRow, 'decisionState'>,
  view: View,
): Decided<View> {
  return decisionState === 'accepted' ? new Provisional(view) : view;
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
): z.output<typeof wire.AdminTransfer> {
  const workflowId = movementProcesses[transfer.kind].workflowId(transfer.id);
  const process = processLink(workflowId, config);
  const waitsFor = WAITS_FOR[transfer.status] ?? null;
  return {
    ...plainView(transfer),
    status: transfer.status,
    type: transfer.typeCode,
    kind: transfer.kind,
    source_account_number: transfer.sourceNumber,
    destination_account_id: transfer.destinationAccountId,
    customer_id: transfer.customerId,
    requested_by: transfer.requestedBy,
    requires_approval: transfer.requiresApproval,
    waits_for: waitsFor,
    waiting_seconds:
      waitsFor === null
        ? null
        : Math.max(0, Math.floor((now().getTime() - transfer.createdAt.getTime()) / 1_000)),
    reason: transfer.reason,
    approved_by: transfer.approvedBy,
    approved_at: transfer.approvedAt,
    decided_by: transfer.decidedBy,
    decision_reason: transfer.decisionReason,
    reverses_id: transfer.reversesId,
    reversed_by_id: transfer.reversedById,
    value_date: transfer.valueDate,
    transaction_id: transfer.transactionId,
    return_transaction_id: transfer.returnTransactionId,
    workflow_id: workflowId,
    workflow_url: process.url,
    process,
  };
}

/** The whole story of a transfer beside it. */
export function storyView({
  events,
  entries,
}: TransferStory): Required<Pick<z.output<typeof wire.AdminTransfer>, 'events' | 'entries'>> {
  return {
    events: events.map(({ at, action, after, actorId, actorRole, reason }) => ({
      at: at,
      action,
      status: after?.status ?? null,
      actor_id: actorId,
      actor_role: actorRole,
      reason,
    })),
    entries: entries.map(({ amount, asset, ...entry }) => ({
      transaction_id: entry.transactionId,
      kind: entry.kind,
      account_id: entry.accountId,
      account: entry.account,
      part: entry.part,
      value_date: entry.valueDate,
      amount: { minor: amount, asset },
      booked_at: entry.bookedAt,
    })),
  };
}
