/** What handlers may use beside their request. Built once by `api/main.ts`, handed in, never fetched. */
import type { Logger } from 'pino';
import type { Cipher } from '../adapters/cipher.ts';
import type { Processes } from '../adapters/processes.ts';
import type { Storage } from '../adapters/storage.ts';
import type { Temporal } from '../adapters/temporal.ts';
import type { Config } from '../config.ts';
import type { PermissionAction } from './derived/permissions.ts';
import type { Passwords } from './identity/passwords.ts';
import type { Sessions } from './identity/sessions.ts';
import type { StepUpKind } from './identity/step-up.ts';
import type { Tokens } from './identity/tokens.ts';
import type { Throttles } from './pipeline/throttle.ts';

export interface Services {
  readonly config: Config;
  readonly log: Logger;
  readonly cipher: Cipher;
  readonly processes: Processes;
  readonly temporal: Temporal;
  readonly storage: Storage;
  readonly tokens: Tokens;
  readonly sessions: Sessions;
  readonly passwords: Passwords;
  readonly throttles: Throttles;
  /** What a step-up can be asked for: `stepUpOperations(operations)`. */
  readonly stepUpOperations: ReadonlyMap<string, StepUpKind>;
  /** All that an administrator can hold: `permissionCatalogue(operations)`. */
  readonly permissionActions: readonly PermissionAction[];
}
