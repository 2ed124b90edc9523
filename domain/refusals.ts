/**
 * Every "no" the service gives: code → status, title, cause and cure. Code throws or returns a `Refusal` with one of these
 * codes; one place (`api/pipeline/http/problem.ts`) turns it into an RFC 9457 Problem; the docs page is made from the same table.
 * A code is stable: clients decide by it.
 */
import { accountRefusals } from './refusals/accounts.ts';
import { amlRefusals } from './refusals/aml.ts';
import { callerRefusals } from './refusals/caller.ts';
import { cardRefusals } from './refusals/cards.ts';
import { complianceRefusals } from './refusals/compliance.ts';
import { cryptoRefusals } from './refusals/crypto.ts';
import { notificationRefusals } from './refusals/notifications.ts';
import { requestRefusals } from './refusals/request.ts';
import { serviceRefusals } from './refusals/service.ts';
import { screeningRefusals } from './refusals/screening.ts';
import { supportRefusals } from './refusals/support.ts';
import { transferRefusals } from './refusals/transfers.ts';

export const refusals = {
  ...requestRefusals,
  ...callerRefusals,
  ...accountRefusals,
  ...transferRefusals,
  ...cardRefusals,
  ...amlRefusals,
  ...complianceRefusals,
  ...cryptoRefusals,
  ...supportRefusals,
  ...screeningRefusals,
  ...notificationRefusals,
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
  /** The place in a text of several lines, both counted from 1. */
  readonly line?: number;
  readonly column?: number;
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
export class Refusal<Code extends RefusalCode = RefusalCode> extends Error {
  override readonly name = 'Refusal';
  readonly code: Code;
  readonly options: RefusalOptions;

  constructor(code: Code, options: RefusalOptions = {}) {
    super(code);
    this.code = code;
    this.options = options;
  }
}

/** Tells a refusal from another error or an answer. */
export function isRefusal(value: unknown): value is Refusal {
  return value instanceof Refusal;
}

/** Refusals that every operation may give, so that none has to declare them. */
export type FrameCode = 'not_found' | 'invalid_request' | 'unauthenticated' | 'unavailable';

/** Makes a refusal with one of these codes. Whatever may refuse takes one, so that the operation behind it has to declare its codes. */
export type Refuse<Code extends RefusalCode> = (code: Code, options?: RefusalOptions) => Refusal;

/** For whoever answers to no declaration: activities, commands, the frame. */
export const refuse: Refuse<RefusalCode> = (code, options) => new Refusal(code, options);

/** What was looked for. Refuses not_found where there is none. */
export function found<Thing>(thing: Thing | null | undefined): Thing {
  if (thing === null || thing === undefined) throw new Refusal('not_found');
  return thing;
}

/** One field at fault, found only after the shape was right. `pointer` as in `FieldFault`. */
export function faultIn(pointer: string, code: string, detail: string): Refusal<'invalid_request'> {
  return faultsIn([{ pointer, code, detail }]);
}

/** Several of them. */
export function faultsIn(errors: readonly FieldFault[]): Refusal<'invalid_request'> {
  return new Refusal('invalid_request', { errors });
}
