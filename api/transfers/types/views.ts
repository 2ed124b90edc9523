/** Transfer types as the wire shows them. */
import type { TransferTypeRow } from '../../../db/queries/transfers/transfer-types.ts';
import { viewOf } from '../../wire/rows.ts';
import * as wire from './schemas.ts';

const view = viewOf(wire.TransferTypeConfig);

export function transferTypeView(type: TransferTypeRow) {
  return view({
    ...type,
    cutOff: type.cutOff?.slice(0, 'HH:MM'.length) ?? null,
    currencies: type.currencies.map(({ asset, approvalAbove: minor }) => ({
      currency: asset,
      approval_above: { minor, asset },
    })),
    limits: type.limits.map(({ asset, kycLevel, subject, single, day, month }) => {
      const most = (minor: bigint | null) => (minor === null ? null : { minor, asset });
      return {
        currency: asset,
        kyc_level: kycLevel,
        subject,
        single: most(single),
        day: most(day),
        month: most(month),
      };
    }),
  });
}
