/** A statement that leaves the bank: the period is read, the account found, and the export written down before its first byte. */
import { record } from '../../db/queries/platform/audit.ts';
import { statementHead } from '../../db/queries/statements/statements.ts';
import type { AccountId, UserId } from '../../domain/ids.ts';
import { faultIn, found } from '../../domain/refusals.ts';
import { dayAt, readPeriod, type Period } from '../../domain/statements.ts';
import { now } from '../../domain/time/now.ts';
import type { Call } from '../callers.ts';
import type { Services } from '../services.ts';
import type { MediaType } from '../streamed.ts';
import { statementOf, type Statement } from './statement.ts';

/** An owner sees only the own accounts, the back office (null) everybody's and names in full. */
export interface Export extends Call<'format_not_offered'> {
  readonly account: AccountId;
  readonly owner: UserId | null;
  readonly query: { readonly from?: string | undefined; readonly to?: string | undefined };
  readonly format: MediaType;
}

/** Refuses not_found; invalid_request for days that are no period; format_not_offered. */
export async function exportStatement(
  wanted: Export,
  { config }: Pick<Services, 'config'>,
): Promise<Statement> {
  const { account, owner, format, db, actor, refusal } = wanted;
  const timeZone = config.BANK_TIME_ZONE;
  const period = periodOf(wanted.query, dayAt(now(), timeZone));
  const head = found(await statementHead.first(db, { account, owner, timeZone, ...period }));
  if (format === 'application/xml' && head.assetKind !== 'fiat') throw refusal('format_not_offered');
  await record(db, actor, {
    action: 'statement.exported',
    subject: ['account', account],
    after: { ...period, format },
  });
  const bank = { name: config.BANK_NAME, bic: config.BANK_BIC, timeZone };
  return statementOf(db, { bank, head, period, wholeNames: owner === null });
}

function periodOf(query: Export['query'], today: string): Period {
  const period = readPeriod(query, today);
  if (!('fault' in period)) return period;
  const { fault, detail } = period;
  throw faultIn(`query/${fault}`, 'invalid_period', detail);
}
