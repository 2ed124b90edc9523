/** Files of the card network: taken whole, booked record by record, settled. */
import type { CardFileId, CardPaymentId } from '../../../domain/ids.ts';
import {
  bigCount,
  boolean,
  id,
  integer,
  moment,
  ownJson,
  text,
  textArray,
  type RowOf,
} from '../../rows/columns.ts';
import { statement } from '../../rows/statement.ts';
import { columnsOf, selectList } from '../../rows/table-columns.ts';
import { CardClearing, CardFile } from '../../schema/card-payments.ts';

/** The head of a file for the functions of the database; amounts are minor units as text, the hash is hex. */
export interface FileHead {
  readonly id: CardFileId;
  readonly content_hash: string;
  readonly object_key: string;
  readonly kind?: string;
  readonly network?: string;
  readonly network_id?: string;
  readonly business_day?: string;
  readonly records?: number;
  readonly net?: string;
  readonly asset?: string;
}

/** Takes the head of a file: 'known' for what was taken before, why it is refused, or null. */
export const takeCardFile = statement({
  name: 'takeCardFile',
  takes: { file: ownJson<FileHead>() },
  gives: { refusal: text().nullable() },
  sql: 'select card_file_take($file) as refusal',
});

/** Writes down that a file was refused, and why. */
export const refuseCardFile = statement({
  name: 'refuseCardFile',
  takes: { file: ownJson<FileHead>(), why: text() },
  gives: {},
  sql: 'select from card_file_refuse($file, $why)',
});

/** Takes records of a clearing file. Answers the id of one that was taken before. */
export const addCardRecords = statement({
  name: 'addCardRecords',
  takes: { file: id<CardFileId>(), records: ownJson<readonly object[]>() },
  gives: { used: text().nullable() },
  sql: 'select card_file_add($file, $records) as used',
});

/** Names the clearing files that a settlement file pays for, or says why it is refused. */
export const settleCardFiles = statement({
  name: 'settleCardFiles',
  takes: { file: id<CardFileId>(), clearingFiles: textArray() },
  gives: { refusal: text().nullable() },
  sql: 'select card_file_settle($file, $clearingFiles) as refusal',
});

/** A record that somebody has to look at. */
export interface RecordAside {
  readonly id: string;
  readonly record: string;
  readonly fault: string;
}

/** Books the next records that wait. */
export const clearNext = statement({
  name: 'clearNext',
  takes: { most: integer(), clock: moment() },
  gives: { taken: integer(), aside: ownJson<readonly RecordAside[]>() },
  sql: 'select c.taken, c.aside from clock_check($clock), card_clear_next($most) c',
});

/** Books the next settlement whose records are all booked. */
export const settleNext = statement({
  name: 'settleNext',
  takes: { clock: moment() },
  gives: { settled: id<CardFileId>().nullable() },
  sql: 'select s as settled from clock_check($clock), card_settle_next() s',
});

const own = columnsOf(
  CardFile,
  ...([
    'id',
    'kind',
    'network',
    'networkId',
    'businessDay',
    'records',
    'fault',
    'net',
    'asset',
    'createdAt',
  ] as const),
);
const file = { ...own, isWaiting: boolean(), aside: integer(), isSettled: boolean() };
/** A file as the back office sees it. `aside` are records that somebody has to look at. */
export type CardFileRow = RowOf<typeof file>;

const SELECT = `
  select ${selectList(own, 'f')},
         exists (select from card_clearings r where r.file_id = f.id and r.status = 'waiting') as is_waiting,
         (select count(*)::integer from card_clearings r where r.file_id = f.id and r.status = 'aside') as aside,
         (f.settled_by is not null or f.settled_at is not null) as is_settled
    from card_files f`;

/** Files, newest first, from below `before`. */
export const cardFilesPage = statement({
  name: 'cardFilesPage',
  takes: { before: id<CardFileId>().nullable(), most: bigCount() },
  gives: file,
  sql: `${SELECT} where f.id < coalesce($before::uuid, 'ffffffff-ffff-ffff-ffff-ffffffffffff') order by f.id desc limit $most`,
});

/** One file. */
export const cardFileOf = statement({
  name: 'cardFileOf',
  takes: { id: own.id },
  gives: file,
  sql: `${SELECT} where f.id = $id`,
});

const record = columnsOf(
  CardClearing,
  ...([
    'id',
    'fileId',
    'recordId',
    'networkId',
    'kind',
    'amount',
    'asset',
    'merchantAmount',
    'merchantAsset',
  ] as const),
  ...(['merchant', 'interchange', 'isFinal', 'lastFour', 'fault', 'fee', 'bookedAt'] as const),
);
/** A clearing record as the back office sees it. */
export type ClearingRow = RowOf<typeof record>;

/** Records of a file that somebody has to look at, the first ones. */
export const recordsAside = statement({
  name: 'recordsAside',
  takes: { file: record.fileId, most: bigCount() },
  gives: record,
  sql: `
    select ${selectList(record, 'r')} from card_clearings r
     where r.file_id = $file and r.status = 'aside' order by r.id limit $most`,
});

/** What was cleared of a payment, oldest first. */
export const clearingsOfCardPayment = statement({
  name: 'clearingsOfCardPayment',
  takes: { payment: id<CardPaymentId>(), most: bigCount() },
  gives: record,
  sql: `
    select ${selectList(record, 'r')} from card_clearings r where r.payment_id = $payment order by r.id limit $most`,
});
