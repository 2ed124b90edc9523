/** Step: a change that loosens a control is tried out, taken back, and waits for a second administrator. */
import { z } from 'zod';
import { tryOut } from '../../../db/transaction.ts';
import { lockResource } from '../../../db/queries/platform/resource-locks.ts';
import type { AuditState } from '../../../db/schema/platform.ts';
import { hidingPersonal } from '../../../domain/identity/personal-data.ts';
import { isRefusal, refuse } from '../../../domain/refusals.ts';
import type { Admin } from '../../../services/callers.ts';
import { askForChange, type StoredRequest } from '../../../services/platform/changes.ts';
import {
  versionOfState,
  type Guard,
  type Judged,
  type Watched,
} from '../../../services/platform/four-eyes.ts';
import type { Operation } from '../../declaration/operation.ts';
import { Waiting } from '../../declaration/outline.ts';
import type { Context, Raw } from '../../declaration/request.ts';
import { changeView } from '../../platform/changes/views.ts';
import { render } from '../answer.ts';
import type { Frame } from '../frame.ts';
import { readBack } from '../read-back.ts';

/** A call of a guarded operation, inside the transaction of its effect. */
export interface GuardedCall {
  readonly operation: Operation;
  readonly run: ReturnType<Operation['prepare']>;
  readonly raw: Raw;
  readonly path: string;
}

/** Runs the handler. If what it did loosens a control, it is undone and kept as a change that waits; the answer then says so. */
export async function withFourEyes(call: GuardedCall, context: Context, frame: Frame): Promise<unknown> {
  const { operation, raw, path } = call;
  const { access } = operation;
  const { db, caller, client, requestId, newId } = context;
  if (caller?.kind !== 'admin' || access.auth !== 'admin' || access.permission === null)
    throw new Error(`${operation.id} waits for a second administrator, and has no first one`);
  const guard = guardOf(operation, raw.params, frame);
  const looked = await look(guard, call, context, frame);
  if (!looked.judged?.loosens) return looked.outcome;
  const { before, after, concerns } = looked.judged;
  const actor = { id: caller.id, role: caller.role, address: client.address, requestId };
  const change = await askForChange(
    { db, actor, refusal: refuse },
    {
      ...{ before, after, concerns, etag: looked.etag },
      operation: operation.id,
      permission: access.permission,
      resource: guard.resource(newId),
      request: storedRequest(raw, path, context, caller),
    },
    frame.services,
  );
  return new Waiting(changeView(change, frame.services.config));
}

interface Looked {
  readonly outcome: unknown;
  readonly etag: string;
  /** Undefined if the handler has refused. */
  readonly judged: Judged | undefined;
}

/** Tries the handler out. What it did stays unless it loosens. */
async function look(guard: Guard, call: GuardedCall, context: Context, frame: Frame): Promise<Looked> {
  const watched = await watch(guard, call, context, frame);
  return tryOut(
    context.db,
    async (trial): Promise<Looked> => {
      const outcome = await call.run({ ...context, db: trial }, frame.services);
      if (isRefusal(outcome)) return { outcome, etag: watched.etag, judged: undefined };
      await trial.flush();
      const answer = stateIn(render(call.operation, outcome, frame).body);
      return { outcome, etag: watched.etag, judged: await watched.judge(trial, answer) };
    },
    ({ judged }) => judged?.loosens !== true,
  );
}

/** Looks at the resource before a change. Changes of one resource follow one another, whatever path they come on. */
export async function watch(
  guard: Guard,
  call: GuardedCall,
  context: Context,
  frame: Frame,
): Promise<Watched> {
  const { db, newId } = context;
  await lockResource.run(db, { name: guard.resource(newId).join('/') });
  return guard.watch(db, newId, (em) => resourceOf(call, { ...context, db: em }, frame));
}

/** An operation that was named in the configuration when the change was asked for may be unnamed by now. */
export function guardOf({ guard, path }: Operation, params: unknown, frame: Frame): Guard {
  return guard?.(params, frame.services.config) ?? everyChange(path, params);
}

/** What the GET on the same path answers, with personal data hidden; null if there is none. */
async function resourceOf(call: GuardedCall, context: Context, frame: Frame): Promise<AuditState | null> {
  const reader = frame.readerOf(call.operation);
  return reader === undefined ? null : stateIn(await readBack(reader, call.raw.params, context, frame));
}

/** For an operation of which every change waits: it is about what its path names, and shows what the API answers of it. */
export function everyChange(path: string, params: unknown): Guard {
  const named = Object.values(z.record(z.string(), z.unknown()).parse(params ?? {})).map(String);
  const place = /([a-z-]+)(?:\/\{\w+\})+[^{}]*$/.exec(path) ?? /([a-z-]+)$/.exec(path);
  const kind = place?.[1] ?? 'resource';
  return {
    resource: (newId) => [kind, named.length === 0 ? newId : named.join('/')],
    async watch(db, _newId, view) {
      const before = await view(db);
      return {
        etag: versionOfState(before),
        judge: async (changed, answer) => ({
          ...{ loosens: true, before, concerns: null },
          after: before === null ? answer : await view(changed),
        }),
      };
    },
  };
}

function stateIn(body: string | null): AuditState | null {
  return body === null ? null : hidingPersonal(z.record(z.string(), z.unknown()).parse(JSON.parse(body)));
}

function storedRequest(raw: Raw, path: string, context: Context, maker: Admin): StoredRequest {
  const record = z.record(z.string(), z.unknown());
  const { client, requestId, newId } = context;
  return {
    ...{ params: record.parse(raw.params ?? {}), query: record.parse(raw.query ?? {}), body: raw.body },
    ...{ path, newId, requestId, address: client.address, userAgent: client.userAgent },
    ...{ sessionId: maker.sessionId, amr: [...maker.amr] },
  };
}
