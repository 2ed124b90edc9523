/** The actions that an administrator can hold. */

/** An action of the catalogue, `noun:verb`. */
export type Permission = `${string}:${string}`;

/**
 * Actions that move money or give authority: whoever calls an operation of these that is no GET proves a second factor anew every
 * quarter of an hour, because an administrator's session lives for hours and each such call counts.
 */
const MONEY_OR_AUTHORITY: ReadonlySet<string> = new Set([
  'account_types:write',
  'accounts:write',
  'adjustments:write',
  'aml:review',
  'fees:write',
  'fx:write',
  'permissions:write',
  'transfers:configure',
  'transfers:reverse',
  'transfers:review',
  'users:write',
] satisfies Permission[]);

/** Whether calls with this action need a fresh second factor. */
export function needsFreshFactor(action: string): boolean {
  return MONEY_OR_AUTHORITY.has(action);
}

/** An action of the catalogue, which is made from the declarations of the API. */
export interface PermissionAction {
  readonly action: Permission;
  /** What its holder may do, in a sentence. */
  readonly description: string;
  /** Titles of the operations that it opens. */
  readonly operations: readonly string[];
}
