/**
 * How great the risk is that a customer launders money. The rating adds up the points of all factors that are true of a customer, and is
 * at least what one of them asks for: EBA/GL/2021/02, Guideline 3. The table `risk_factors` holds the weights, and functions of the
 * database rate.
 */
export const RISK_LEVELS = ['low', 'medium', 'high'] as const;
export type RiskLevel = (typeof RISK_LEVELS)[number];

export const RISK_CATEGORIES = ['customer', 'geography', 'ownership', 'product', 'behaviour'] as const;

/** When each factor is true; `threshold` and `entries` are those of its row. */
export const RISK_FACTORS = {
  not_identified: 'No identity check of the customer is approved.',
  politically_exposed: 'The customer, or a person of their company, is politically exposed.',
  suspected_forgery: 'An application was rejected because of a suspected forgery.',
  high_risk_country:
    'Residence, nationality, tax residency, identity document or company belongs to one of `KYC_HIGH_RISK_COUNTRIES`.',
  industry: 'The NACE code of the company begins with one of the entries.',
  new_company: 'The company was incorporated less than `threshold` days ago.',
  owned_by_companies: 'Companies own a part of the company.',
  owned_abroad: 'A company of another country owns a part of it.',
  account_types: 'The customer has an account of one of the types in the entries, by their codes.',
  high_turnover: 'What was paid and received in 30 days reaches `threshold`, in the base currency.',
  turnover_unexpected:
    'What was paid and received in 30 days exceeds `threshold` times what the company expects in a month.',
  high_risk_payments:
    '`threshold` payments within 90 days went to, or came from, one of `KYC_HIGH_RISK_COUNTRIES`.',
  suspicions: '`threshold` suspicions were raised within 90 days, and not cleared.',
  suspicion_confirmed: 'A suspicion about the customer was confirmed.',
} as const;
export type RiskFactorCode = keyof typeof RISK_FACTORS;
export const RISK_FACTOR_CODES = Object.keys(RISK_FACTORS).filter(
  (code): code is RiskFactorCode => code in RISK_FACTORS,
);

/** A factor that is true of a customer. `evidence` is what shows it, such as the countries. */
export interface FactorFound {
  readonly code: RiskFactorCode;
  readonly points: number;
  readonly evidence: string;
}
