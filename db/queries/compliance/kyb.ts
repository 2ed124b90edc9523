/** Applications of companies, and of the people whom they name. */
import { z } from 'zod';
import { APPLICATION_STATUSES, type RequestedChange } from '../../../domain/compliance/applications.ts';
import type { KybForm } from '../../../domain/compliance/kyb.ts';
import type { ApplicantForm } from '../../../domain/compliance/kyc.ts';
import type { DocumentType } from '../../../domain/compliance/kyc-documents.ts';
import { ApplicationId } from '../../../domain/ids.ts';
import { idArray, integer, json, moment, oneOf, ownJson, type RowOf } from '../../rows/columns.ts';
import { statement } from '../../rows/statement.ts';
import { columnsOf, selectList } from '../../rows/table-columns.ts';
import { KycApplication } from '../../schema/compliance.ts';
import { DocumentStates, known, KNOWN_OF, ownColumns } from './applications.ts';

const People = z.array(
  z.object({
    application_id: ApplicationId,
    ref: z.string(),
    status: z.enum(APPLICATION_STATUSES),
    items: z.array(z.custom<RequestedChange>()),
    documents: DocumentStates,
  }),
);

const own = { ...{ ...ownColumns, kind: oneOf(['kyb']) }, form: ownJson<KybForm>() };
const application = { ...own, ...known, people: json(People) };
/** An application with the documents that it needs and has, and how far each of its people is. */
export type KybApplicationRow = RowOf<typeof application>;

const select = (from: string): string => `
  select ${selectList(own, 'a')}, ${KNOWN_OF},
         (select coalesce(jsonb_agg(jsonb_build_object('application_id', p.id, 'ref', p.person_ref, 'status', p.status,
             'items', p.items, 'documents', (select coalesce(jsonb_agg(to_jsonb(s)), '[]') from kyc_document_states(p) s))
             order by p.person_ref), '[]') from kyb_people(a) p) as people
    from ${from} a`;

/** One application; if an owner is given, only their own. */
export const kybApplicationOf = statement({
  name: 'kybApplicationOf',
  takes: { id: own.id, owner: own.userId.nullable() },
  gives: application,
  sql: `${select('kyc_applications')} where a.id = $id and a.kind = 'kyb' and a.user_id = coalesce($owner, a.user_id)`,
});

/** The application that says how far a customer's company is: the open one, the approval that stands, or the newest one. */
export const currentKybApplication = statement({
  name: 'currentKybApplication',
  takes: { user: own.userId },
  gives: application,
  sql: select("compliance_current($user, 'kyb')"),
});

/** A person of a company as they are submitted; `id` is that of a new application, if they need one. */
export interface PersonSubmitted {
  readonly id: ApplicationId;
  readonly ref: string;
  readonly form: ApplicantForm;
  readonly required: readonly DocumentType[];
}

/**
 * Submits an application with its people, or the next round of the one there is, or says why not. `application` is the one there is then,
 * and `begun` are the new ones of its people.
 */
export const submitKyb = statement({
  name: 'submitKyb',
  takes: {
    ...columnsOf(KycApplication, 'id', 'required', 'grants'),
    enhanced: columnsOf(KycApplication, 'required').required,
    ...{ user: own.userId, form: ownJson<KybForm>(), people: ownJson<readonly PersonSubmitted[]>() },
    documentDays: integer(),
  },
  gives: {
    refusal: oneOf([
      ...(['application_open', 'application_final', 'retry_later', 'already_decided'] as const),
    ]).nullable(),
    ...{ application: own.id.nullable(), notBefore: moment().nullable(), begun: idArray<ApplicationId>() },
  },
  sql: `
    select refusal, application, not_before, begun
      from kyb_apply($id, $user, $form, $required, $enhanced, $grants, $documentDays, $people)`,
});
