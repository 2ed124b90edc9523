/** What the steps share: built once for a list of operations. */
import type { MikroORM } from '@mikro-orm/postgresql';
import type { RefusalCode } from '../../domain/refusals.ts';
import type { Operation } from '../declaration/operation.ts';
import type { Services } from '../../services/services.ts';

export interface Frame {
  readonly services: Services;
  readonly orm: MikroORM;
  /** Outside production a broken declaration is a failure rather than a line in the log. */
  readonly strict: boolean;
  /** The GET on the same path, whose answer's hash is the version that If-Match names. */
  readerOf(operation: Operation): Operation | undefined;
  refusalsOf(operation: Operation): ReadonlySet<RefusalCode>;
  /** The operation of this id, to carry out what waited for a second administrator. */
  operationOf(id: string): Operation | undefined;
}

/** What the frame is built with: all services but the one that needs the operations themselves. */
export type GivenServices = Omit<Services, 'carryOut'>;
