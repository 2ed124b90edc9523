/**
 * The sandbox custodian that all banks of the stack share. Vaults of other tests are there too, so look for your own. Faults, fees and
 * settings are everybody's: a test that changes them starts a custodian of its own (`process.ts`).
 */
import { stack } from '../stack/stack.ts';
import { controlAt } from './control.ts';

/** A control call that must work; returns the body of the answer. */
export function custodianControl(method: string, path: string, body?: unknown): Promise<unknown> {
  return controlAt(stack.custodianControl).told(method, path, body);
}
