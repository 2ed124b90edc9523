/** The actions that an administrator can hold. */

/** An action of the catalogue, `noun:verb`. */
export type Permission = `${string}:${string}`;

const MONEY_OR_AUTHORITY: ReadonlySet<string> = new Set([
  'account_types:write',
  'accounts:write',
  'adjustments:write',
  'aml:review',
  'cards:issue',
  'cards:write',
  'compliance:review',
  'crypto:write',
  'fees:write',
  'fx:write',
  'permissions:write',
  'transfers:configure',
  'transfers:reverse',
  'transfers:review',
  'users:write',
] satisfies Permission[]);

/** Whether whoever holds this action can move money or give authority. */
export function movesMoneyOrGivesAuthority(action: Permission): boolean {
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
