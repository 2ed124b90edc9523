/**
 * Files of the card network in the object store, below CARD_FOLDER: `in/` what the network delivers, `done/` what was taken, `refused/`
 * what people must look at. What is kept has no number of a card in it.
 */
import type { EntityManager } from '@mikro-orm/postgresql';
import { createHash } from 'node:crypto';
import type { Logger } from 'pino';
import {
  CardFileFault,
  readNetworkFile,
  withoutNumbers,
  type ClearingRecord,
  type NetworkFile,
} from '../../adapters/card-files.ts';
import type { CardVault } from '../../adapters/card-vault.ts';
import { newUuid } from '../../adapters/new-id.ts';
import type { Storage } from '../../adapters/storage.ts';
import type { Config } from '../../config.ts';
import {
  addCardRecords,
  clearNext,
  refuseCardFile,
  settleCardFiles,
  settleNext,
  takeCardFile,
  type FileHead,
} from '../../db/queries/cards/files.ts';
import { transaction } from '../../db/transaction.ts';
import { CardFileId } from '../../domain/ids.ts';
import { isRefusal } from '../../domain/refusals.ts';
import { machineNow } from '../../domain/time/now.ts';

/** A record takes about 450 bytes. */
const LARGEST_FILE = 128 * 1024 * 1024;
const FILES_A_ROUND = 100;
/** Records that one statement writes down. */
const WRITTEN_AT_ONCE = 1_000;
/** Records that are booked together: payments of their accounts wait meanwhile. */
const BOOKED_AT_ONCE = 40;
/** Batches beside each other. */
const BATCHES = 2;

export interface CardFilesDeps {
  readonly config: Pick<Config, 'CARD_FOLDER'>;
  readonly storage: Pick<Storage, 'put' | 'list' | 'content' | 'remove'>;
  readonly vault: CardVault;
  /** A fresh fork for each use. */
  readonly em: () => EntityManager;
  readonly log: Logger;
}

/** Takes in what lies there, books what waits and settles what can be settled. Answers how many files and records that were. */
export async function collectCardFiles(deps: CardFilesDeps): Promise<number> {
  // what was taken in before waits for no store
  const [taken, booked] = await Promise.allSettled([takeAll(deps), bookAll(deps)]);
  if (booked.status === 'rejected') throw booked.reason;
  if (taken.status === 'rejected') throw taken.reason;
  return taken.value === 0 ? booked.value : taken.value + booked.value + (await bookAll(deps));
}

async function takeAll(deps: CardFilesDeps): Promise<number> {
  const folder = `${deps.config.CARD_FOLDER}/in/`;
  const keys = (await deps.storage.list(folder, FILES_A_ROUND)).filter((key) => !key.endsWith('/'));
  let taken = 0;
  for (const key of keys) {
    try {
      taken += (await take(deps, key, key.slice(folder.length))) ? 1 : 0;
    } catch (err) {
      // one file that cannot be moved must not keep the others waiting
      if (isRefusal(err)) throw err;
      deps.log.error(
        { err, alert: 'card_file_waits', file: key },
        'a file of the card network could not be taken in; it is tried again',
      );
    }
  }
  return taken;
}

/** Answers whether the file was moved away: one that pays for files which have not come waits for them. */
async function take(deps: CardFilesDeps, key: string, name: string): Promise<boolean> {
  const { storage, log, config, em } = deps;
  const content = await storage.content(key, LARGEST_FILE);
  // another worker was first
  if (content === null) return false;
  if (content === 'too_large') throw new Error(`it has more than ${String(LARGEST_FILE)} bytes`);
  const hash = createHash('sha256').update(content).digest('hex');
  const place = (folder: string): string =>
    `${config.CARD_FOLDER}/${folder}/${hash.slice(0, 16)}-${name.replace(/[^A-Za-z0-9._-]/g, '_').slice(-120)}`;
  const head = { id: CardFileId.parse(newUuid()), content_hash: hash };
  let folder = 'done';
  try {
    const file = readNetworkFile(content);
    if ((await writeDown(deps, file, { ...head, object_key: place(folder) })) === 'later') return false;
  } catch (error) {
    if (!(error instanceof CardFileFault)) throw error;
    folder = 'refused';
    await refuseCardFile.run(em(), { file: { ...head, object_key: place(folder) }, why: error.message });
    log.error(
      { alert: 'card_file_refused', file: place(folder), fault: error.message },
      'a file of the card network was put aside: somebody must look at it',
    );
  }
  // after a crash before this it is known, or refused once more
  await storage.put(place(folder), withoutNumbers(content), 'application/x-ndjson');
  await storage.remove(key);
  return true;
}

const REFUSALS: Readonly<Record<string, string>> = {
  file_id_used: 'its id was used before for something else',
  settled_before: 'it pays for a file that is paid for already',
  other_currency: 'it pays in another currency than that of the records',
  net: 'it pays another sum than the records come to',
};

/** Writes a file down whole, or nothing of it. 'later' if it names files that have not come yet. */
async function writeDown(
  { em, vault }: CardFilesDeps,
  file: NetworkFile,
  place: Pick<FileHead, 'id' | 'content_hash' | 'object_key'>,
): Promise<'done' | 'later'> {
  const { kind, network, fileId, day } = file;
  const head: FileHead = {
    ...{ ...place, kind, network, network_id: fileId, business_day: day },
    ...(kind === 'clearing'
      ? { records: file.records.length }
      : { records: 0, net: String(file.net.minor), asset: file.net.asset }),
  };
  const known = new Error('known');
  const later = new Error('later');
  try {
    await transaction(em(), async (tx) => {
      const refusal = (await takeCardFile.one(tx, { file: head })).refusal;
      if (refusal === 'known') throw known;
      if (refusal !== null) throw new CardFileFault(REFUSALS[refusal] ?? refusal);
      if (kind === 'clearing') await writeRecords(tx, place.id, file.records, vault);
      else {
        const settled = await settleCardFiles.one(tx, {
          file: place.id,
          clearingFiles: [...file.clearingFiles],
        });
        if (settled.refusal === 'unknown_file') throw later;
        if (settled.refusal !== null) throw new CardFileFault(REFUSALS[settled.refusal] ?? settled.refusal);
      }
    });
  } catch (error) {
    if (error === later) return 'later';
    if (error !== known) throw error;
  }
  return 'done';
}

async function writeRecords(
  tx: EntityManager,
  file: CardFileId,
  records: readonly ClearingRecord[],
  vault: CardVault,
): Promise<void> {
  const rowsFrom = (from: number) =>
    records.slice(from, from + WRITTEN_AT_ONCE).map((record) => rowOf(record, vault));
  let rows = rowsFrom(0);
  for (let next = WRITTEN_AT_ONCE; rows.length > 0; next += WRITTEN_AT_ONCE) {
    const written = addCardRecords.one(tx, { file, records: rows });
    // the next ones are prepared meanwhile
    rows = rowsFrom(next);
    const { used } = await written;
    if (used !== null) throw new CardFileFault(`the record ${used} came in another file before`);
  }
}

function rowOf(record: ClearingRecord, vault: CardVault): object {
  const { billing, merchantAmount, interchange, pan } = record;
  return {
    ...{ id: newUuid(), record_id: record.recordId, network_id: record.paymentId, kind: record.kind },
    ...{ amount: String(billing.minor), asset: billing.asset, merchant: record.merchant },
    ...{ merchant_amount: String(merchantAmount.minor), merchant_asset: merchantAmount.asset },
    ...{ interchange: String(interchange), is_final: record.isFinal, last_four: pan.slice(-4) },
    numbers: vault.indexes(pan),
  };
}

/** Books all that waits, then settles. Answers how many records were booked. */
async function bookAll({ em, log }: CardFilesDeps): Promise<number> {
  const counts = await Promise.all(
    Array.from({ length: BATCHES }, async () => {
      let booked = 0;
      for (;;) {
        const { taken, aside } = await clearNext.one(em(), { most: BOOKED_AT_ONCE, clock: machineNow() });
        for (const { id, record, fault } of aside)
          log.error(
            { alert: 'card_clearing_aside', clearingId: id, record, fault },
            'a clearing record belongs to no account: somebody must look at it',
          );
        if (taken === 0) return booked;
        booked += taken;
      }
    }),
  );
  while ((await settleNext.one(em(), { clock: machineNow() })).settled !== null);
  return counts.reduce((sum, count) => sum + count, 0);
}
