/** What an entry is in the words of ISO 20022: the bank transaction code (external code set, domain/family/sub-family). */
import type { StatementRow } from '../../db/queries/statements/lines.ts';

export interface TransactionCode {
  readonly domain: string;
  readonly family: string;
  readonly sub: string;
}

/** Card payments, with the generic codes for what is given back, and for what a dispute gives and takes. */
const CARD = ['PMNT', 'CCRD'] as const;

/** Payments: received and issued credit transfers. Account management: what the bank itself credits and debits. */
const CREDIT = { payment: ['PMNT', 'RCDT'], account: ['ACMT', 'MCOP'] } as const;
const DEBIT = { payment: ['PMNT', 'ICDT'], account: ['ACMT', 'MDOP'] } as const;

export function transactionCode(
  entry: Pick<StatementRow, 'amount' | 'kind' | 'part' | 'reach'>,
): TransactionCode {
  const side = entry.amount < 0n ? DEBIT : CREDIT;
  if (entry.part !== 'principal' || entry.kind === 'account_fee') return code(side.account, 'CHRG');
  switch (entry.kind) {
    case 'return':
      // money of an issued transfer that has come back
      return code(DEBIT.payment, 'RRTN');
    case 'transfer':
    case 'reversal':
      return code(side.payment, subFamily(entry.reach));
    case 'card_purchase':
      return code(CARD, 'POSD');
    case 'card_cash':
      return code(CARD, 'CWDL');
    case 'card_refund':
      return code(CARD, 'RIMB');
    case 'dispute_credit':
      return code(CARD, 'CAJT');
    case 'dispute_reversal':
      return code(CARD, 'DAJT');
    case 'crypto_buy':
    case 'crypto_sell':
      return code(['FORX', 'SPOT'], 'OTHR');
    default:
      return code(side.account, 'ADJT');
  }
}

/** Within the bank, by SEPA, across borders. */
function subFamily(reach: StatementRow['reach']): string {
  switch (reach) {
    case 'sepa':
      return 'ESCT';
    case 'international':
      return 'XBCT';
    case 'own':
    case 'internal':
    case null:
      return 'BOOK';
  }
}

function code([domain, family]: readonly [string, string], sub: string): TransactionCode {
  return { domain, family, sub };
}
