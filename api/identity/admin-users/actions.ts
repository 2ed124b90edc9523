/** Actions that a request names. */
import { Refusal } from '../../../domain/refusals.ts';
import type { PermissionAction } from '../../../services/platform/permission.ts';

/** Refuses invalid_request, pointing at each action that is not in the catalogue. */
export function refuseUnknown(
  wished: readonly string[],
  catalogue: readonly PermissionAction[],
  pointer: string,
): void {
  const errors = wished.flatMap((action, index) =>
    catalogue.some((known) => known.action === action)
      ? []
      : [
          {
            pointer: `${pointer}/${index}`,
            code: 'unknown_action',
            detail: 'is not in the catalogue of actions',
          },
        ],
  );
  if (errors.length > 0) throw new Refusal('invalid_request', { errors });
}
