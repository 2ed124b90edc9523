/** Step: a change that loosens a control is tried out, taken back, and waits for a second administrator. */
import type { EntityManager } from '@mikro-orm/postgresql';
import { z } from 'zod';
import { tryOut } from '../../db/transaction.ts';
import { lockResource } from '../../db/queries/platform/resource-locks.ts';
import type { AuditState } from '../../db/schema/platform.ts';
import { hidingPersonal } from '../../domain/identity/personal-data.ts';
import { isRefusal, Refusal, refuse } from '../../domain/refusals.ts';
import type { Admin } from '../../services/callers.ts';
import { askForChange, type StoredRequest } from '../../services/platform/changes.ts';
import { versionOf, type Guard, type Judged } from '../../services/platform/four-eyes.ts';
import type { Operation } from '../declaration/operation.ts';
import { Waiting } from '../declaration/outline.ts';
import type { Context, Raw } from '../declaration/request.ts';
import { changeView } from '../platform/changes/views.ts';
import { render } from './answer.ts';
import type { Frame } from './frame.ts';
import { permit } from './permit.ts';
import { validate } from './validate.ts';

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
  return new Waiting(changeView(change));
}

interface Looked {
  readonly outcome: unknown;
  readonly etag: string;
  /** Undefined if the handler has refused. */
  readonly judged: Judged | undefined;
}

/** Tries the handler out. What it did stays unless it loosens. */
async function look(guard: Guard, call: GuardedCall, context: Context, frame: Frame): Promise<Looked> {
  const { db, newId } = context;
  // changes of one resource follow one another, whatever path they come on
  await lockResource.run(db, { name: guard.resource(newId).join('/') });
  const view = (em: EntityManager) => resourceOf(call, { ...context, db: em }, frame);
  const watched = await guard.watch(db, newId, view);
  return tryOut(
    db,
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

/**
 * Carries an approved change out as its maker, by the very handler that was called: today's schema reads the request, the maker's
 * permission is asked for again, and the resource must be as it was. Answers a refusal or `stale` if nothing was done.
 */
export async function carryOut(
  frame: Frame,
  db: EntityManager,
  { operation: id, etag }: { readonly operation: string; readonly etag: string },
  request: StoredRequest,
  maker: Admin,
): Promise<'applied' | 'stale' | Refusal> {
  try {
    const operation = frame.operationOf(id);
    if (operation === undefined) return new Refusal('not_found');
    const { params, query, body, path, newId, address, userAgent, requestId } = request;
    permit(operation, maker);
    const raw = { params, query, body };
    const call = { operation, raw, path, run: validate(operation, raw) };
    const context: Context = {
      ...{ caller: maker, client: { address, userAgent }, requestId, rawBody: Buffer.alloc(0) },
      ...{ newId, isRepeat: false, format: undefined, db, claim: null },
    };
    return await tryOut(
      db,
      async (trial) => apply(call, { ...context, db: trial }, etag, frame),
      (outcome) => outcome === 'applied',
    );
  } catch (error) {
    if (isRefusal(error)) return error;
    throw error;
  }
}

async function apply(
  call: GuardedCall,
  context: Context,
  etag: string,
  frame: Frame,
): Promise<'applied' | 'stale' | Refusal> {
  const { db, newId } = context;
  const guard = guardOf(call.operation, call.raw.params, frame);
  await lockResource.run(db, { name: guard.resource(newId).join('/') });
  const view = (em: EntityManager) => resourceOf(call, { ...context, db: em }, frame);
  if ((await guard.watch(db, newId, view)).etag !== etag) return 'stale';
  const outcome = await call.run(context, frame.services);
  return isRefusal(outcome) ? outcome : 'applied';
}

/** An operation that was named in the configuration when the change was asked for may be unnamed by now. */
function guardOf({ guard, path }: Operation, params: unknown, frame: Frame): Guard {
  return guard?.(params, frame.services.config) ?? everyChange(path, params);
}

/** What the GET on the same path answers, with personal data hidden; null if there is none. */
async function resourceOf(call: GuardedCall, context: Context, frame: Frame): Promise<AuditState | null> {
  const reader = frame.readerOf(call.operation);
  if (reader === undefined) return null;
  const reading = reader.prepare({ params: call.raw.params, query: {}, body: undefined });
  const db = context.db.fork({ keepTransactionContext: true });
  const outcome = await reading({ ...context, db }, frame.services);
  if (isRefusal(outcome)) throw outcome;
  return stateIn(render(reader, outcome, frame).body);
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
        etag: versionOf(before),
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
