/**
 * The real rail: files dropped in the object store, where the bank's connection to its clearing house (EBICS, SWIFT FileAct) takes
 * and leaves them. Four folders: `out/` payments, `in/` reports, `done/` reports that were taken in, `refused/` what people must
 * look at. The folders are the store's, so that any worker may write and collect.
 */
import type { EntityManager } from '@mikro-orm/postgresql';
import { createHash } from 'node:crypto';
import type { Logger } from 'pino';
import type { Config } from '../../config.ts';
import { railFileDelivered, railFileOf, railPayments } from '../../db/queries/transfers/rail-payments.ts';
import {
  claimReports,
  putReportOff,
  recordReports,
  reportHandled,
} from '../../db/queries/transfers/rail-reports.ts';
import { TransferId } from '../../domain/ids.ts';
import { isRefusal } from '../../domain/refusals.ts';
import { railIdOf, type RailPayment, type RailReport } from '../../domain/transfers/rail.ts';
import type { Storage } from '../../adapters/storage.ts';
import { readIncoming, type IncomingReport } from '../../adapters/rail/incoming.ts';
import { Unwritable, writePain001 } from '../../adapters/rail/pain001.ts';
import type { PaymentRail } from '../../adapters/rail/rail.ts';
import { FileFault } from '../../adapters/rail/xml.ts';

/** A report of one payment takes about 2 KiB; a clearing house splits its files long before this. */
const LARGEST_FILE = 4 * 1024 * 1024;
const FILES_A_ROUND = 100;
const REPORTS_AT_ONCE = 32;
/** Whoever has claimed a report and not handled it by then has died. */
const CLAIM_SECONDS = 60;
/** ISO 20022 external status reason. */
const INVALID_AMOUNT = 'AM12';

export interface FileRailDeps {
  readonly config: Pick<Config, 'RAIL_FOLDER' | 'BANK_NAME' | 'BANK_BIC'>;
  readonly storage: Pick<Storage, 'put' | 'list' | 'content' | 'move'>;
  /** A fresh fork for each use. */
  readonly em: () => EntityManager;
  readonly log: Logger;
}

export function createFileRail(deps: FileRailDeps): PaymentRail {
  return {
    submit: (payment) => submit(deps, payment),

    async collect(handle) {
      // what was taken in before waits for no store
      const [taken, handled] = await Promise.allSettled([takeAll(deps), bringAll(deps, handle)]);
      if (taken.status === 'rejected') throw taken.reason;
      if (handled.status === 'rejected') throw handled.reason;
      return handled.value + (taken.value === 0 ? 0 : await bringAll(deps, handle));
    },
  };
}

async function submit({ config, storage, em, log }: FileRailDeps, payment: RailPayment): Promise<void> {
  const { transferId } = payment;
  const file = await railFileOf(em(), payment, railIdOf(transferId));
  // a crash after the put and before this is written delivers it twice; the rail knows it by its message id
  if (file.deliveredAt !== null) return;
  const { messageId, createdAt } = file;
  try {
    const initiator = { name: config.BANK_NAME, bic: config.BANK_BIC };
    const bytes = writePain001(payment, { messageId, createdAt }, initiator);
    await storage.put(`${config.RAIL_FOLDER}/out/${messageId}.xml`, bytes, 'application/xml');
  } catch (error) {
    if (!(error instanceof Unwritable)) throw error;
    // as the rail would, so that the money goes back the same way
    const at = createdAt.toISOString();
    const report = {
      messageId: `unwritable/${messageId}`,
      transferId,
      at,
      kind: 'rejected',
      code: INVALID_AMOUNT,
    } as const;
    await recordReports(em(), [report], { folder: config.RAIL_FOLDER, file: 'none' });
    log.error(
      { alert: 'rail_payment_unwritable', transferId },
      'a payment cannot be written for the rail; it is rejected',
    );
  }
  await railFileDelivered(em(), transferId);
}

/** Takes in the files that lie there: each is read, written down and moved away. Answers how many there were. */
async function takeAll(deps: FileRailDeps): Promise<number> {
  const folder = `${deps.config.RAIL_FOLDER}/in/`;
  const keys = (await deps.storage.list(folder, FILES_A_ROUND)).filter((key) => !key.endsWith('/'));
  for (const key of keys) {
    try {
      await take(deps, key, key.slice(folder.length));
    } catch (error) {
      // one file that cannot be moved must not keep the others waiting
      if (isRefusal(error)) throw error;
      deps.log.error(
        { err: error, alert: 'rail_file_waits', file: key },
        'a file of the payment rail could not be taken in; it is tried again',
      );
    }
  }
  return keys.length;
}

async function take(deps: FileRailDeps, key: string, name: string): Promise<void> {
  const { storage, log, config } = deps;
  const content = await storage.content(key, LARGEST_FILE);
  // another worker was first
  if (content === null) return;
  const place = (folder: string): string =>
    `${config.RAIL_FOLDER}/${folder}/${markOf(content)}-${plain(name)}`;
  try {
    if (content === 'too_large') throw new FileFault('it is too large');
    await writeDown(deps, readIncoming(content), place('done'));
    await storage.move(key, place('done'));
  } catch (error) {
    if (!(error instanceof FileFault)) throw error;
    await storage.move(key, place('refused'));
    log.error(
      { alert: 'rail_file_refused', file: place('refused'), fault: error.message },
      'a file of the payment rail was put aside: somebody must look at it',
    );
  }
}

/** A name may be used again for another content; what was kept before stays. */
function markOf(content: Buffer | 'too_large'): string {
  return content === 'too_large' ? 'large' : createHash('sha256').update(content).digest('hex').slice(0, 16);
}

function plain(name: string): string {
  return name.replace(/[^A-Za-z0-9._-]/g, '_').slice(-120);
}

/** Believes a report only of a payment that was given to the rail, and of the amount that was paid. */
async function writeDown(
  { em, config }: FileRailDeps,
  reports: readonly IncomingReport[],
  file: string,
): Promise<void> {
  const payments = await railPayments(
    em(),
    reports.map(({ transferId }) => transferId),
  );
  for (const { transferId, amount } of reports) {
    const paid = payments.get(transferId);
    if (paid === undefined) throw new FileFault('it is about a payment that was never given to the rail');
    if (amount !== null && (amount.minor !== paid.minor || amount.asset !== paid.asset))
      throw new FileFault('it is about another amount than was paid');
  }
  if (!(await recordReports(em(), reports.map(reportOf), { folder: config.RAIL_FOLDER, file })))
    throw new FileFault('its id was used before for something else');
}

function reportOf({ messageId, transferId, at, kind, code }: IncomingReport): RailReport {
  const about = { messageId, transferId: TransferId.parse(transferId), at };
  if (kind === 'accepted' || kind === 'settled') return { ...about, kind };
  return { ...about, kind, code: code ?? '' };
}

/** Brings all that is due to its handler; those about one payment one after the other. */
async function bringAll(deps: FileRailDeps, handle: (report: RailReport) => Promise<void>): Promise<number> {
  let handled = 0;
  for (;;) {
    const reports = await claimReports(deps.em(), deps.config.RAIL_FOLDER, REPORTS_AT_ONCE, CLAIM_SECONDS);
    if (reports.length === 0) return handled;
    const payments = Map.groupBy(reports, ({ transferId }) => transferId);
    const counts = await Promise.all([...payments.values()].map((ofOne) => bring(deps, ofOne, handle)));
    const done = counts.reduce((sum, count) => sum + count, 0);
    handled += done;
    // nothing goes: the next round tries what is left
    if (done === 0) return handled;
  }
}

async function bring(
  { em, log }: FileRailDeps,
  reports: readonly RailReport[],
  handle: (report: RailReport) => Promise<void>,
): Promise<number> {
  let handled = 0;
  for (const report of reports) {
    const { messageId, transferId } = report;
    try {
      await handle(report);
      await reportHandled(em(), messageId);
      handled += 1;
    } catch (error) {
      log.error(
        { err: error, alert: 'rail_report_waits', messageId, transferId },
        'a report of the payment rail could not be brought to its transfer; it is tried again',
      );
      await putReportOff.run(em(), { messageId });
    }
  }
  return handled;
}
