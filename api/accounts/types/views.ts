/** Account types as the wire shows them. */
import type { z } from 'zod';
import type { AccountType } from '../../../db/schema/accounts.ts';
import { limitsView } from '../views.ts';
import { viewOf } from '../../wire/rows.ts';
import * as wire from './schemas.ts';

const amounts = { currency: true, min_balance: true, max_balance: true, overdraft_limit: true } as const;
const view = viewOf(wire.AccountType.omit(amounts));

export function accountTypeView(type: AccountType): z.output<typeof wire.AccountType> {
  return { ...view(type), currency: type.asset, ...limitsView(type, type.asset) };
}
