/** What can be made to go wrong with a call of a simulator, the same for all of them. */

/** `timeout_after_commit` does what was asked and answers too late; the others do nothing. */
export const FAULTS = [
  'refuse',
  'timeout',
  'timeout_after_commit',
  'http_500',
  'http_503',
  'http_429',
] as const;
export type Fault = (typeof FAULTS)[number];

/** A fault that the next calls of this name will have. */
export interface ArmedFault {
  readonly call: string;
  readonly fault: Fault;
  readonly times: number;
}
