/** Why something has to be changed or was rejected, and what its person is told. */
import type { Language } from '../notifications/messages.ts';

interface Told extends Readonly<Record<Language, string>> {
  /** Nobody who is rejected for this can apply again, unless the reviewer says otherwise. */
  readonly isFinal?: true;
}

/** What everybody is told who has to change something for a reason that they may not learn. */
const AGAIN = {
  en: 'This could not be confirmed. Check it and hand it in again.',
  de: 'Das konnten wir nicht bestätigen. Prüfen Sie es und reichen Sie es noch einmal ein.',
};

/** What everybody is told who is rejected for a reason that they may not learn. */
const NEUTRAL = {
  en: 'We cannot go on with this check. Ask support if you have a question.',
  de: 'Wir können diese Prüfung nicht fortsetzen. Bei Fragen hilft der Support.',
};

export const REVIEW_REASONS = {
  document_unreadable: {
    en: 'The document cannot be read. Photograph it again, in good light and without reflections.',
    de: 'Das Dokument ist nicht lesbar. Fotografieren Sie es noch einmal, bei gutem Licht und ohne Spiegelung.',
  },
  document_cropped: {
    en: 'A part of the document is missing. All four corners must be visible.',
    de: 'Ein Teil des Dokuments fehlt. Alle vier Ecken müssen zu sehen sein.',
  },
  page_missing: {
    en: 'A page or a side of the document is missing. Upload all of them.',
    de: 'Eine Seite des Dokuments fehlt. Laden Sie alle Seiten hoch.',
  },
  document_expired: {
    en: 'The document has expired. Use one that is still valid.',
    de: 'Das Dokument ist abgelaufen. Verwenden Sie ein gültiges.',
  },
  document_type_wrong: {
    en: 'This is another kind of document than the one we need.',
    de: 'Das ist ein anderes Dokument als das, das wir brauchen.',
  },
  name_mismatch: {
    en: 'Your name differs from the one in the document. Enter it as it is written there.',
    de: 'Ihr Name weicht vom Dokument ab. Geben Sie ihn so an, wie er dort steht.',
  },
  birth_date_mismatch: {
    en: 'Your date of birth differs from the one in the document.',
    de: 'Ihr Geburtsdatum weicht vom Dokument ab.',
  },
  address_mismatch: {
    en: 'Your address differs from the one in the proof of address.',
    de: 'Ihre Anschrift weicht vom Adressnachweis ab.',
  },
  proof_too_old: {
    en: 'The proof of address is older than three months. Upload a newer one.',
    de: 'Der Adressnachweis ist älter als drei Monate. Laden Sie einen neueren hoch.',
  },
  selfie_mismatch: {
    en: 'The photo of you does not match the document. Take a new one.',
    de: 'Ihr Foto passt nicht zum Dokument. Machen Sie ein neues.',
  },
  suspected_forgery: { ...NEUTRAL, isFinal: true },
  underage: {
    en: 'You can apply once you are 18 years old.',
    de: 'Sie können sich anmelden, sobald Sie 18 Jahre alt sind.',
  },
  country_not_served: {
    en: 'We do not offer our services in this country.',
    de: 'In diesem Land bieten wir unsere Dienste nicht an.',
    isFinal: true,
  },
  owner_missing: {
    en: 'An owner of the company is missing. Name everybody who holds 25 percent or more.',
    de: 'Ein Eigentümer des Unternehmens fehlt. Nennen Sie alle, die 25 Prozent oder mehr halten.',
  },
  ownership_unclear: {
    en: 'It is not clear to whom the company belongs. Explain it, or upload a proof of ownership.',
    de: 'Es ist nicht klar, wem das Unternehmen gehört. Erklären Sie es oder laden Sie einen Nachweis hoch.',
  },
  registry_mismatch: {
    en: 'What you have entered differs from the company register.',
    de: 'Ihre Angaben weichen vom Handelsregister ab.',
  },
  other: NEUTRAL,
} as const satisfies Record<string, Told>;
export type ReviewReason = keyof typeof REVIEW_REASONS;

export const REVIEW_REASON_CODES = Object.keys(REVIEW_REASONS) as readonly ReviewReason[];

/** Whether a rejection for this is final unless the reviewer says otherwise. */
export function isFinalReason(code: ReviewReason): boolean {
  const reason: Told = REVIEW_REASONS[code];
  return reason.isFinal === true;
}

/** The code that its person is shown: nobody learns from us that they are suspected of something. */
export function shownReason(code: string): ReviewReason {
  return isReviewReason(code) && code !== 'suspected_forgery' ? code : 'other';
}

/** What somebody who is rejected can do, in their language. */
export function instructionOf(code: string, language: Language): string {
  return REVIEW_REASONS[shownReason(code)][language];
}

/** What somebody has to change, in their language. */
export function changeInstruction(code: string, language: Language): string {
  const shown = shownReason(code);
  return (shown === 'other' ? AGAIN : REVIEW_REASONS[shown])[language];
}

function isReviewReason(code: string): code is ReviewReason {
  return Object.hasOwn(REVIEW_REASONS, code);
}
