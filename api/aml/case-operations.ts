/** Working on a flag before it is resolved, and reports on what was confirmed. */
import { z } from 'zod';
import { amlReportById } from '../../db/queries/aml/reviews.ts';
import { AmlFlagId, AmlReportId } from '../../domain/ids.ts';
import { found } from '../../domain/refusals.ts';
import { touchAmlFlag } from '../../services/aml/flags.ts';
import { fileAmlReport, reportFile, reportXml } from '../../services/aml/reports.ts';
import type { Services } from '../../services/services.ts';
import { forAdmins } from '../declaration/operation.ts';
import * as wire from './flag-schemas.ts';
import { flagView, reportView } from './flag-views.ts';
import { REPORT_FORMATS, streamedReport } from './report-formats.ts';

const params = z.strictObject({ id: AmlFlagId });
const about = {
  area: 'Admin AML',
  method: 'POST',
  idempotency: 'accepted',
  effect: 'transaction',
  permission: 'aml:review',
  params,
  answer: wire.AMLFlag,
  refuses: ['already_decided'],
  beyond: true,
} as const;

export const assignAmlFlag = forAdmins({
  ...about,
  id: 'assignAmlFlag',
  title: 'Assign AML flag',
  description: 'Gives a flag to a reviewer, or to nobody. An open one is then in review.',
  path: '/v1/admin/aml/flags/{id}/assign',
  body: wire.AMLFlagAssignment,
  status: 200,
  async handle(request) {
    const { assignee_id: assignee } = request.body;
    return flagView(await touchAmlFlag(request, request.params.id, { kind: 'assigned', assignee }));
  },
});

export const escalateAmlFlag = forAdmins({
  ...about,
  id: 'escalateAmlFlag',
  title: 'Escalate AML flag',
  description: 'Hands a flag to somebody with more authority. It stays open.',
  path: '/v1/admin/aml/flags/{id}/escalate',
  body: wire.AMLFlagEscalation,
  status: 200,
  async handle(request) {
    const { note } = request.body;
    return flagView(await touchAmlFlag(request, request.params.id, { kind: 'escalated', note }));
  },
});

export const commentAmlFlag = forAdmins({
  ...about,
  id: 'commentAmlFlag',
  title: 'Comment on AML flag',
  description: 'Adds a comment to the history of a flag, also after it is resolved.',
  path: '/v1/admin/aml/flags/{id}/comments',
  body: wire.AMLFlagComment,
  status: 201,
  async handle(request) {
    const { text: note } = request.body;
    return flagView(await touchAmlFlag(request, request.params.id, { kind: 'commented', note }));
  },
});

const reporter = ({ config }: Pick<Services, 'config'>) => ({
  name: config.BANK_NAME,
  bic: config.BANK_BIC,
  currency: config.BANK_BASE_CURRENCY,
});

export const getAmlReport = forAdmins({
  id: 'getAmlReport',
  area: 'Admin AML',
  title: 'Get report of suspicious activity',
  description: 'A report on a confirmed flag. `Accept` chooses JSON, XML in the manner of goAML, or PDF.',
  method: 'GET',
  path: '/v1/admin/aml/reports/{id}',
  effect: 'read',
  permission: 'aml:review',
  params: z.strictObject({ id: AmlReportId }),
  formats: REPORT_FORMATS,
  status: 200,
  answer: wire.AMLReport,
  refuses: [],
  beyond: true,
  async handle(request, services) {
    const report = found(await amlReportById.first(request.db, { id: request.params.id }));
    return streamedReport(await reportFile(request, report, reporter(services)), request.format);
  },
});

export const fileReport = forAdmins({
  id: 'fileAmlReport',
  area: 'Admin AML',
  title: 'File report of suspicious activity',
  description:
    'Notes that a report was filed with the authority, under its reference there. It is final then.',
  method: 'POST',
  idempotency: 'accepted',
  path: '/v1/admin/aml/reports/{id}/file',
  effect: 'transaction',
  permission: 'aml:review',
  params: z.strictObject({ id: AmlReportId }),
  body: wire.AMLReportFiling,
  status: 200,
  answer: wire.AMLReport,
  refuses: ['already_decided'],
  beyond: true,
  async handle(request, services) {
    const { reference, narrative = null } = request.body;
    const report = await fileAmlReport(request, request.params.id, { reference, narrative });
    return reportView(report, reportXml(await reportFile(request, report, reporter(services))));
  },
});

/** In the order of the documentation. */
export const operations = [assignAmlFlag, escalateAmlFlag, commentAmlFlag, getAmlReport, fileReport];
