/** Card payments as the wire shows them. */
import type { z } from 'zod';
import type {
  CardMessageRow,
  CardPaymentAfterRow,
  CardPaymentRow,
} from '../../../db/queries/cards/payments.ts';
import type { CardFileRow, ClearingRow } from '../../../db/queries/cards/files.ts';
import { IRREGULARITIES, type CardFileStatus, type StoredDecline } from '../../../domain/cards/payments.ts';
import { moneyIn, parseMoney, type Money } from '../../../domain/money.ts';
import { viewOf } from '../../wire/rows.ts';
import * as wire from './schemas.ts';

const view = viewOf(wire.CardPayment);
const adminView = viewOf(wire.AdminCardPayment);
const recordView = viewOf(wire.CardClearing);
const fileView = viewOf(wire.CardFile);
const fileWithRecordsView = viewOf(wire.CardFileWithRecords);

/** A payment as its holder sees it. */
export function cardPaymentView(payment: CardPaymentRow): z.output<typeof wire.CardPayment> {
  return view(fieldsOf(payment));
}

/** A payment as the back office sees it. */
export function adminCardPaymentView(
  payment: CardPaymentRow,
  messages: readonly CardMessageRow[],
  history: readonly CardPaymentAfterRow[],
  clearings: readonly ClearingRow[],
): z.output<typeof wire.AdminCardPayment> {
  return adminView({
    ...fieldsOf(payment),
    userId: payment.ownerId,
    clearings: clearings.map(clearingView),
    messages: messages.map((row, index) => messageView(row, history[index], payment.asset)),
  });
}

/** A clearing record as the back office sees it. */
export function clearingView(row: ClearingRow): z.output<typeof wire.CardClearing> {
  const { asset, merchantAmount, merchantAsset, networkId, isFinal, fee, ...record } = row;
  const money = moneyIn(asset);
  return recordView({
    ...record,
    ...{ paymentId: networkId, amount: money(record.amount), interchange: money(record.interchange) },
    ...{ merchantAmount: moneyIn(merchantAsset)(merchantAmount), final: isFinal },
    fee: fee === null ? null : money(fee),
  });
}

/** A file of the network as the back office sees it. */
export function cardFileView(row: CardFileRow): z.output<typeof wire.CardFile> {
  return fileView(fileFields(row));
}

/** A file with the records that somebody has to look at. */
export function cardFileWithRecordsView(
  row: CardFileRow,
  aside: readonly ClearingRow[],
): z.output<typeof wire.CardFileWithRecords> {
  return fileWithRecordsView({ ...fileFields(row), aside: aside.map(clearingView) });
}

function fileFields(row: CardFileRow) {
  const {
    networkId,
    businessDay,
    aside,
    net,
    asset,
    isWaiting: _waiting,
    isSettled: _settled,
    ...file
  } = row;
  return {
    ...file,
    ...{ fileId: networkId, date: businessDay, recordsAside: aside, status: fileStatus(row) },
    net: net === null || asset === null ? null : moneyIn(asset)(net),
  };
}

function fileStatus({ fault, isSettled, isWaiting, kind }: CardFileRow): CardFileStatus {
  if (fault !== null) return 'refused';
  if (isSettled) return 'settled';
  return isWaiting || kind === 'settlement' ? 'waiting' : 'booked';
}

function messageView(row: CardMessageRow, after: CardPaymentAfterRow | undefined, currency: string) {
  const { stoodIn, approvalCode, amount, approved, asset, reversesStan, reversesRrn, ...message } = row;
  const money = (minor: bigint | null) => (minor === null || asset === null ? null : moneyIn(asset)(minor));
  return {
    ...message,
    reverses: reversesStan === null || reversesRrn === null ? null : { stan: reversesStan, rrn: reversesRrn },
    ...{ stood_in: stoodIn, approval_code: approvalCode },
    ...{ amount: money(amount), approved: money(approved) },
    after: after === undefined ? null : afterView(after, currency),
  };
}

function afterView({ status, authorised, reversed, held }: CardPaymentAfterRow, currency: string) {
  const money = moneyIn(currency);
  return { status, authorised: money(authorised), reversed: money(reversed), held: money(held) };
}

function fieldsOf(payment: CardPaymentRow) {
  const { asset, decline, declinedAt, merchantAmount, merchantAsset } = payment;
  const money = moneyIn(asset);
  return {
    ...payment,
    paymentId: payment.networkId,
    authorised: money(payment.authorised),
    reversed: money(payment.reversed),
    cleared: money(payment.cleared),
    refunded: money(payment.refunded),
    held: money(payment.held),
    merchantAmount:
      merchantAmount === null || merchantAsset === null ? null : moneyIn(merchantAsset)(merchantAmount),
    decline: decline && declinedAt && { ...declineView(decline, asset), at: declinedAt },
    irregularities: payment.irregularities.map(({ code, at }) => ({
      code,
      at,
      message: IRREGULARITIES[code],
    })),
  };
}

function declineView({ reason, rule, limit, used, remaining }: StoredDecline, currency: string) {
  const part = (value: string | number | undefined): Money | number | null => {
    if (typeof value !== 'string') return value ?? null;
    const money = parseMoney({ amount: value, currency });
    return typeof money === 'string' ? null : money;
  };
  return { reason, rule, limit: part(limit), used: part(used), remaining: part(remaining) };
}
