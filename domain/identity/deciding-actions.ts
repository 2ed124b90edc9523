/** The actions that make an administrator a second pair of eyes. */
import type { UserStatus } from './people.ts';

/**
 * With one of these somebody can approve what another administrator has asked for, or can make an administrator who can. To give one
 * away takes a second person. The SQL function `deciding_actions` lists the same.
 */
export const DECIDING_ACTIONS: readonly string[] = [
  'account_types:write',
  'accounts:review',
  'accounts:write',
  'aml:review',
  'aml:write',
  'cards:write',
  'compliance:review',
  'crypto:write',
  'fees:write',
  'fx:write',
  'permissions:write',
  'transfers:configure',
  'transfers:review',
  'users:write',
];

/** What somebody is and may do at the back office; nobody yet is null. */
export interface Standing {
  readonly actions: readonly string[];
  readonly status: UserStatus;
}

/** True if somebody can decide more than before. */
export function empowers(before: Standing | null, after: Standing | null): boolean {
  const held = before?.actions ?? [];
  return (after?.actions ?? []).some((action) => DECIDING_ACTIONS.includes(action) && !held.includes(action));
}

/** True if somebody who can decide is let in again. */
export function letsIn(before: Standing | null, after: Standing | null): boolean {
  if (before?.status !== 'blocked' || after === null || after.status === 'blocked') return false;
  return after.actions.some((action) => DECIDING_ACTIONS.includes(action));
}
