/** Refusals in the order in which the documents show them. */
import { refusals, type RefusalCode } from '../../domain/refusals.ts';

/** By status, then by name. */
export function inOrder(codes: Iterable<RefusalCode>): RefusalCode[] {
  return [...codes].sort(
    (one, other) => refusals[one].status - refusals[other].status || one.localeCompare(other),
  );
}
