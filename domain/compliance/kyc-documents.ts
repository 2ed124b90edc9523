/** The documents of checks of people and companies. */
import type { ApplicationKind } from './applications.ts';
import type { ApplicantForm, IdentityDocument, KycForm } from './kyc.ts';

/** Of people. */
export const KYC_DOCUMENT_TYPES = [
  'passport',
  'id_card_front',
  'id_card_back',
  'residence_permit_front',
  'residence_permit_back',
  'driving_licence_front',
  'driving_licence_back',
  'proof_of_address',
  'selfie',
  'source_of_funds',
] as const;
export type KycDocumentType = (typeof KYC_DOCUMENT_TYPES)[number];

/** Of companies. */
export const KYB_DOCUMENT_TYPES = [
  'registry_extract',
  'articles',
  'shareholder_register',
  'proof_of_ownership',
  'proof_of_address',
  'source_of_funds',
  'authorisation',
] as const;
export type KybDocumentType = (typeof KYB_DOCUMENT_TYPES)[number];

export type DocumentType = KycDocumentType | KybDocumentType;
export const DOCUMENT_TYPES: readonly DocumentType[] = [
  ...new Set([...KYC_DOCUMENT_TYPES, ...KYB_DOCUMENT_TYPES]),
];

/** `missing`: no file of this type is confirmed. */
export const DOCUMENT_STATES = ['missing', 'uploaded', 'accepted', 'rejected', 'expired'] as const;
export type DocumentState = (typeof DOCUMENT_STATES)[number];

/** Files that one application may carry, those still expected included. */
export const MAX_DOCUMENTS = 40;

/** Cards have two sides. */
const SIDES: Readonly<Record<IdentityDocument, readonly KycDocumentType[]>> = {
  passport: ['passport'],
  id_card: ['id_card_front', 'id_card_back'],
  residence_permit: ['residence_permit_front', 'residence_permit_back'],
  driving_licence: ['driving_licence_front', 'driving_licence_back'],
};

/** What customers with a high risk hand in besides: where their money comes from, and of companies where they are. */
export const ENHANCED_DOCUMENTS: Readonly<Record<ApplicationKind, readonly DocumentType[]>> = {
  kyc: ['source_of_funds'],
  kyb: ['proof_of_address', 'source_of_funds'],
};

/** The types of documents that the application of a person needs, whatever their risk. */
export function requiredDocuments({ document }: Pick<KycForm, 'document'>): readonly KycDocumentType[] {
  return [...SIDES[document.type], 'proof_of_address'];
}

/** The types of documents by which a company's person identifies themselves: a passport, unless the form names another document. */
export function personDocuments({ document }: Pick<ApplicantForm, 'document'>): readonly KycDocumentType[] {
  return SIDES[document?.type ?? 'passport'];
}

/** The types of documents that the application of a company needs. Where other companies own a part of it, it proves that too. */
export function companyDocuments(hasOwningCompanies: boolean): readonly KybDocumentType[] {
  return [
    ...(['registry_extract', 'articles', 'shareholder_register'] as const),
    ...(hasOwningCompanies ? (['proof_of_ownership'] as const) : []),
  ];
}
