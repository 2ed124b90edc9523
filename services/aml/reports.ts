/** Reports of suspicious activity: what was confirmed, for the authority, as XML in the manner of goAML. */
import { amlFlagById } from '../../db/queries/aml/flags.ts';
import { amlReportById, fileReport, type AmlReportRow } from '../../db/queries/aml/reviews.ts';
import { record } from '../../db/queries/platform/audit.ts';
import type { AmlReportId } from '../../domain/ids.ts';
import { found } from '../../domain/refusals.ts';
import type { AdminCall, Call } from '../callers.ts';
import { escaped } from '../statements/xml.ts';

/** Notes that a report was filed with the authority, under its reference there. */
export async function fileAmlReport(
  call: AdminCall<'already_decided'>,
  id: AmlReportId,
  { reference, narrative = null }: { readonly reference: string; readonly narrative?: string | null },
): Promise<AmlReportRow> {
  const { refusal } = await fileReport.one(call.db, {
    report: id,
    actor: call.actor.id,
    reference,
    narrative,
  });
  const report = found(await amlReportById.first(call.db, { id }));
  if (refusal === 'already_decided') {
    const { filedBy, filedAt } = report;
    const members = { decision: 'filed', decided_by: filedBy, decided_at: filedAt?.toISOString() ?? null };
    throw call.refusal('already_decided', { members });
  }
  await record(call.db, call.actor, {
    action: 'aml_report.filed',
    subject: ['aml_report', id],
    before: { status: 'draft' },
    after: { status: 'filed', reference },
  });
  return report;
}

/** The bank that reports. */
interface Reporter {
  readonly bic: string;
  readonly currency: string;
}

/** The report as XML in the manner of goAML: who reports, why, and each movement that was hit. */
export async function reportXml(
  { db }: Pick<Call, 'db'>,
  report: AmlReportRow,
  bank: Reporter,
): Promise<string> {
  const { number, hits, customerId } = await amlFlagById.one(db, { id: report.flagId });
  const movements = hits.map(
    ({ at, subject_type: type, subject_id: id }) =>
      `    <transaction>\n${lines(6, { transactionnumber: id, transmode_code: type, date_transaction: written(at) })}    </transaction>\n`,
  );
  const head = {
    rentity_id: bank.bic,
    submission_code: 'E',
    report_code: 'STR',
    entity_reference: `AML-${number}`,
    fiu_ref_number: report.reference ?? '',
    submission_date: written(report.filedAt ?? report.createdAt),
    currency_code_local: bank.currency,
    reason: report.narrative,
    reporting_person: report.filedBy ?? report.createdBy,
    report_party: customerId ?? '',
  };
  return `<?xml version="1.0" encoding="UTF-8"?>\n<report>\n${lines(2, head)}  <report_transactions>\n${movements.join('')}  </report_transactions>\n</report>\n`;
}

const written = (moment: Date): string => moment.toISOString().slice(0, 19);

function lines(indent: number, values: Readonly<Record<string, string>>): string {
  return Object.entries(values)
    .map(([name, value]) => `${' '.repeat(indent)}<${name}>${escaped(value)}</${name}>\n`)
    .join('');
}
