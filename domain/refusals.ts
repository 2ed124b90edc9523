/**
 * Every "no" the service gives: code → status, title, cause and cure. Code throws or returns a `Refusal` with one of these
 * codes; one place (`api/pipeline/problem.ts`) turns it into an RFC 9457 Problem; the docs page is made from the same table.
 * A code is stable: clients decide by it.
 */
import { accountRefusals } from './refusals/accounts.ts';
import { callerRefusals } from './refusals/caller.ts';
import { requestRefusals } from './refusals/request.ts';
import { serviceRefusals } from './refusals/service.ts';
import { supportRefusals } from './refusals/support.ts';
import { transferRefusals } from './refusals/transfers.ts';

export const refusals = {
  ...requestRefusals,
  ...callerRefusals,
  ...accountRefusals,
  ...transferRefusals,
  ...supportRefusals,
  ...serviceRefusals,
} as const;

export type RefusalCode = keyof typeof refusals;

/** All codes. */
export const refusalCodes: readonly RefusalCode[] = Object.keys(refusals) as RefusalCode[];

/** One field at fault: an RFC 6901 pointer into the body, or `query/name`, `path/name`, `header/name`. */
export interface FieldFault {
  readonly pointer: string;
  readonly code: string;
  readonly detail: string;
}

export interface RefusalOptions {
  /** A sentence for this occurrence; never a secret, never SQL. */
  readonly detail?: string;
  readonly errors?: readonly FieldFault[];
  /** Seconds after which a retry makes sense. */
  readonly retryAfter?: number;
  /** More members for the Problem, such as `available` or `permission`. */
  readonly members?: Readonly<Record<string, unknown>>;
}

/**
 * A business "no". Thrown, it undoes the operation's transaction; returned from a handler, it lets the transaction commit
 * (an attempt that must be counted). Codes only: nothing internal can leak through it.
 */
export class Refusal extends Error {
  override readonly name = 'Refusal';
  readonly code: RefusalCode;
  readonly options: RefusalOptions;

  constructor(code: RefusalCode, options: RefusalOptions = {}) {
    super(code);
    this.code = code;
    this.options = options;
  }
}

/** One field at fault, found only after the shape was right. `pointer` as in `FieldFault`. */
export function faultIn(pointer: string, code: string, detail: string): Refusal {
  return new Refusal('invalid_request', { errors: [{ pointer, code, detail }] });
}
