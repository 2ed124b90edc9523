/** The databases of the test stack, as its processes and its tests both know them. Loads nothing of the stack. */
import { z } from 'zod';

/** The database that is copied for each test with a bank of its own: an empty bank at the newest schema. */
export const TEMPLATE = 'teller_template';

/** What differs from the first bank in each of the others. */
const FurtherBanks = z.array(z.record(z.string(), z.string()));

/** The environment of each bank of the stack, the first one first. */
export function banksOf(env: NodeJS.ProcessEnv): readonly NodeJS.ProcessEnv[] {
  const further = FurtherBanks.parse(JSON.parse(env['TELLER_TEST_BANKS'] ?? '[]'));
  return [env, ...further.map((differs) => ({ ...env, ...differs }))];
}
