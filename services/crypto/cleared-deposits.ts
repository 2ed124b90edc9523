/** Deposits that the money-laundering watch has held: what becomes of them when a flag is resolved. */
import type { EntityManager } from '@mikro-orm/postgresql';
import { depositsCleared } from '../../db/queries/crypto/deposits.ts';
import type { AmlFlagId } from '../../domain/ids.ts';
import { look } from '../../workflows/crypto-deposit/contract.ts';
import { depositProcess } from '../../workflows/crypto-deposit/process.ts';
import { asManyWithin } from '../platform/at-once.ts';
import type { Services } from '../services.ts';

/** How long a reviewer's request waits until the processes have heard. */
const PATIENCE_MILLISECONDS = 3_000;

/** Has their processes credit those that no flag holds any more. The watch of the workers begins the processes that cannot be reached in time. */
export async function bringClearedDeposits(
  db: EntityManager,
  flag: AmlFlagId,
  { processes }: Pick<Services, 'processes'>,
): Promise<void> {
  const cleared = await depositsCleared.all(db, { flag });
  await asManyWithin(PATIENCE_MILLISECONDS, cleared, ({ id, customerId }) =>
    processes.ask(depositProcess, { id, customerId }, look, { id }),
  );
}
