/** The formats of a report of suspicious activity, each with its writer. */
import { reportPdf } from '../../services/aml/report-pdf.ts';
import { reportXml, type ReportFile } from '../../services/aml/reports.ts';
import type { Streamed } from '../../services/streamed.ts';
import { reportView } from './flag-views.ts';

/** The first is for whoever does not say. */
export const REPORT_FORMATS = ['application/json', 'application/xml', 'application/pdf'] as const;
type Format = (typeof REPORT_FORMATS)[number];

const WRITERS: Readonly<Record<Format, { ending: string; write: (file: ReportFile) => string | Buffer }>> = {
  'application/json': {
    ending: 'json',
    write: (file) => JSON.stringify(reportView(file.report, reportXml(file))),
  },
  'application/xml': { ending: 'xml', write: reportXml },
  'application/pdf': { ending: 'pdf', write: reportPdf },
};

/** The answer in one of them. */
export function streamedReport(file: ReportFile, format: Format): Streamed {
  const { ending, write } = WRITERS[format];
  async function* parts(): Streamed['parts'] {
    yield write(file);
  }
  return { parts: parts(), filename: `report-AML-${file.number}.${ending}` };
}
