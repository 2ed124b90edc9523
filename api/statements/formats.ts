/** From a call to a stream: the period is read, the account found, the export written down, the format chosen. */
import { record } from '../../db/queries/platform/audit.ts';
import { statementHead } from '../../db/queries/statements/statements.ts';
import type { AccountId, UserId } from '../../domain/ids.ts';
import { faultIn, found } from '../../domain/refusals.ts';
import { dayAt, readPeriod, type Period } from '../../domain/statements.ts';
import type { Call } from '../../services/callers.ts';
import type { MediaType, Streamed } from '../../services/streamed.ts';
import type { Services } from '../../services/services.ts';
import { asCamt053 } from '../../services/statements/camt053.ts';
import { asCsv } from '../../services/statements/csv.ts';
import { asJson } from './json.ts';
import { asPdf } from '../../services/statements/pdf/pdf.ts';
import { nameOf, statementOf, type Statement } from '../../services/statements/statement.ts';

/** The first is for whoever does not say. */
export const FORMATS = ['application/json', 'text/csv', 'application/pdf', 'application/xml'] as const;

const WRITERS: Readonly<
  Record<MediaType, { ending: string; write: (statement: Statement) => Streamed['parts'] }>
> = {
  'application/json': { ending: 'json', write: asJson },
  'text/csv': { ending: 'csv', write: asCsv },
  'application/pdf': { ending: 'pdf', write: asPdf },
  'application/xml': { ending: 'xml', write: asCamt053 },
};

/** What both operations hand on; an owner sees only the own accounts, the back office (null) everybody's and names in full. */
interface Export extends Call<'format_not_offered'> {
  readonly account: AccountId;
  readonly owner: UserId | null;
  readonly query: { readonly from?: string | undefined; readonly to?: string | undefined };
  readonly format: MediaType;
}

/** Refuses not_found; invalid_request for days that are no period; format_not_offered. The export stands in the audit log before its first byte. */
export async function exportStatement(
  wanted: Export,
  { config }: Pick<Services, 'config'>,
): Promise<Streamed> {
  const { account, owner, format, db, actor, refusal } = wanted;
  const timeZone = config.BANK_TIME_ZONE;
  const period = periodOf(wanted.query, dayAt(new Date(), timeZone));
  const head = found(await statementHead.first(db, { account, owner, timeZone, ...period }));
  if (format === 'application/xml' && head.assetKind !== 'fiat') throw refusal('format_not_offered');
  await record(db, actor, {
    action: 'statement.exported',
    subject: ['account', account],
    after: { ...period, format },
  });
  const bank = { name: config.BANK_NAME, bic: config.BANK_BIC, timeZone };
  const statement = statementOf(db, { bank, head, period, wholeNames: owner === null });
  const { ending, write } = WRITERS[format];
  return { parts: write(statement), filename: `statement-${nameOf(statement)}.${ending}` };
}

function periodOf(query: Export['query'], today: string): Period {
  const period = readPeriod(query, today);
  if (!('fault' in period)) return period;
  const { fault, detail } = period;
  throw faultIn(`query/${fault}`, 'invalid_period', detail);
}
