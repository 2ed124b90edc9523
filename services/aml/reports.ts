/** Reports of suspicious activity: what was confirmed, for the authority, as XML in the manner of goAML. */
import { amlFlagById } from '../../db/queries/aml/flags.ts';
import {
  amlReportById,
  fileReport,
  reportedMovements,
  reportedPerson,
  type AmlReportRow,
  type ReportedMovement,
} from '../../db/queries/aml/reviews.ts';
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
  readonly name: string;
  readonly bic: string;
  readonly currency: string;
}

/** All that a report says, whatever it is written as. */
export interface ReportFile {
  readonly report: AmlReportRow;
  readonly bank: Reporter;
  /** Of the flag. */
  readonly number: bigint;
  readonly person: string | null;
  readonly movements: readonly ReportedMovement[];
  /** When it was filed, or drafted. */
  readonly written: Date;
}

/** Reads what a report says. */
export async function reportFile(
  { db }: Pick<Call, 'db'>,
  report: AmlReportRow,
  bank: Reporter,
): Promise<ReportFile> {
  const { number } = await amlFlagById.one(db, { id: report.flagId });
  const about =
    report.customerId === null ? undefined : await reportedPerson.first(db, { id: report.customerId });
  return {
    ...{ report, bank, number, movements: await reportedMovements.all(db, { flag: report.flagId }) },
    person: about === undefined ? null : `${about.firstName} ${about.lastName}`,
    written: report.filedAt ?? report.createdAt,
  };
}

/** The report as XML in the manner of goAML: who reports, why, and each movement that was hit. */
export function reportXml({ report, bank, number, person, movements, written: at }: ReportFile): string {
  const transactions = movements.map(
    (movement) => `    <transaction>\n${lines(6, transactionOf(movement))}    </transaction>\n`,
  );
  const head = {
    rentity_id: bank.bic,
    submission_code: 'E',
    report_code: 'STR',
    entity_reference: `AML-${number}`,
    fiu_ref_number: report.reference ?? '',
    submission_date: written(at),
    currency_code_local: bank.currency,
    reason: report.narrative,
    reporting_person: report.filedBy ?? report.createdBy,
    report_party: report.customerId ?? '',
    report_party_name: person ?? '',
  };
  return `<?xml version="1.0" encoding="UTF-8"?>\n<report>\n${lines(2, head)}  <report_transactions>\n${transactions.join('')}  </report_transactions>\n</report>\n`;
}

function transactionOf(movement: ReportedMovement): Readonly<Record<string, string>> {
  const { at, kind, subjectId, amount, asset, amountBase, counterparty, counterpartyCountry } = movement;
  return {
    transactionnumber: subjectId,
    transmode_code: kind,
    date_transaction: written(at),
    amount_local: amountBase ?? '',
    foreign_currency_code: asset,
    foreign_amount: amount,
    counterparty: counterparty ?? '',
    counterparty_country: counterpartyCountry ?? '',
  };
}

const written = (moment: Date): string => moment.toISOString().slice(0, 19);

function lines(indent: number, values: Readonly<Record<string, string>>): string {
  return Object.entries(values)
    .map(([name, value]) => `${' '.repeat(indent)}<${name}>${escaped(value)}</${name}>\n`)
    .join('');
}
