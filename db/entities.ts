/** All entities; MikroORM needs them in one list. */
import { Account, AccountType } from './entities/account.ts';
import { Transfer, TransferQuote, TransferType, TransferTypeCurrency } from './entities/transfer.ts';
export const entities = [
  AccountType,
  Account,
  TransferType,
  TransferTypeCurrency,
  TransferQuote,
  Transfer,
] as const;
