/** What applications of people and of companies have in common. Functions of the database move and decide them. */
import { z } from 'zod';
import {
  APPLICATION_KINDS,
  REVIEW_DECISIONS,
  type ApplicationKind,
  type ApplicationStatus,
  type RequestedChange,
} from '../../../domain/compliance/applications.ts';
import { RISK_LEVELS } from '../../../domain/compliance/risk.ts';
import { DOCUMENT_STATES, DOCUMENT_TYPES } from '../../../domain/compliance/kyc-documents.ts';
import type { ApplicationId, UserId } from '../../../domain/ids.ts';
import {
  bigCount,
  boolean,
  id,
  integer,
  json,
  oneOf,
  ownJson,
  text,
  textArray,
  type RowOf,
} from '../../rows/columns.ts';
import { LAST_ID, composedStatement, narrowedTo, type Bind } from '../../rows/composed.ts';
import { statement } from '../../rows/statement.ts';
import { columnsOf, selectList } from '../../rows/table-columns.ts';
import { KycApplication } from '../../schema/compliance.ts';

/** What an application needs and has. */
export const DocumentStates = z.array(
  z.object({
    document_type: z.enum(DOCUMENT_TYPES),
    document_id: z.uuid().nullable(),
    state: z.enum(DOCUMENT_STATES),
    code: z.string().nullable(),
    is_required: z.boolean(),
  }),
);

/** What every kind has; the form differs. */
export const ownColumns = columnsOf(
  KycApplication,
  ...(['id', 'userId', 'status', 'round', 'grants', 'needsSecond', 'firstBy', 'firstAt'] as const),
  ...(['statusAt', 'dueAt', 'lookAt', 'submittedAt', 'decision', 'decidedBy', 'decidedAt'] as const),
  ...(['code', 'final', 'retryAt', 'message', 'items', 'endedAt', 'renewalReason'] as const),
  ...(['createdAt', 'updatedAt'] as const),
);

const DOCUMENTS_OF =
  "(select coalesce(jsonb_agg(to_jsonb(s)), '[]') from kyc_document_states(a) s) as documents";

/** What is known of every application beside its row, which the statement calls `a`. */
export const KNOWN_OF = `${DOCUMENTS_OF}, customer_risk(a.user_id) as risk`;
export const known = { documents: json(DocumentStates), risk: oneOf(RISK_LEVELS) };

const { id: applicationId, userId } = ownColumns;

/** Keeps others from changing an application until the transaction ends. */
export const lockApplication = statement({
  name: 'lockApplication',
  takes: { id: applicationId },
  gives: { id: applicationId },
  sql: 'select x.id from kyc_for_documents($id) x',
});

/** Keeps others from changing anything of a customer's applications until the transaction ends. */
export const lockApplicationsOf = statement({
  name: 'lockApplicationsOf',
  takes: { user: userId },
  gives: {},
  sql: 'select from compliance_lock($user)',
});

/** How an application is. */
export const applicationStatusOf = statement({
  name: 'applicationStatusOf',
  takes: { id: applicationId },
  gives: columnsOf(KycApplication, 'status', 'endedAt'),
  sql: 'select a.status, a.ended_at from kyc_applications a where a.id = $id',
});

/** Which applications: what is left out is not narrowed to. */
export interface ApplicationFilter {
  readonly status?: ApplicationStatus | undefined;
  readonly user?: UserId | undefined;
  readonly country?: string | undefined;
}

const listedColumns = columnsOf(
  KycApplication,
  ...([
    'id',
    'userId',
    'kybApplicationId',
    'personRef',
    'status',
    'round',
    'needsSecond',
    'statusAt',
  ] as const),
  ...(['dueAt', 'submittedAt', 'decidedAt', 'endedAt', 'createdAt', 'updatedAt'] as const),
);
const listed = { ...listedColumns, legalName: text().nullable(), country: text().nullable() };
/** An application in a list. */
export type ListedApplication = RowOf<typeof listed>;

/** The country by which applications are found: of residence, or in which the company is registered. */
const COUNTRY: Readonly<Record<ApplicationKind, string>> = {
  kyc: "a.form->'address'->>'country'",
  kyb: "a.form->>'country'",
};

const narrowed = (kind: ApplicationKind, { status, user, country }: ApplicationFilter, bind: Bind): string =>
  `a.kind = '${kind}' and ${narrowedTo(
    { 'a.status =': status, 'a.user_id =': user, [`${COUNTRY[kind]} =`]: country },
    bind,
  )}`;
const every: ApplicationFilter = { status: 'in_review', user: LAST_ID as UserId, country: 'DE' };

/** A page of applications of a kind from beyond one of them, the newest or the oldest first. */
export const applicationsPage = composedStatement({
  name: 'applicationsPage',
  gives: listed,
  compose(
    page: {
      readonly kind: ApplicationKind;
      readonly filter: ApplicationFilter;
      readonly order: 'newest' | 'oldest';
      readonly beyond: ApplicationId | null;
      readonly most: number;
    },
    bind,
  ) {
    const [sign, way] = page.order === 'newest' ? ['<', 'desc'] : ['>', 'asc'];
    const beyond = narrowedTo({ [`a.id ${sign}`]: page.beyond ?? undefined }, bind);
    return `
      select ${selectList(listedColumns, 'a')}, a.form->>'legal_name' as legal_name, ${COUNTRY[page.kind]} as country
        from kyc_applications a
       where ${narrowed(page.kind, page.filter, bind)} and ${beyond} order by a.id ${way} limit ${bind(page.most)}`;
  },
  examples: [
    { kind: 'kyc', filter: {}, order: 'newest', beyond: null, most: 1 },
    { kind: 'kyb', filter: every, order: 'oldest', beyond: LAST_ID as ApplicationId, most: 1 },
  ],
});

/** How many applications of a kind there are, by status. */
export const countApplications = composedStatement({
  name: 'countApplications',
  gives: { ...columnsOf(KycApplication, 'status'), count: bigCount() },
  compose: ({ kind, filter }: { readonly kind: ApplicationKind; readonly filter: ApplicationFilter }, bind) =>
    `select a.status, count(*) from kyc_applications a where ${narrowed(kind, filter, bind)} group by a.status`,
  examples: [
    { kind: 'kyc', filter: {} },
    { kind: 'kyb', filter: every },
  ],
});

/** Whether an application takes a document of a type now. */
export const admitsDocument = statement({
  name: 'admitsDocument',
  takes: { id: applicationId, type: oneOf(DOCUMENT_TYPES) },
  gives: { isAdmitted: boolean() },
  sql: 'select kyc_admits(a, $type) as is_admitted from kyc_applications a where a.id = $id',
});

/** Ends an application that its customer does not want any more, or says why not. */
export const withdrawApplication = statement({
  name: 'withdrawApplication',
  takes: { id: applicationId, owner: userId },
  gives: { refusal: oneOf(['not_found', 'already_decided']).nullable() },
  sql: 'select kyc_withdraw($id, $owner) as refusal',
});

/** What a reviewer says. */
export interface Verdict {
  readonly note: string | null;
  readonly message?: string | undefined;
  readonly code?: string | undefined;
  readonly final?: boolean | undefined;
  readonly items?: readonly RequestedChange[] | undefined;
}

/** Decides an application, or says why not and what that is about; `needsSecond` if another person has to agree first. */
export const decideApplication = statement({
  name: 'decideApplication',
  takes: {
    ...{ id: applicationId, decision: id(), by: id<UserId>(), wanted: oneOf(REVIEW_DECISIONS) },
    ...{ said: ownJson<Verdict>(), retryDays: integer(), changesDays: integer(), mostRounds: integer() },
  },
  gives: {
    refusal: oneOf([
      ...(['not_found', 'already_decided', 'same_person', 'too_many_rounds', 'user_blocked'] as const),
      ...(['documents_open', 'children_open', 'document_expired', 'match_open'] as const),
    ]).nullable(),
    ...{ about: textArray(), needsSecond: boolean(), isRepeat: boolean() },
  },
  sql: `
    select x.refusal, x.about, x.needs_second, x.is_repeat
      from kyc_decide($id, $decision, $by, $wanted, $said, $retryDays, $changesDays, $mostRounds) x`,
});

/** Does what is due of an application. */
export const advanceApplication = statement({
  name: 'advanceApplication',
  takes: { id: applicationId },
  gives: { state: ownColumns.status, lookAgainSeconds: bigCount() },
  sql: 'select state, look_again_seconds from kyc_advance($id)',
});

/** Applications of a kind whose customer should have been reminded, or which should have expired. */
export const overdueApplications = statement({
  name: 'overdueApplications',
  takes: { kind: oneOf(APPLICATION_KINDS), lateSeconds: integer(), most: bigCount(), after: id().nullable() },
  gives: { id: id() },
  sql: `
    select a.id from kyc_applications a
     where a.kind = $kind and a.look_at < bank_now() - make_interval(secs => $lateSeconds::integer)
       and a.id > coalesce($after::uuid, '00000000-0000-0000-0000-000000000000')
     order by a.id limit $most`,
});
