/** What API, workers and workflows agree on about a kind of process; each process's contract.ts declares one. */
import type { RefusalCode } from './refusals.ts';

/** A kind of durable process. `type` is the exported workflow function's name; ids are deterministic, so a repeat finds the same run. */
export interface Process<Input> {
  /** Value of the search attribute TellerProcess and the declaration's `process`: `transfer`. */
  readonly name: string;
  /** Name of the workflow function in workflows/index.ts. */
  readonly type: string;
  /** `transfer/{id}`. */
  workflowId(id: string): string;
  /** The business id that the process is about. */
  idOf(input: Input): string;
  /** Opaque id of the customer it concerns, for the search attribute TellerCustomerId. */
  customerOf?(input: Input): string | null;
  /** One line for the Web UI, unless its row tells more (services/platform/telling.ts); no personal data. */
  summary(input: Input): string;
}

/** All that is needed to start a process, whatever its kind. */
export interface ProcessStart {
  /** As `Process` says for this input. */
  readonly workflowId: string;
  readonly name: string;
  readonly type: string;
  readonly summary: string;
  readonly customer: string | null;
  readonly input: unknown;
  /** The request that began it, as far as the start tells. */
  readonly requestId?: string | null;
  /** The `traceparent` (W3C Trace Context) of that request, if it is traced. */
  readonly trace?: string | null;
}

/** Header of activities: the request that began their process, for the log. Not sealed, because it says nothing of anybody. */
export const REQUEST_HEADER = 'teller-request-id';

/** A business "no" as a value: workflows and activities answer it, they do not throw it (a thrown error would be retried). */
export interface Refused {
  readonly refused: RefusalCode;
  readonly members?: Readonly<Record<string, unknown>>;
}

/** Tells a refusal from an answer. */
export function isRefused(outcome: object): outcome is Refused {
  return 'refused' in outcome;
}
