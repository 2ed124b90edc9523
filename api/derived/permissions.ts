/** The catalogue of actions that an administrator can hold, made from the declarations. */
import type { Operation, Permission } from '../operation.ts';

export interface PermissionAction {
  readonly action: Permission;
  /** Titles of the operations that it opens. */
  readonly operations: readonly string[];
}

/** Each action once, in alphabetical order. */
export function permissionCatalogue(operations: readonly Operation[]): PermissionAction[] {
  const titles = new Map<Permission, string[]>();
  for (const { access, title } of operations) {
    if (access.auth !== 'admin') continue;
    titles.set(access.permission, [...(titles.get(access.permission) ?? []), title]);
  }
  return [...titles]
    .map(([action, opened]) => ({ action, operations: opened }))
    .sort((one, other) => one.action.localeCompare(other.action));
}
