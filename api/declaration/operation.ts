/**
 * One declaration an operation. What must not be forgotten is a field without which it does not compile: who may call, what the
 * handler does to the world, what is answered, with which status, which refusals it may give, whether a POST takes an idempotency
 * key, an example of the body. Router, OpenAPI, docs page, permission catalogue and the derived tests are made from the list of
 * declarations. Who may call is chosen before the handler is typed, so that an error of the compiler names the field that is wrong.
 */
import type { z } from 'zod';
import type { Person, Stranger } from '../../domain/actor.ts';
import { Refusal, refuse, type RefusalCode } from '../../domain/refusals.ts';
import type { Exemplified } from '../wire/naming.ts';
import type { BookingClaim, Context, Raw, Request } from './request.ts';
import type { Admin, User } from '../../services/callers.ts';
import type { ApprovalCall, Approval, Approves } from '../../services/identity/factors/step-up-kind.ts';
import type { Permission } from '../../services/platform/permission.ts';
import type { CallThrottle } from '../../services/platform/throttles.ts';
import type { Services } from '../../services/services.ts';
import type { MediaType, Streamed } from '../../services/streamed.ts';

type Schema = z.ZodType;
type Optional = Schema | undefined;
type Read<S extends Optional> = S extends Schema ? z.output<S> : undefined;
/** A handler answers in the domain's terms; the codecs of the schema write dates and money. */
type Answer<S extends Schema | null> = S extends Schema ? z.output<S> : null;
/** The first is answered where the caller does not say; `answer` describes the JSON. */
type Formats = readonly [MediaType, ...MediaType[]] | undefined;

/** What the handler does to the world, and hence what the frame opens for it. */
export type Effect =
  /** Nothing: a GET. */
  | 'read'
  /** It writes in the one transaction that the frame opens round key, step-up and answer. */
  | 'transaction'
  /** It starts a process and waits for its first word. The frame commits the key first and opens no transaction. */
  | 'process'
  /** It tells a process that runs what somebody has decided. The frame does as for `process`. */
  | 'decision'
  /** It opens small transactions itself, because something must last although it refuses, such as a counted attempt. */
  | 'own_transactions'
  /** It books, and takes key and step-up (`claim`) in the transaction of the booking. The frame opens nothing. */
  | 'booking';

/** What every declaration says, whoever may call. */
interface Outline {
  /** OpenAPI operationId, camelCase; a step-up token is bound to it. */
  readonly id: string;
  /** Tag of the documentation: `Identity`, `Finance`, `Admin finance`, … */
  readonly area: string;
  readonly title: string;
  /** What a client developer must know beyond the title, in sentences. Markdown. */
  readonly description: string;
  /** OpenAPI form: `/v1/transfers/{id}`. */
  readonly path: `/${string}`;
  readonly effect: Effect;
  readonly status: 200 | 201 | 204;
  /** Schema of the answer's body; null with status 204. */
  readonly answer: Schema | null;
  /** The refusals this operation adds to those of the frame (see pipeline/refusals-of.ts). */
  readonly refuses: readonly RefusalCode[];
  readonly throttle?: CallThrottle;
  /** Largest body in bytes; default 100 kB. */
  readonly bodyLimit?: number;
  /** Not in the catalogue of the specification. */
  readonly beyond?: true;
}

/** A POST says how it treats repeats: `required` where money moves, `accepted` where it creates, `none` where it answers a secret. */
type Method<F extends Formats> =
  | {
      readonly method: 'POST';
      readonly idempotency: Idempotency;
      readonly formats?: never;
      readonly effect: Exclude<Effect, 'read' | 'booking'>;
    }
  | {
      readonly method: 'POST';
      readonly idempotency: 'required';
      readonly formats?: never;
      readonly effect: 'booking';
    }
  | {
      readonly method: 'PUT' | 'PATCH' | 'DELETE';
      readonly idempotency?: never;
      readonly formats?: never;
      // a booking could not hold the version that If-Match names
      readonly effect: Exclude<Effect, 'read' | 'booking'>;
    }
  | { readonly method: 'GET'; readonly idempotency?: never; readonly formats?: F; readonly effect: 'read' };
type Idempotency = 'required' | 'accepted' | 'none';

/** The durable process behind it, by its name. */
type Behind<E extends Effect> = E extends 'process' | 'decision'
  ? { readonly process: string }
  : { readonly process?: string };

/** The docs show the example of a body, and the derived tests send it. */
type Example<B extends Optional> = B extends Schema ? { readonly body: Exemplified<B> } : unknown;

/** An answer 202: what was asked for waits until somebody else has decided. */
export class Waiting<Body> {
  readonly body: Body;

  constructor(body: Body) {
    this.body = body;
  }
}

interface Handled<
  Caller,
  P extends Optional,
  Q extends Optional,
  B extends Optional,
  A extends Schema | null,
  W extends Optional,
  Code extends RefusalCode,
  E extends Effect,
  F extends Formats,
> {
  handle(
    request: Request<
      Caller,
      Read<P>,
      Read<Q>,
      Read<B>,
      Code,
      Format<F>,
      E extends 'booking' ? BookingClaim : null
    >,
    services: Services,
  ): Promise<(F extends undefined ? Answer<A> : Streamed) | Other<W> | Refusal>;
}
type Format<F extends Formats> = F extends readonly MediaType[] ? F[number] : undefined;
type Other<W extends Optional> = W extends Schema ? Waiting<z.output<W>> : never;

/**
 * What `Outline` requires is optional here, where its type is inferred: if a field is missing, the compiler then names the field, and
 * does not give up the inference of all others.
 */
type Declared<
  Caller,
  P extends Optional,
  Q extends Optional,
  B extends Optional,
  A extends Schema | null,
  W extends Optional,
  R extends readonly RefusalCode[],
  E extends Effect,
  F extends Formats,
> = Outline & {
  readonly params?: P;
  readonly query?: Q;
  readonly body?: B;
  readonly answer?: A;
  /** Schema of the other answer, a 202: what was asked for waits for somebody else. The handler answers it as `new Waiting(…)`. */
  readonly waiting?: W;
  readonly refuses?: R;
  readonly effect?: E;
} & Method<F> &
  Behind<E> &
  Example<B> &
  Handled<Caller, P, Q, B, A, W, R[number], E, F>;

/** Proves that a message comes from whom it says, by its raw bytes. */
type Verify = (
  rawBody: Buffer,
  headers: NodeJS.Dict<string | string[]>,
  services: Services,
) => Promise<boolean>;

/** Reads the body of an operation that moves money out (throws ZodError); then says what it pays, and to whom. */
export type ReadsApproval = (body: unknown) => (call: ApprovalCall, services: Services) => Promise<Approval>;

export type AccessRule =
  | { readonly auth: 'public' }
  | { readonly auth: 'signature'; readonly verify: Verify }
  // `approves` is null if the token is good for any request of the operation
  | { readonly auth: 'user'; readonly stepUp: boolean; readonly approves: ReadsApproval | null }
  | {
      readonly auth: 'admin';
      readonly permission: Permission;
      readonly stepUp: boolean;
      readonly freshFactor: boolean;
    };

/** A declaration as the frame sees it: the types of its schemas are sealed inside `prepare`. */
export interface Operation extends Outline {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  readonly idempotency: Idempotency;
  readonly process?: string;
  readonly access: AccessRule;
  readonly params: Optional;
  readonly query: Optional;
  readonly body: Optional;
  readonly waiting: Optional;
  /** Answers a stream in one of these, as `Accept` wants; refuses not_acceptable. The first where it does not say. */
  readonly formats: Formats;
  /** Reads path, query and body by their schemas (throws ZodError); what it answers calls the handler with them. */
  prepare(raw: Raw): (context: Context, services: Services) => Promise<unknown>;
}

/** Declares an operation that needs no token. */
export function forAnybody<
  A extends Schema | null,
  const R extends readonly RefusalCode[],
  const E extends Effect,
  P extends Optional = undefined,
  Q extends Optional = undefined,
  B extends Optional = undefined,
  W extends Optional = undefined,
  const F extends Formats = undefined,
>(declared: Declared<null, P, Q, B, A, W, R, E, F>): Operation {
  return sealed(declared, { auth: 'public' }, () => null);
}

/** Declares an operation for messages that a partner signs: the custodian, the card network. */
export function forPartners<
  A extends Schema | null,
  const R extends readonly RefusalCode[],
  const E extends Effect,
  P extends Optional = undefined,
  Q extends Optional = undefined,
  B extends Optional = undefined,
  W extends Optional = undefined,
  const F extends Formats = undefined,
>(declared: Declared<null, P, Q, B, A, W, R, E, F> & { readonly verify: Verify }): Operation {
  return sealed(declared, { auth: 'signature', verify: declared.verify }, () => null);
}

/** Declares an operation for whoever has a token, customer or administrator. */
export function forUsers<
  A extends Schema | null,
  const R extends readonly RefusalCode[],
  const E extends Effect,
  P extends Optional = undefined,
  Q extends Optional = undefined,
  B extends Optional = undefined,
  W extends Optional = undefined,
  const F extends Formats = undefined,
>(
  declared: Declared<User | Admin, P, Q, B, A, W, R, E, F> & {
    /** `true`, or for an operation that moves money out: what the payer confirms. The token is then good for one request only. */
    readonly stepUp?: true | Approves<Read<B>>;
  },
): Operation {
  const { stepUp } = declared;
  const approves: ReadsApproval | null =
    typeof stepUp === 'function'
      ? (raw) => {
          const body = parse<B>(declared.body, raw);
          return (call, services) => stepUp({ ...call, body }, services);
        }
      : null;
  return sealed(declared, { auth: 'user', stepUp: stepUp !== undefined, approves }, anyUser);
}

/** Declares an operation for administrators who hold its permission. */
export function forAdmins<
  A extends Schema | null,
  const R extends readonly RefusalCode[],
  const E extends Effect,
  P extends Optional = undefined,
  Q extends Optional = undefined,
  B extends Optional = undefined,
  W extends Optional = undefined,
  const F extends Formats = undefined,
>(
  declared: Declared<Admin, P, Q, B, A, W, R, E, F> & {
    readonly permission: Permission;
    readonly stepUp?: true;
    /** Needs a second factor that was proven within 15 minutes: whatever moves money or gives authority. */
    readonly freshFactor?: true;
  },
): Operation {
  const { permission, stepUp = false, freshFactor = false } = declared;
  return sealed(declared, { auth: 'admin', permission, stepUp, freshFactor }, anyAdmin);
}

function anyUser(caller: User | Admin | null): User | Admin {
  if (caller === null) throw new Refusal('unauthenticated');
  return caller;
}

function anyAdmin(caller: User | Admin | null): Admin {
  if (caller?.kind !== 'admin') throw new Refusal('forbidden');
  return caller;
}

/** The handler behind a call that needs no types. The casts say what conditional types cannot prove inside a generic. */
function sealed<
  Caller extends User | Admin | null,
  P extends Optional,
  Q extends Optional,
  B extends Optional,
  A extends Schema | null,
  W extends Optional,
  R extends readonly RefusalCode[],
  E extends Effect,
  F extends Formats,
>(
  declared: Declared<Caller, P, Q, B, A, W, R, E, F>,
  access: AccessRule,
  guard: (caller: User | Admin | null) => Caller,
): Operation {
  const { handle: _handle, ...rest }: Outline & { readonly handle: unknown } = declared;
  return {
    ...rest,
    method: declared.method,
    access,
    params: declared.params,
    query: declared.query,
    body: declared.body,
    waiting: declared.waiting,
    formats: declared.formats,
    idempotency: declared.method === 'POST' ? declared.idempotency : 'none',
    prepare(raw) {
      const params = parse<P>(declared.params, raw.params);
      const query = parse<Q>(declared.query, raw.query);
      const body = parse<B>(declared.body, raw.body);
      return async ({ caller, format, claim, ...context }, services) =>
        declared.handle(
          {
            ...{ ...context, params, query, body, refusal: refuse, caller: guard(caller) },
            // a caller who passed the guard of a declaration with callers is a person
            actor: actorOf(caller, context) as Caller extends null ? Stranger : Person,
            // the frame has chosen from this very list, and makes a claim for a booking only
            format: (declared.formats === undefined
              ? undefined
              : (format ?? declared.formats[0])) as Format<F>,
            claim: claim as E extends 'booking' ? BookingClaim : null,
          },
          services,
        );
    },
  };
}

function actorOf(
  caller: User | Admin | null,
  { client, requestId }: Pick<Context, 'client' | 'requestId'>,
): Person | Stranger {
  const from = { address: client.address, requestId };
  return caller === null
    ? { id: null, role: 'system', ...from }
    : { id: caller.id, role: caller.role, ...from };
}

/** A part without a schema reads as undefined. */
function parse<S extends Optional>(schema: S | undefined, value: unknown): Read<S> {
  return schema?.parse(value) as Read<S>;
}
