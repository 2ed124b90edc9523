/** Which operations of administrators need a fresh second factor: the rule, and the list of operations held to it. */
import { expect, test } from '@jest/globals';
import { operations } from '../../../api/operations.ts';
import { needsFreshFactor } from '../../../api/pipeline/fresh-factor.ts';
import { needsFreshFactor as isHeldFresh } from '../../../services/platform/permission.ts';

test('every operation that moves money or gives authority needs a fresh factor, and no other does', () => {
  const deciding = operations.filter(
    // without a permission of its own it decides on what others have asked for
    ({ access, method }) =>
      access.auth === 'admin' &&
      method !== 'GET' &&
      (access.permission === null || isHeldFresh(access.permission)),
  );
  const idsOf = (list: typeof operations): string[] => list.map(({ id }) => id).toSorted();
  expect(idsOf(operations.filter(needsFreshFactor))).toEqual(idsOf(deciding));
  expect(idsOf(deciding)).toEqual(
    expect.arrayContaining([
      'createAdjustment',
      'executePendingTransfer',
      'grantPermissions',
      'upsertFxRate',
    ]),
  );
});
