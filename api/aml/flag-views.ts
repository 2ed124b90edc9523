/** Flags and reports as the wire shows them. */
import type { z } from 'zod';
import type { AmlFlagFilter, AmlFlagRow } from '../../db/queries/aml/flags.ts';
import type { AmlReportRow } from '../../db/queries/aml/reviews.ts';
import { viewOf } from '../wire/rows.ts';
import * as wire from './flag-schemas.ts';

type Shown = z.output<typeof wire.AMLFlag>;
const view = viewOf(wire.AMLFlag);
const RESOLVED = ['cleared', 'false_positive', 'confirmed'] as const;

/** A flag with its hits and its history. */
export function flagView(flag: AmlFlagRow): Shown {
  const { number, subjectType, subjectId, ruleId, ruleCode, ruleVersion, firstBy, firstAt, hits } = flag;
  const isOpen = flag.resolvedAt === null;
  return view({
    ...flag,
    number: Number(number),
    subject: { type: subjectType, id: subjectId },
    rule:
      ruleId === null || ruleCode === null || ruleVersion === null
        ? null
        : { id: ruleId, code: ruleCode, version: ruleVersion },
    hits: hits.map(({ subject_type: type, subject_id: id, explanation, at, held, outcome }) => ({
      ...{ at, held, outcome, subject: { type, id } },
      explanation: { ...explanation, text: String(explanation['text']) },
    })),
    explanation: { ...flag.explanation },
    events: flag.events.map(({ at, by, kind, before, after, note }) => ({
      at,
      by,
      kind,
      before,
      after,
      note,
    })),
    states: flag.states.map(({ status, since, until }) => ({ status, since, until })),
    secondReview:
      isOpen && firstBy !== null && firstAt !== null ? { first_by: firstBy, first_at: firstAt } : null,
    resolution: RESOLVED.find((status) => status === flag.status) ?? null,
  });
}

type Filters = z.output<z.ZodObject<typeof wire.flagFilters>>;

/** The filters of a query by the names of the code. */
export function filterOf(query: Filters): AmlFlagFilter {
  const { status, severity, kind, overdue } = query;
  const { rule_id: rule, customer_id: customer, assignee_id: assignee } = query;
  const { created_from: from, created_to: to } = query;
  return { status, severity, kind, overdue, rule, customer, assignee, from, to };
}

const report = viewOf(wire.AMLReport);

/** A report with its XML. */
export function reportView(row: AmlReportRow, xml: string): z.output<typeof wire.AMLReport> {
  return report({ ...row, xml });
}
