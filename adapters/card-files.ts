/** Files of the card network as they lie in the store: JSON lines of clearing, and one JSON object of settlement. */
import { z } from 'zod';
import { CLEARING_KINDS, Merchant, type ClearingKind } from '../domain/cards/payments.ts';
import { parseMoney, type Money } from '../domain/money.ts';

/** Why a file is refused whole. It names no number of a card. */
export class CardFileFault extends Error {}

const networkId = z.string().min(1).max(64);
const Head = z.object({ file_id: networkId, network: networkId, date: z.iso.date() });

const money = z.object({ amount: z.string(), currency: z.string() }).transform((wire, context): Money => {
  const read = parseMoney(wire);
  if (typeof read !== 'string') return read;
  context.addIssue({ code: 'custom', message: read });
  return z.NEVER;
});
const positive = money.refine(({ minor }) => minor > 0n, 'is not positive');

const Record = z.object({
  record_id: networkId,
  payment_id: networkId.nullish(),
  pan: z.string().regex(/^\d{12,19}$/),
  kind: z.enum(CLEARING_KINDS),
  billing: positive,
  merchant_amount: positive.nullish(),
  merchant: Merchant,
  interchange: money.nullish(),
  final: z.boolean().default(true),
});

const Trailer = z.object({ count: z.int().min(0), sums: z.array(money) });
const Settlement = Head.extend({ clearing_files: z.array(networkId).min(1), net: money });

/** What the network says that a payment comes to. Amounts are positive; `interchange` is the bank's share, negative if it gives. */
export interface ClearingRecord {
  readonly recordId: string;
  /** The network's id of the payment, if it names one. */
  readonly paymentId: string | null;
  readonly pan: string;
  readonly kind: ClearingKind;
  readonly billing: Money;
  readonly merchantAmount: Money;
  readonly merchant: Merchant;
  readonly interchange: bigint;
  readonly isFinal: boolean;
}

interface FileHead {
  readonly fileId: string;
  readonly network: string;
  /** `2026-11-30`. */
  readonly day: string;
}

/** A file that is whole: its trailer agrees with its records. */
export type NetworkFile =
  | ({ readonly kind: 'clearing'; readonly records: readonly ClearingRecord[] } & FileHead)
  | ({
      readonly kind: 'settlement';
      readonly clearingFiles: readonly string[];
      readonly net: Money;
    } & FileHead);

/** Reads a file. Throws CardFileFault if it is none of the network, is cut off, or its sums are wrong. */
export function readNetworkFile(content: Buffer): NetworkFile {
  const lines = content.toString('utf8').split('\n');
  // the last line ends too
  if (lines.pop() !== '') throw new CardFileFault('it is cut off: its last line has no end');
  const [first = '', ...rest] = lines;
  const head = read(Head, first, 1);
  const about = { fileId: head.file_id, network: head.network, day: head.date };
  if (rest.length === 0) {
    const { clearing_files: clearingFiles, net } = read(Settlement, first, 1);
    return { ...about, kind: 'settlement', clearingFiles, net };
  }
  const records = rest.slice(0, -1).map((line, index) => recordIn(line, index + 2));
  const trailer = read(Trailer, rest.at(-1) ?? '', lines.length);
  requireWhole(records, trailer);
  return { ...about, kind: 'clearing', records };
}

function recordIn(line: string, number: number): ClearingRecord {
  const { record_id, payment_id, billing, merchant_amount, interchange, ...record } = read(
    Record,
    line,
    number,
  );
  if (interchange != null && interchange.asset !== billing.asset)
    throw new CardFileFault(`line ${String(number)}: interchange is in another currency than billing`);
  return {
    ...{ recordId: record_id, paymentId: payment_id ?? null, pan: record.pan, kind: record.kind, billing },
    ...{ merchantAmount: merchant_amount ?? billing, merchant: record.merchant },
    ...{ interchange: interchange?.minor ?? 0n, isFinal: record.final },
  };
}

/** Says where a line is wrong, and never what it says: it may hold the number of a card. */
function read<S extends z.ZodType>(schema: S, line: string, number: number): z.output<S> {
  const { data, error } = schema.safeParse(jsonIn(line, number));
  if (data !== undefined) return data;
  const [issue] = error?.issues ?? [];
  throw new CardFileFault(`line ${String(number)}: ${issue?.path.join('.') ?? ''} ${issue?.code ?? ''}`);
}

function jsonIn(line: string, number: number): unknown {
  try {
    return JSON.parse(line);
  } catch {
    throw new CardFileFault(`line ${String(number)}: it is no JSON`);
  }
}

/** Compares the records with the trailer: how many there are, and what is to be paid in each currency. */
function requireWhole(records: readonly ClearingRecord[], { count, sums }: z.output<typeof Trailer>): void {
  if (records.length !== count)
    throw new CardFileFault(
      `it has ${String(records.length)} records, and its trailer says ${String(count)}`,
    );
  const found = sumsOf(records);
  const said = new Map(sums.map(({ asset, minor }) => [asset, minor]));
  for (const asset of new Set([...found.keys(), ...said.keys()]))
    if ((found.get(asset) ?? 0n) !== (said.get(asset) ?? 0n))
      throw new CardFileFault(`its records in ${asset} have another sum than its trailer`);
  if (new Set(records.map(({ recordId }) => recordId)).size !== count)
    throw new CardFileFault('it has the same record twice');
}

/** What clearing records come to in each currency of billing: refunds count against the rest. */
function sumsOf(records: readonly Pick<ClearingRecord, 'kind' | 'billing'>[]): ReadonlyMap<string, bigint> {
  const sums = new Map<string, bigint>();
  for (const { kind, billing } of records)
    sums.set(
      billing.asset,
      (sums.get(billing.asset) ?? 0n) + (kind === 'refund' ? -billing.minor : billing.minor),
    );
  return sums;
}

/** Runs of digits that can be the number of a card. */
const NUMBERS = /(?<!\d)\d{12,19}(?!\d)/g;

/** The file as it is kept: of whatever may be the number of a card, the last four digits. */
export function withoutNumbers(content: Buffer): Buffer {
  return Buffer.from(
    content
      .toString('latin1')
      .replace(NUMBERS, (digits) => `${'x'.repeat(digits.length - 4)}${digits.slice(-4)}`),
    'latin1',
  );
}
