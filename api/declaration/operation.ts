/**
 * One declaration an operation. What must not be forgotten is a field without which it does not compile: who may call, what the
 * handler does to the world, what is answered, with which status, which refusals it may give, whether a POST takes an idempotency
 * key, an example of the body. Router, OpenAPI, docs page, permission catalogue and the derived tests are made from the list of
 * declarations. Who may call is chosen before the handler is typed, so that an error of the compiler names the field that is wrong.
 */
import type { Person, Stranger } from '../../domain/actor.ts';
import { Refusal, refuse, type RefusalCode } from '../../domain/refusals.ts';
import { PendingChange } from '../platform/changes/schemas.ts';
import type { Config } from '../../config.ts';
import type { Admin, User } from '../../services/callers.ts';
import type {
  Approval,
  ApprovalCall,
  ApprovalNeeds,
  Approves,
} from '../../services/identity/factors/step-up-kind.ts';
import type { Guard, Guarding } from '../../services/platform/four-eyes.ts';
import type { Permission } from '../../services/platform/permission.ts';
import type { Services } from '../../services/services.ts';
import type { ClaimOf, Declared, Format, Formats, Idempotency, Optional, Read } from './declared.ts';
import type { Effect, Outline, Schema } from './outline.ts';
import type { Context, Raw } from './request.ts';

/** Proves that a message comes from whom it says, by its raw bytes; `unknown` if that cannot be said now, and is to be asked again. */
export type Verify = (
  rawBody: Buffer,
  headers: NodeJS.Dict<string | string[]>,
  services: Services,
) => Promise<boolean | 'unknown'>;

/** Answers a message of a partner that is signed and cannot be read; without it that is invalid_request. */
type Unreadable = (message: UnreadMessage, why: Refusal, services: Services) => unknown;

/** A signed message that cannot be read; `body` is its JSON if it is that, and otherwise undefined. */
export type UnreadMessage = Pick<Context, 'db' | 'rawBody'> & { readonly body: unknown };

/** Reads the body of an operation that moves money out (throws ZodError); then says what it pays, and to whom. */
export type ReadsApproval = (
  body: unknown,
) => (call: ApprovalCall, needs: ApprovalNeeds) => Promise<Approval>;

export type AccessRule =
  | { readonly auth: 'public' }
  | { readonly auth: 'signature'; readonly verify: Verify; readonly unreadable: Unreadable | undefined }
  // `approves` is null if the token is good for any request of the operation
  | { readonly auth: 'user'; readonly stepUp: boolean; readonly approves: ReadsApproval | null }
  /** Without a permission it is open to every administrator, and the handler asks what this one may do. */
  | {
      readonly auth: 'admin';
      readonly permission: Permission | null;
      readonly stepUp: boolean;
      readonly cookie: CookieUse | undefined;
    };

/** What an operation does with the cookie of the sign-in page: sets it, takes it in the place of a token, or takes it back. */
export type CookieUse = 'begins' | 'taken' | 'ends';

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
  /** How changes by it are judged that may have to wait for a second administrator; null if none does. */
  readonly guard: ((params: unknown, config: Config) => Guard) | null;
  /** Answers a stream in one of these, as `Accept` wants; refuses not_acceptable. The first where it does not say. */
  readonly formats: Formats;
  /** Reads path, query and body by their schemas (throws ZodError); what it answers calls the handler with them. */
  prepare(raw: Raw): (context: Context, services: Services) => Promise<unknown>;
}

/** A way to declare: who may call is chosen before the handler is typed. `More` is what only these callers need. */
type Declare<Caller, More = unknown> = <
  A extends Schema | null,
  const R extends readonly RefusalCode[],
  const E extends Effect,
  P extends Optional = undefined,
  Q extends Optional = undefined,
  B extends Optional = undefined,
  W extends Optional = undefined,
  const F extends Formats = undefined,
>(
  declared: Declared<Caller, P, Q, B, A, W, R, E, F> & More,
) => Operation;

/** Declares an operation that needs no token. */
export const forAnybody: Declare<null> = (declared) => sealed(declared, { auth: 'public' }, () => null);

/** Declares an operation for messages that a partner signs: the custodian, the card network. */
export const forPartners: Declare<null, { readonly verify: Verify; readonly unreadable?: Unreadable }> = (
  declared,
) => {
  const { verify, unreadable } = declared;
  return sealed(declared, { auth: 'signature', verify, unreadable }, () => null);
};

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

/** A change that loosens a control waits for a second administrator, if the operation says how it is judged. */
type Guarded<E extends Effect, P extends Optional> = E extends 'transaction'
  ? { readonly fourEyes?: Guarding<Read<P>> }
  : { readonly fourEyes?: never };

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
  declared: Declared<Admin, P, Q, B, A, W, R, E, F> &
    Guarded<E, P> & {
      readonly permission: Permission | null;
      readonly stepUp?: true;
      readonly cookie?: CookieUse;
    },
): Operation {
  const { permission, stepUp = false, cookie, fourEyes } = declared;
  const operation = sealed(declared, { auth: 'admin', permission, stepUp, cookie }, anyAdmin);
  if (fourEyes === undefined) return operation;
  const guard = (params: unknown, config: Config): Guard =>
    fourEyes(parse<P>(declared.params, params), config);
  return { ...operation, guard, waiting: PendingChange };
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
    guard: null,
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
            claim: claim as ClaimOf<E>,
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
