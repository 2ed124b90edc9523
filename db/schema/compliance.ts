/** Identity checks. Only functions of the database write them, but for the documents that belong to one. */
import { defineEntity, p, type InferEntity } from '@mikro-orm/core';
import {
  APPLICATION_KINDS,
  APPLICATION_STATUSES,
  RENEWAL_REASONS,
  REVIEW_DECISIONS,
  type RequestedChange,
} from '../../domain/compliance/applications.ts';
import type { KybForm } from '../../domain/compliance/kyb.ts';
import type { ApplicantForm, KycDraft as Draft } from '../../domain/compliance/kyc.ts';
import { DOCUMENT_TYPES, type DocumentType } from '../../domain/compliance/kyc-documents.ts';
import type { ApplicationId, UploadId, UserId } from '../../domain/ids.ts';

/** What somebody has filled in so far; the profile has the rest. */
export const KycDraft = defineEntity({
  name: 'KycDraft',
  tableName: 'kyc_drafts',
  properties: {
    userId: p.uuid().$type<UserId>().primary(),
    form: p.json().$type<Draft>(),
    savedAt: p.datetime(3).defaultRaw('bank_now()'),
  },
});
export type KycDraft = InferEntity<typeof KycDraft>;

/**
 * A check of a person or a company. That of a company's person belongs to `kybApplicationId`, which calls them `personRef`. `grants` is
 * the level that approval gives; `dueAt` is when it ends by itself, an approval for its `renewalReason`, and `lookAt` when its process does
 * something next. `peopleKept` are checks of people that a company takes over from its earlier applications. `decision` is the last one that stands, and `profile` who the customer was by their profile when they submitted it.
 */
export const KycApplication = defineEntity({
  name: 'KycApplication',
  tableName: 'kyc_applications',
  properties: {
    id: p.uuid().$type<ApplicationId>().primary(),
    userId: p.uuid().$type<UserId>(),
    kind: p.enum(APPLICATION_KINDS).default('kyc'),
    kybApplicationId: p.uuid().$type<ApplicationId>().strictNullable(),
    personRef: p.text().strictNullable(),
    status: p.enum(APPLICATION_STATUSES).default('submitted'),
    round: p.smallint().default(1),
    form: p.json().$type<ApplicantForm | KybForm>(),
    required: p.array().columnType('text[]').$type<readonly DocumentType[]>(),
    grants: p.smallint(),
    needsSecond: p.boolean(),
    firstBy: p.uuid().$type<UserId>().strictNullable(),
    firstAt: p.datetime(3).strictNullable(),
    statusAt: p.datetime(3).defaultRaw('bank_now()'),
    dueAt: p.datetime(3).strictNullable(),
    lookAt: p.datetime(3).strictNullable(),
    reminders: p.smallint().default(0),
    submittedAt: p.datetime(3).defaultRaw('bank_now()'),
    decision: p.enum(REVIEW_DECISIONS).strictNullable(),
    decidedBy: p.uuid().$type<UserId>().strictNullable(),
    decidedAt: p.datetime(3).strictNullable(),
    code: p.text().strictNullable(),
    final: p.boolean().strictNullable(),
    retryAt: p.datetime(3).strictNullable(),
    message: p.text().strictNullable(),
    items: p.json().$type<readonly RequestedChange[]>().default([]),
    endedAt: p.datetime(3).strictNullable(),
    renewalReason: p.enum(RENEWAL_REASONS).strictNullable(),
    peopleKept: p.array().columnType('uuid[]').$type<readonly ApplicationId[]>().defaultRaw(`'{}'`),
    profile: p.json().$type<unknown>().strictNullable(),
    profileRestored: p.boolean().default(false),
    createdAt: p.datetime(3).defaultRaw('bank_now()'),
    updatedAt: p.datetime(3).defaultRaw('bank_now()'),
  },
});
export type KycApplication = InferEntity<typeof KycApplication>;

/** A file that belongs to an identity check. The last one of a type that has arrived counts; `arrivedAt` is null for what nobody has asked for. */
export const KycDocument = defineEntity({
  name: 'KycDocument',
  tableName: 'kyc_documents',
  properties: {
    uploadId: p.uuid().$type<UploadId>().primary(),
    applicationId: p.uuid().$type<ApplicationId>(),
    type: p.enum(DOCUMENT_TYPES),
    arrivedAt: p.datetime(3).strictNullable(),
    state: p.enum(['uploaded', 'accepted', 'rejected']).default('uploaded'),
    code: p.text().strictNullable(),
    reviewedBy: p.uuid().$type<UserId>().strictNullable(),
    reviewedAt: p.datetime(3).strictNullable(),
  },
});
export type KycDocument = InferEntity<typeof KycDocument>;

/** What was decided, with what the decision went by. `stands` is false for the first of two who approve. */
export const KycDecision = defineEntity({
  name: 'KycDecision',
  tableName: 'kyc_decisions',
  properties: {
    id: p.uuid().primary(),
    applicationId: p.uuid().$type<ApplicationId>(),
    round: p.smallint(),
    kind: p.enum(REVIEW_DECISIONS),
    stands: p.boolean(),
    decidedBy: p.uuid().$type<UserId>(),
    decidedAt: p.datetime(3).defaultRaw('bank_now()'),
    note: p.text().strictNullable(),
    message: p.text().strictNullable(),
    code: p.text().strictNullable(),
    final: p.boolean().strictNullable(),
    items: p.json().$type<readonly RequestedChange[]>().default([]),
    snapshot: p.json().$type<unknown>(),
  },
});
export type KycDecision = InferEntity<typeof KycDecision>;

/** A status, and one that may follow it. */
export const ComplianceMove = defineEntity({
  name: 'ComplianceMove',
  tableName: 'compliance_moves',
  properties: {
    status: p.enum(APPLICATION_STATUSES).primary(),
    next: p.enum(APPLICATION_STATUSES).primary(),
  },
});
export type ComplianceMove = InferEntity<typeof ComplianceMove>;
