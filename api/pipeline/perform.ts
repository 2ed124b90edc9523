/** All steps round a handler, in their order. */
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { isRefusal, Refusal } from '../../domain/refusals.ts';
import type { Operation } from '../declaration/operation.ts';
import type { Raw } from '../declaration/request.ts';
import type { Client } from '../../services/callers.ts';
import type { Reading } from '../../services/identity/sessions/reading.ts';
import type { Services } from '../../services/services.ts';
import { authenticate, type Caller } from './authenticate.ts';
import { readBody, readJson } from './http/body.ts';
import type { Frame } from './frame.ts';
import { negotiate } from './formats.ts';
import { requireFreshFactor } from './factors/fresh-factor.ts';
import { handle, type Call, type Outcome } from './handle.ts';
import { scopeOf } from './idempotency.ts';
import { permit } from './permit.ts';
import { isLinked, requireStepUp } from './factors/step-up.ts';
import { throttle } from './throttle.ts';
import { validate } from './validate.ts';

/** A request whose path and method name an operation. */
export interface Incoming {
  readonly request: IncomingMessage;
  readonly path: string;
  readonly params: unknown;
  readonly query: unknown;
  readonly client: Client;
  readonly requestId: string;
  /** The session that the cookie of the sign-in page names. */
  readonly reading: Reading | null;
  /** Which of these media types the caller's `Accept` prefers. */
  readonly prefers: (offered: readonly string[]) => string | false;
  /** Told who calls, for the log. */
  readonly identified: (caller: Caller) => void;
}

/** Who calls is settled before anything of the body is read; what comes in is settled before anything is done. */
export async function perform(operation: Operation, incoming: Incoming, frame: Frame): Promise<Outcome> {
  const { services } = frame;
  const { request, path, params, client, requestId, reading } = incoming;
  const { headers } = request;
  const query = resumed(operation, incoming.query, only(headers['last-event-id']));

  const admit = async (): Promise<Caller> => {
    const known = await authenticate(
      operation,
      { authorization: headers.authorization, reading },
      services.sessions,
    );
    incoming.identified(known);
    permit(operation, known);
    return known;
  };
  const atFirst = await admit();
  const succeeded = await throttle(operation, client, atFirst, services.throttles);
  const token = only(headers['x-step-up-token']);
  const requireToken = async (body?: unknown): Promise<string | null> => {
    await requireFreshFactor(operation, atFirst, frame.orm.em.fork());
    return requireStepUp(operation, atFirst, { token, body }, services.tokens);
  };
  // the repeat of what moves money is answered, however old its token
  const isLate = operation.effect === 'booking' || isLinked(operation);
  const stepUpId = isLate ? null : await requireToken();
  const format = negotiate(operation, incoming.prefers);
  const rawBody = await readBody(operation, request);
  await requireSignature(operation, rawBody, request, frame);
  // a body can be held back for half a minute: who was blocked or lost a right meanwhile is refused, not served as the one they were
  const caller = rawBody.length > 0 ? await admit() : atFirst;
  const { raw, run } = read(operation, rawBody, headers, { params, query }, services);
  const { body } = raw;
  const stepUp = (): Promise<string | null> => requireToken(body);
  const key = only(headers['idempotency-key']);
  const scope = scopeOf(operation, { key, caller, path, body }, services.cipher);
  const ifMatch = headers['if-match'];
  const made = {
    operation,
    run,
    caller,
    client,
    requestId,
    rawBody,
    path,
    params,
    raw,
    format,
    ifMatch,
    scope,
  };
  const outcome = await handle({ ...made, stepUpId, stepUp }, frame);
  if (!isRefusal(outcome.result)) await succeeded();
  return outcome;
}

/** The request as it came, and the handler for it. A partner is answered also if its message cannot be read, where the operation says how. */
function read(
  operation: Operation,
  rawBody: Buffer,
  headers: IncomingHttpHeaders,
  place: Omit<Raw, 'body'>,
  services: Services,
): Pick<Call, 'raw' | 'run'> {
  let body: unknown;
  try {
    body = readJson(operation, rawBody, headers);
    const raw = { ...place, body };
    return { raw, run: validate(operation, raw) };
  } catch (error) {
    const { access } = operation;
    const unreadable = access.auth === 'signature' ? access.unreadable : undefined;
    if (unreadable === undefined || !isRefusal(error)) throw error;
    return {
      raw: { ...place, body },
      run: async (context) => unreadable({ ...context, body }, error, services),
    };
  }
}

/** A browser that takes a stream up again names the last event that it has in a header. */
function resumed({ formats }: Operation, query: unknown, lastEventId: string | undefined): unknown {
  if (lastEventId === undefined || formats?.includes('text/event-stream') !== true) return query;
  return { ...(typeof query === 'object' ? query : {}), last_event_id: lastEventId };
}

async function requireSignature(
  { access }: Operation,
  rawBody: Buffer,
  request: IncomingMessage,
  frame: Frame,
): Promise<void> {
  if (access.auth !== 'signature') return;
  const isSigned = await access.verify(rawBody, request.headers, frame.services);
  if (isSigned === 'unknown')
    throw new Refusal('unavailable', { detail: 'The keys of the sender cannot be read now.' });
  if (!isSigned) throw new Refusal('invalid_signature');
}

function only(header: string | string[] | undefined): string | undefined {
  return Array.isArray(header) ? header[0] : header;
}
