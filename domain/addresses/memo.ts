/** Tags and memos: whom a payment is for at an address that many share. */
import { isReadableLine } from '../text.ts';
import type { Memo, MemoType, Network } from './address.ts';

/** What a network asks for beside an address. */
export const MEMO_RULES = ['none', 'optional', 'required'] as const;
export type MemoRule = (typeof MEMO_RULES)[number];

/** Which memos the payments of a chain carry. The first is the default. */
const TYPES: Readonly<Partial<Record<Network, readonly [MemoType, ...MemoType[]]>>> = {
  ripple: ['tag'],
  stellar: ['text', 'id'],
};

/** Whether the payments of a chain carry memos at all. */
export const carriesMemos = (network: Network): boolean => TYPES[network] !== undefined;

/** What a memo is on the network unless somebody says otherwise; null if payments carry none. */
export const usualMemoType = (network: Network): MemoType | null => TYPES[network]?.[0] ?? null;

/** Why a memo cannot be taken. */
export const MEMO_FAULTS = {
  memo_required: 'needs a memo, or a tag, of the recipient',
  memo_not_taken: 'comes with a memo or a tag, which the bank does not send on this network',
  memo_invalid:
    'comes with a memo that cannot be: a tag and an id are whole numbers of at most 32 and 64 bits, a text has at most 28 bytes and no blanks around it',
  memo_conflict: 'holds a tag or an id, and the memo given is another one',
} as const;
export type MemoFault = keyof typeof MEMO_FAULTS;

const DIGITS = /^\d{1,20}$/;
const MOST = { tag: 2n ** 32n - 1n, id: 2n ** 64n - 1n } as const;
const MOST_TEXT_BYTES = 28;

/** What somebody gives beside an address. */
export interface GivenMemo {
  readonly value: string;
  readonly type: MemoType | null;
}

/** The memo of a payment: the one given, or the one that the address holds. */
export function readMemo(
  network: Network,
  rule: MemoRule,
  held: Memo | null,
  given: GivenMemo | null,
): Memo | null | MemoFault {
  const types = rule === 'none' ? undefined : TYPES[network];
  if (given === null && held === null) return rule === 'required' ? 'memo_required' : null;
  if (types === undefined) return 'memo_not_taken';
  if (given === null) return held;
  const type = given.type ?? held?.type ?? types[0];
  const value = types.includes(type) ? readValue(type, given.value) : undefined;
  if (value === undefined) return 'memo_invalid';
  if (held !== null && (held.type !== type || held.value !== value)) return 'memo_conflict';
  return { type, value };
}

/** In one form: 007 and 7 are the same tag. */
function readValue(type: MemoType, value: string): string | undefined {
  if (type === 'text') {
    const bytes = Buffer.byteLength(value);
    // a line end that was copied too would make it another memo
    const isPlain = value === value.trim() && isReadableLine(value);
    return isPlain && bytes > 0 && bytes <= MOST_TEXT_BYTES ? value : undefined;
  }
  if (!DIGITS.test(value)) return undefined;
  const number = BigInt(value);
  return number <= MOST[type] ? number.toString() : undefined;
}
