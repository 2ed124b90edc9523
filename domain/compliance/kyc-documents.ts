/** The documents of an identity check. */
import type { IdentityDocument, KycForm } from './kyc.ts';

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

/** `missing`: no file of this type is confirmed. */
export const DOCUMENT_STATES = ['missing', 'uploaded', 'accepted', 'rejected'] as const;
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

/** The types of documents that an application needs. Whoever carries a high risk shows where their money comes from. */
export function requiredDocuments(
  { document }: Pick<KycForm, 'document'>,
  isHighRisk: boolean,
): readonly KycDocumentType[] {
  return [...SIDES[document.type], 'proof_of_address', ...(isHighRisk ? (['source_of_funds'] as const) : [])];
}
