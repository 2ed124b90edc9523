/** The actions that an administrator can hold. */

/** An action of the catalogue, `noun:verb`. */
export type Permission = `${string}:${string}`;

/** An action of the catalogue, which is made from the declarations of the API. */
export interface PermissionAction {
  readonly action: Permission;
  /** What its holder may do, in a sentence. */
  readonly description: string;
  /** Titles of the operations that it opens. */
  readonly operations: readonly string[];
}
