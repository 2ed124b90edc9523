/** What handlers may use beside their request. Built once by `api/main.ts`, handed in, never fetched. */
import type { Logger } from 'pino';
import type { CardVault } from '../adapters/card-vault.ts';
import type { WebhookKeys } from '../adapters/custody/webhook-keys.ts';
import type { Cipher } from '../adapters/cipher.ts';
import type { OrderTaker } from '../db/ledger/transfers.ts';
import type { Processes } from './platform/processes.ts';
import type { Push } from '../adapters/push/push.ts';
import type { Storage } from '../adapters/storage.ts';
import type { Temporal } from '../adapters/temporal.ts';
import type { Config } from '../config.ts';
import type { Readiness } from './monitoring/readiness.ts';
import type { CarryOut } from './platform/changes.ts';
import type { Live } from './notifications/live/live.ts';
import type { PermissionAction } from './platform/permission.ts';
import type { Passwords } from './identity/passwords/passwords.ts';
import type { Sessions } from './identity/sessions/sessions.ts';
import type { StepUpSubject } from './identity/factors/step-up-kind.ts';
import type { Tokens } from './identity/sessions/tokens.ts';
import type { Throttles } from './platform/throttles.ts';

export interface Services {
  readonly config: Config;
  readonly log: Logger;
  readonly cipher: Cipher;
  /** Numbers of cards, under keys of their own. */
  readonly vault: CardVault;
  readonly processes: Processes;
  /** Gives orders to move money to the books, many callers' at once. */
  readonly orders: OrderTaker;
  readonly temporal: Temporal;
  readonly storage: Storage;
  readonly tokens: Tokens;
  readonly sessions: Sessions;
  readonly passwords: Passwords;
  readonly throttles: Throttles;
  /** Push messages to browsers; undefined if the bank sends none. */
  readonly push: Push | undefined;
  /** The feeds that people follow. */
  readonly live: Live;
  /** Says which webhooks the custodian has signed. */
  readonly custodianKeys: WebhookKeys;
  /** Whether the parts answer, for probes. */
  readonly readiness: Readiness;
  /** Carries out a change that a second administrator has approved. */
  readonly carryOut: CarryOut;
  /** What a step-up can be asked for: `stepUpOperations(operations)`. */
  readonly stepUpOperations: ReadonlyMap<string, StepUpSubject>;
  /** All that an administrator can hold: `permissionCatalogue(operations)`. */
  readonly permissionActions: readonly PermissionAction[];
}
