/** Brings what the payment rail reports to the transfers: to the process where one runs, else straight to the books. */
import type { EntityManager } from '@mikro-orm/postgresql';
import type { Logger } from 'pino';
import { transferActivities } from '../activities/transfers.ts';
import type { Processes } from '../services/platform/processes.ts';
import type { PaymentRail } from '../adapters/rail/rail.ts';
import { isRefused } from '../domain/process.ts';
import type { RailReport } from '../domain/transfers/rail.ts';
import { isRefusal, type RefusalCode } from '../domain/refusals.ts';
import { railReported } from '../workflows/transfer/contract.ts';
import { transferProcess } from '../workflows/transfer/process.ts';
import { unlessAway } from './rounds.ts';

/** What is left to the books: their answer is tried again, while a process answers the same report the same way for ever. */
const NO_USE: ReadonlySet<string> = new Set<RefusalCode>(['transfer_not_pending', 'internal_error']);

export interface RailRoundDeps {
  readonly rail: Pick<PaymentRail, 'collect'>;
  readonly processes: Pick<Processes, 'decide'>;
  readonly em: () => EntityManager;
  readonly log: Logger;
}

/** One round of collecting. Never throws. */
export function railRound(deps: RailRoundDeps): () => Promise<void> {
  const { rail, log } = deps;
  const handle = reportHandler(deps);
  return unlessAway(
    () => rail.collect(handle),
    (err, pause) => {
      log.warn({ err, pause }, 'the payment rail cannot be reached; its reports wait');
    },
  );
}

/**
 * Brings one report to its transfer. A repeat has the same end: the process knows the report's id, the books know their moves.
 * Throws where it has to be tried again.
 */
export function reportHandler({
  processes,
  em,
  log,
}: Pick<RailRoundDeps, 'processes' | 'em' | 'log'>): (report: RailReport) => Promise<void> {
  const { carryOutStep } = transferActivities({ em });

  /** False if the process is over, has no use for it any more, or could not carry it out. */
  async function toldProcess(report: RailReport): Promise<boolean> {
    try {
      const { transferId, messageId, kind } = report;
      const named = { report: messageId, kind };
      return (
        (await processes.decide(transferProcess, transferId, railReported, named, messageId)) !== 'ended'
      );
    } catch (error) {
      if (isRefusal(error) && NO_USE.has(error.code)) return false;
      throw error;
    }
  }

  return async (report) => {
    if (await toldProcess(report)) return;
    const { transferId, messageId, kind } = report;
    // a return may come weeks after the settlement that ended the process
    const outcome = await carryOutStep(transferId, { source: 'report', id: messageId });
    if (!isRefused(outcome)) return;
    log.error(
      { alert: 'rail_report_unfit', transferId, messageId, kind, refused: outcome.refused },
      'the payment rail reports what the state of the transfer excludes: somebody must look at it',
    );
  };
}
