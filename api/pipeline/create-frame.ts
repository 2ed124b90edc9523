/** Builds what the steps share. Apart from its type, because it knows how an approved change is carried out, which is a step itself. */
import type { MikroORM } from '@mikro-orm/postgresql';
import type { Operation } from '../declaration/operation.ts';
import { carryOut } from './four-eyes/carry-out.ts';
import type { Frame, GivenServices } from './frame.ts';
import { refusalsOf } from './refusals-of.ts';

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
