/** What the steps share: built once for a list of operations. */
import type { MikroORM } from '@mikro-orm/postgresql';
import type { RefusalCode } from '../../domain/refusals.ts';
import type { Operation } from '../declaration/operation.ts';
import type { Services } from '../../services/services.ts';
import { carryOut } from './carry-out.ts';
import { refusalsOf } from './refusals-of.ts';

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

export function createFrame(given: GivenServices, orm: MikroORM, operations: readonly Operation[]): Frame {
  const readers = new Map(
    operations.filter(({ method }) => method === 'GET').map((reader) => [reader.path, reader]),
  );
  const codes = new Map(operations.map((operation) => [operation.id, refusalsOf(operation)]));
  const byId = new Map(operations.map((operation) => [operation.id, operation]));
  const frame: Frame = {
    services: { ...given, carryOut: (...call) => carryOut(frame, ...call) },
    orm,
    strict: given.config.NODE_ENV !== 'production',
    readerOf: ({ path }) => readers.get(path),
    refusalsOf: (operation) => codes.get(operation.id) ?? refusalsOf(operation),
    operationOf: (id) => byId.get(id),
  };
  return frame;
}
