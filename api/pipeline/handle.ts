/** Step: runs the handler, inside a transaction or beside a process, with its key, step-up and version. */
import type { EntityManager } from '@mikro-orm/postgresql';
import { setTimeout as wait } from 'node:timers/promises';
import { returnStepUp, spendStepUp } from '../../db/queries/identity/factors/step-up-uses.ts';
import { actAs } from '../../db/queries/platform/acting.ts';
import { afterLaunches } from '../../db/queries/platform/outbox.ts';
import { stepUpRequired } from '../../domain/identity/step-up.ts';
import { UnknownAsset } from '../../domain/assets.ts';
import { isRefusal, Refusal } from '../../domain/refusals.ts';
import type { Operation } from '../declaration/operation.ts';
import type { Context, Raw } from '../declaration/request.ts';
import { TakenBefore, type Client } from '../../services/callers.ts';
import { readAssets } from '../../services/platform/assets.ts';
import type { MediaType } from '../../services/streamed.ts';
import { admit, render } from './answer.ts';
import type { Caller } from './authenticate.ts';
import { requireMatch } from './etag.ts';
import type { BookingClaim } from '../declaration/request.ts';
import { withFourEyes } from './four-eyes/four-eyes.ts';
import { isRetryable } from './http/faults.ts';
import type { Frame } from './frame.ts';
import {
  isRemembered,
  knownOrKept,
  remember,
  rememberRefusal,
  reserve,
  type Rendered,
  type Reservation,
  type Scope,
} from './idempotency.ts';
import { newUuid } from '../../adapters/new-id.ts';
import { activeTrace } from '../../adapters/tracing.ts';
import { isLinked } from './factors/step-up.ts';
import { begin, type Begun } from './stream.ts';
import { transaction } from '../../db/transaction.ts';

const ATTEMPTS = 5;

/** A request that has passed all checks before the handler. */
export interface Call {
  readonly operation: Operation;
  readonly run: ReturnType<Operation['prepare']>;
  readonly caller: Caller;
  readonly client: Client;
  readonly requestId: string;
  readonly rawBody: Buffer;
  readonly path: string;
  readonly params: unknown;
  /** The request as it came, for what waits for a second administrator. */
  readonly raw: Raw;
  readonly format: MediaType | undefined;
  readonly ifMatch: string | undefined;
  /** The verified step-up token, to be spent with the effect. */
  readonly stepUpId: string | null;
  /** Verifies the token; refuses step_up_required. For what moves money: a repeat is answered whatever its token. */
  readonly stepUp: () => Promise<string | null>;
  readonly scope: Scope | null;
}

export interface Outcome {
  readonly result: Rendered | Begun | Refusal;
  readonly replayed: boolean;
}

/**
 * An answer that names an asset which was added a moment ago cannot be written. The assets are read, and the call is made again if it has
 * left nothing behind or its key leads it to what it has done.
 */
export async function handle(call: Call, frame: Frame): Promise<Outcome> {
  try {
    return await handled(call, frame);
  } catch (error) {
    const { effect } = call.operation;
    const isRepeatable = effect === 'read' || effect === 'transaction' || call.scope !== null;
    if (!(error instanceof UnknownAsset) || !isRepeatable) throw error;
    await readAssets(frame.orm.em.fork());
    return handled(call, frame);
  }
}

async function handled(call: Call, frame: Frame): Promise<Outcome> {
  if (!isLinked(call.operation) || call.operation.effect === 'booking') return act(call, frame);
  const stepUpId = await refusalAsValue(call.stepUp);
  if (!isRefusal(stepUpId)) return act({ ...call, stepUpId }, frame);
  const { scope } = call;
  const known = scope && (await knownOrKept(frame.orm.em.fork(), scope, newUuid(), null));
  if (known !== null && 'answer' in known) return { result: known.answer, replayed: true };
  return { result: stepUpId, replayed: false };
}

async function act(call: Call, frame: Frame): Promise<Outcome> {
  const { effect } = call.operation;
  // carries out what the operation put in the outbox; the answer does not wait for it, and it never throws
  const launching = (way: (call: Call, frame: Frame) => Promise<Outcome>): Promise<Outcome> =>
    afterLaunches(
      { requestId: call.requestId, trace: activeTrace() },
      () => way(call, frame),
      () => void frame.services.processes.relay('starts'),
    );
  switch (effect) {
    case 'read':
      return readOnly(call, frame);
    // what they start or tell is waited for
    case 'process':
    case 'decision':
      return inSteps(call, frame);
    case 'transaction':
      return launching(inTransaction);
    case 'own_transactions':
      return launching(inSteps);
    case 'booking':
      return launching(inBooking);
  }
}

/** Reservation, step-up, effect and remembered answer are one transaction. A thrown refusal undoes it; a returned one commits. */
async function inTransaction(call: Call, frame: Frame): Promise<Outcome> {
  const { scope, stepUpId } = call;
  const candidateId = newUuid();
  let resourceId = candidateId;
  try {
    return await retried(() =>
      transaction(frame.orm.em.fork(), async (db): Promise<Outcome> => {
        const reserved =
          scope === null ? unreserved(candidateId) : await reserve(db, scope, candidateId, stepUpId);
        resourceId = reserved.resourceId;
        if (reserved.known !== null) return { result: reserved.known, replayed: true };
        if (call.caller?.kind === 'admin') await actAs.run(db, { actor: call.caller.id });
        const result = await once(call, frame, db, reserved);
        await db.flush();
        return { result: await kept(db, call, resourceId, result), replayed: !reserved.fresh };
      }),
    );
  } catch (error) {
    if (!isRefusal(error)) throw error;
    // the reservation was undone with the transaction, so the refusal is remembered by itself; a twin may have been quicker
    return { result: await kept(frame.orm.em.fork(), call, resourceId, error), replayed: false };
  }
}

/**
 * The effect happens in a process of its own. The reservation is committed first, so that every repeat brings the same id to
 * the same process; a crash before the answer leaves a key without one, and the repeat goes through the process again.
 */
async function inSteps(call: Call, frame: Frame): Promise<Outcome> {
  const { scope, stepUpId } = call;
  const db = frame.orm.em.fork();
  const reserved = scope === null ? unreserved(newUuid()) : await reserve(db, scope, newUuid(), stepUpId);
  if (reserved.known !== null) return { result: reserved.known, replayed: true };
  const result = await refusalAsValue(() => once(call, frame, db, reserved));
  // what was refused has moved nothing
  if (isRefusal(result) && stepUpId !== null && isLinked(call.operation))
    await returnStepUp.run(frame.orm.em.fork(), { stepUpId, resourceId: reserved.resourceId });
  return {
    result: await kept(frame.orm.em.fork(), call, reserved.resourceId, result),
    replayed: !reserved.fresh,
  };
}

/**
 * The handler takes key and step-up in the transaction that books, and the key is not looked up before. Only what is refused, or known
 * to be a repeat, looks: whatever the refusal, a key that stands for a booking is answered with what was booked, as it is now.
 */
async function inBooking(call: Call, frame: Frame): Promise<Outcome> {
  const { scope, requestId } = call;
  if (scope === null) throw new Error(`${call.operation.id} books without an idempotency key`);
  const db = frame.orm.em.fork();
  const newId = newUuid();
  const booked = async (): Promise<Rendered | Refusal> => {
    const claim = { newId, key: scope, stepUpId: await call.stepUp(), requestId, booked: null };
    return once(call, frame, db, unreserved(newId), claim);
  };
  const result = await refusalAsValue(() => retried(booked)).catch((error: unknown) => {
    if (error instanceof TakenBefore) return null;
    throw error;
  });
  if (result !== null && !isRefusal(result)) return { result, replayed: false };
  const known = await knownOrKept(db, scope, newId, result);
  if (known === null) return { result: result ?? new Refusal('idempotency_in_progress'), replayed: false };
  if ('answer' in known) return { result: known.answer, replayed: !known.isFirst };
  const claim = { newId, key: scope, stepUpId: null, requestId, booked: known.booked };
  const again = (): Promise<Rendered | Refusal> => once(call, frame, db, unreserved(newId), claim);
  return { result: await refusalAsValue(again), replayed: true };
}

function unreserved(resourceId: string): Reservation {
  return { resourceId, known: null, fresh: true, stepUpSpent: false };
}

/** Neither key nor transaction; an answer that is offered in several formats is written while it is read. */
async function readOnly(call: Call, frame: Frame): Promise<Outcome> {
  const { format } = call;
  const db = frame.orm.em.fork();
  if (format === undefined)
    return { result: await once(call, frame, db, unreserved(newUuid())), replayed: false };
  const result = await admitted(call, frame, async () => {
    const answer = await run(call, frame, db, unreserved(newUuid()));
    return isRefusal(answer) ? answer : begin(answer, format);
  });
  return { result, replayed: false };
}

/** Runs the handler and holds its answer to the declaration. */
async function once(
  call: Call,
  frame: Frame,
  db: EntityManager,
  reserved: Reservation,
  claim: BookingClaim | null = null,
): Promise<Rendered | Refusal> {
  const outcome = await admitted(call, frame, () => run(call, frame, db, reserved, claim));
  return isRefusal(outcome) ? outcome : render(call.operation, outcome, frame);
}

/** Spends the step-up where the reservation has not, holds the version, runs the handler. */
async function run(
  call: Call,
  frame: Frame,
  db: EntityManager,
  { resourceId: newId, stepUpSpent, fresh }: Reservation,
  claim: BookingClaim | null = null,
): Promise<unknown> {
  const { operation, stepUpId, caller, client, requestId, rawBody, format } = call;
  const context: Context = { caller, client, requestId, rawBody, format, db, newId, claim, isRepeat: !fresh };
  if (stepUpId !== null && !stepUpSpent && !(await spendStepUp(db, { stepUpId, resourceId: newId })))
    throw stepUpRequired('spent', operation.id);
  if (operation.method !== 'GET') await requireMatch(call, context, frame);
  return operation.guard === null ? call.run(context, frame.services) : withFourEyes(call, context, frame);
}

/** Holds a refusal, returned or thrown, to the declaration. */
async function admitted<T>({ operation }: Call, frame: Frame, act: () => Promise<T>): Promise<T | Refusal> {
  const outcome = await act().catch((error: unknown) => {
    throw isRefusal(error) ? admit(operation, error, frame) : error;
  });
  return isRefusal(outcome) ? admit(operation, outcome, frame) : outcome;
}

async function kept(
  db: EntityManager,
  { scope }: Call,
  resourceId: string,
  result: Rendered | Refusal,
): Promise<Rendered | Refusal> {
  if (scope === null) return result;
  if (!isRefusal(result)) return result.isProvisional === true ? result : remember(db, scope, result);
  return isRemembered(result) ? rememberRefusal(db, scope, resourceId, result) : result;
}

async function refusalAsValue<T>(act: () => Promise<T>): Promise<T | Refusal> {
  try {
    return await act();
  } catch (error) {
    if (isRefusal(error)) return error;
    throw error;
  }
}

/** Two transactions that stood in each other's way: PostgreSQL undid one, which is tried again after a random pause. */
async function retried<T>(act: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await act();
    } catch (error) {
      if (attempt === ATTEMPTS || !isRetryable(error)) throw error;
      await wait(Math.random() * 20 * 2 ** attempt);
    }
  }
}
