/** What codec, workflows, activities and API agree on about payloads that were not sealed for the process they reach. */

/** Why a payload was refused: `plain` was never sealed, `unbound` and `foreign` for no process and another one, `broken` does not open. */
export type PayloadRefusal = 'plain' | 'unbound' | 'foreign' | 'broken';

const REFUSED = 'teller.refused_payload';

/** What the codec puts in the place of a refused payload. The codec must not throw: the workflow task would be retried for ever. */
export function refusedPayload(reason: PayloadRefusal): Readonly<Record<string, PayloadRefusal>> {
  return { [REFUSED]: reason };
}

export function isRefusedPayload(value: unknown): boolean {
  return typeof value === 'object' && value !== null && Object.hasOwn(value, REFUSED);
}

/**
 * The one argument that an update carries: its name, and the arguments that its process reads. Sealed together, so that what was sealed
 * for the same process on another path, such as its input, is not taken for a decision.
 */
export function namedUpdate(update: string, args: readonly unknown[]): unknown[] {
  return [{ update, args }];
}

/** The arguments of an update of this name; undefined if it is not one of ours. */
export function argumentsOf(update: string, [sent]: readonly unknown[]): unknown[] | undefined {
  if (typeof sent !== 'object' || sent === null || !('update' in sent) || !('args' in sent)) return undefined;
  return sent.update === update && Array.isArray(sent.args) ? sent.args : undefined;
}

/** Whether a call comes from us. No argument proves nothing: a call of ours that needs none carries a sealed null. */
export function areSealed(args: readonly unknown[]): boolean {
  return args.length > 0 && !args.some(isRefusedPayload);
}
