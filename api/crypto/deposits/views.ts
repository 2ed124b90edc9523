/** Deposits of coins as their customers and administrators see them. */
import type { z } from 'zod';
import type { DepositRow, KnownDepositRow } from '../../../db/queries/crypto/deposits.ts';
import { formatMinor, moneyIn } from '../../../domain/money.ts';
import { viewOf } from '../../wire/rows.ts';
import * as wire from './schemas.ts';

const own = viewOf(wire.CryptoDeposit);
const known = viewOf(wire.AdminCryptoDeposit);

export function depositView({ amount, ...row }: DepositRow): z.output<typeof wire.CryptoDeposit> {
  return own({ ...row, amount: moneyIn(row.asset)(amount) });
}

export function knownDepositView({
  amount,
  chainAmount,
  scale,
  ...row
}: KnownDepositRow): z.output<typeof wire.AdminCryptoDeposit> {
  return known({
    ...row,
    amount: moneyIn(row.asset)(amount),
    chainAmount: formatMinor(chainAmount, scale),
  });
}
