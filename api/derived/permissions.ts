/** The catalogue of actions that an administrator can hold, made from the declarations. */
import type { Permission, PermissionAction } from '../../services/platform/permission.ts';
import type { Operation } from '../declaration/operation.ts';

/** What an action means to who grants it. An action that an operation asks for must stand here. */
const DESCRIPTIONS: Readonly<Record<string, string>> = {
  'account_types:read': 'See every account type, the disabled ones too.',
  'account_types:write': 'Create, change and remove the types of accounts that customers can have.',
  'accounts:read': 'See the accounts of all customers, with their balances and movements.',
  'accounts:review': 'Approve or reject requests for accounts.',
  'accounts:write': 'Open, block and close accounts of customers.',
  'adjustments:write':
    'Ask for money to be credited to or debited from an account; another administrator approves it.',
  'aml:read': 'See the alerts, flags and rules of the money-laundering watch.',
  'aml:review': 'Flag and freeze accounts, and clear flags that others have raised.',
  'aml:write':
    'Create, change and remove the rules of the money-laundering watch, and weigh the risk of customers.',
  'audit:read': 'Read who did what, and when, in the log that nobody can change.',
  'cards:issue': 'Issue cards for the accounts of customers.',
  'cards:read': 'See the cards of all customers and the card products.',
  'cards:write': 'Block and replace cards, and change card products.',
  'compliance:read':
    'See the identity checks of customers and companies, with their documents, and their risk.',
  'compliance:review': 'Decide the identity checks of customers and companies, and override their risk.',
  'crypto:read':
    'See which coins are offered on which terms, and crypto wallets, orders, deposits and withdrawals.',
  'crypto:write':
    'Change which coins are offered and how they move, and decide crypto withdrawals and deposits that wait for review.',
  'fees:read': 'See the rules that make fees.',
  'fees:write': 'Create, change and end the rules that make fees.',
  'fx:read': 'See exchange rates with their spreads.',
  'fx:write': 'Set exchange rates and their spreads.',
  'ledger:read': 'See the trial balance, and follow every movement of all accounts as it is booked.',
  'notifications:read': 'See message templates and what was sent to whom.',
  'notifications:send': 'Send messages to customers.',
  'notifications:write': 'Create, change and remove message templates.',
  'permissions:read': 'See who may do what, and all that there is to grant.',
  'permissions:write':
    'Grant what one holds, revoke, promote customers to administrators and block administrators.',
  'processes:read':
    'Read the decrypted inputs and results of processes in the Temporal Web UI, and which processes do not start.',
  'statements:export': 'Export the statements of all customers.',
  'tickets:read': 'Read the tickets of all customers with their files.',
  'tickets:write': 'Answer, assign and close tickets.',
  'transfers:configure':
    'Change which kinds of transfers there are, their limits and where they need approval.',
  'transfers:read': 'See the transfers of all customers.',
  'transfers:reverse': 'Ask for an executed movement to be reversed; another administrator approves it.',
  'transfers:review': 'Execute or reject transfers and adjustments that wait for approval.',
  'users:read': 'Find customers and administrators; contact data stays masked.',
  'users:unmask': 'See a person’s contact data in clear, for a reason that is written down.',
  'users:write': 'Invite administrators, correct profiles, block and unblock customers.',
};

/** Each action once, in alphabetical order. */
export function permissionCatalogue(operations: readonly Operation[]): PermissionAction[] {
  const titles = new Map<Permission, string[]>();
  for (const { access, title } of operations) {
    if (access.auth !== 'admin' || access.permission === null) continue;
    titles.set(access.permission, [...(titles.get(access.permission) ?? []), title]);
  }
  return [...titles]
    .map(([action, opened]) => ({
      action,
      // a test finds the action without a sentence; a service that runs names at least what it opens
      description: DESCRIPTIONS[action] ?? `${opened.join(', ')}.`,
      operations: opened,
    }))
    .sort((one, other) => one.action.localeCompare(other.action));
}

/** Actions that operations ask for and nobody has described. */
export function undescribed(operations: readonly Operation[]): Permission[] {
  return permissionCatalogue(operations)
    .map(({ action }) => action)
    .filter((action) => DESCRIPTIONS[action] === undefined);
}
