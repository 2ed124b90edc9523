/**
 * One declaration an operation. What must not be forgotten is a field without which it does not compile: who may call,
 * what is answered, with which status, which refusals it may give, whether a POST takes an idempotency key.
 * Router, OpenAPI, docs page, permission catalogue and the derived tests are made from the list of declarations.
 */
import type { EntityManager } from '@mikro-orm/postgresql';
import type { z } from 'zod';
import type { SessionId, UserId } from '../domain/ids.ts';
import { Refusal, type RefusalCode } from '../domain/refusals.ts';
import type { Services } from './services.ts';

/** The person behind a bearer token. */
export interface User {
  readonly kind: 'user';
  readonly id: UserId;
  readonly sessionId: SessionId;
  readonly role: 'customer' | 'admin';
  /** Methods of the login, RFC 8176: `pwd`, `otp`, `sms`, `email`. */
  readonly amr: readonly string[];
  readonly locale: string;
}

/** A back-office caller who holds the operation's permission. */
export interface Admin extends Omit<User, 'kind' | 'role'> {
  readonly kind: 'admin';
  readonly role: 'admin';
  readonly permissions: ReadonlySet<string>;
}

/** Where a request came from; for throttles, sessions and the audit log. */
export interface Client {
  readonly address: string;
  readonly userAgent: string;
}

/** The three places of a request that a schema reads, as they arrived. */
export interface Raw {
  readonly params: unknown;
  readonly query: unknown;
  readonly body: unknown;
}

/** What surrounds one call of a handler. */
export interface Context<Caller = User | Admin | null> {
  readonly caller: Caller;
  readonly client: Client;
  readonly requestId: string;
  /** The body's bytes as they were signed. */
  readonly rawBody: Buffer;
  /** UUIDv7 reserved for (caller, operation, Idempotency-Key): a repeat gets the same id, hence the same process and the same row. */
  readonly newId: string;
  /** The key was seen before, and no answer is known: what `newId` names may be there already. */
  readonly isRepeat: boolean;
  /** What the answer shall be, where the declaration offers `formats`. */
  readonly format: MediaType | undefined;
  /** Inside the operation's transaction, or a fork without one where the declaration has a `process` or `transaction: false`. */
  readonly db: EntityManager;
}

/** All that a handler sees of its call. */
export interface Request<Caller, P, Q, B, F = undefined> extends Omit<Context<Caller>, 'format'> {
  readonly params: P;
  readonly query: Q;
  readonly body: B;
  /** The media type that the caller's `Accept` prefers, of those that the declaration offers. */
  readonly format: F;
}

/** The media types that a streamed answer can have. */
export const MEDIA_TYPES = ['application/json', 'text/csv', 'application/pdf', 'application/xml'] as const;
export type MediaType = (typeof MEDIA_TYPES)[number];

/** An answer of any length, written while it is read. */
export interface Streamed {
  /**
   * The parts of the body. The frame asks for the first at once: what is thrown until then is answered as a Problem, after it
   * the connection breaks. Its `return` is always called, also where the client has gone: there it lets go of what it holds.
   */
  readonly parts: AsyncGenerator<string | Buffer, void, undefined>;
  /** The name that the answer has as a file. */
  readonly filename: string;
}

type Schema = z.ZodType;
type Optional = Schema | undefined;
type Read<S extends Optional> = S extends Schema ? z.output<S> : undefined;
type Answer<S extends Schema | null> = S extends Schema ? z.input<S> : null;
/** The first is answered where the caller does not say; `answer` describes the JSON. */
type Formats = readonly [MediaType, ...MediaType[]] | undefined;

/** At most `points` calls in `seconds` from one client address. */
export interface Throttle {
  readonly points: number;
  readonly seconds: number;
}

/** What every declaration says, whoever may call. */
interface Outline<P extends Optional, Q extends Optional, B extends Optional, A extends Schema | null> {
  /** OpenAPI operationId, camelCase; a step-up token is bound to it. */
  readonly id: string;
  /** Tag of the documentation: `Identity`, `Finance`, `Admin finance`, … */
  readonly area: string;
  readonly title: string;
  /** What a client developer must know beyond the title. Markdown. */
  readonly description?: string;
  /** OpenAPI form: `/v1/transfers/{id}`. */
  readonly path: `/${string}`;
  readonly params?: P;
  readonly query?: Q;
  readonly body?: B;
  readonly status: 200 | 201 | 204;
  /** Schema of the answer's body; null with status 204. */
  readonly answer: A;
  /** The refusals this operation adds to those of the frame (see pipeline/refusals-of.ts). */
  readonly refuses: readonly RefusalCode[];
  /** The durable process behind it; then the frame opens no transaction. */
  readonly process?: string;
  /** false: the handler opens its own small transactions (login counts attempts although it refuses). */
  readonly transaction?: false;
  readonly throttle?: Throttle;
  /** Largest body in bytes; default 100 kB. */
  readonly bodyLimit?: number;
  /** Not in the catalogue of the specification. */
  readonly beyond?: true;
}

/** A POST says how it treats repeats: `required` where money moves, `accepted` where it creates, `none` where it answers a secret. */
type Method<F extends Formats> =
  | { readonly method: 'POST'; readonly idempotency: Idempotency; readonly formats?: never }
  | { readonly method: 'PUT' | 'PATCH' | 'DELETE'; readonly idempotency?: never; readonly formats?: never }
  | { readonly method: 'GET'; readonly idempotency?: never; readonly formats?: F };
type Idempotency = 'required' | 'accepted' | 'none';

type Handle<
  Caller,
  P extends Optional,
  Q extends Optional,
  B extends Optional,
  A extends Schema | null,
  F extends Formats,
> = (
  request: Request<Caller, Read<P>, Read<Q>, Read<B>, Format<F>>,
  services: Services,
) => Promise<(F extends undefined ? Answer<A> : Streamed) | Refusal>;
type Format<F extends Formats> = F extends readonly MediaType[] ? F[number] : undefined;

/** Proves that a message comes from whom it says, by its raw bytes. */
type Verify = (
  rawBody: Buffer,
  headers: NodeJS.Dict<string | string[]>,
  services: Services,
) => Promise<boolean>;

type Access<
  P extends Optional,
  Q extends Optional,
  B extends Optional,
  A extends Schema | null,
  F extends Formats,
> =
  | { readonly auth: 'public'; readonly handle: Handle<null, P, Q, B, A, F> }
  | { readonly auth: 'signature'; readonly verify: Verify; readonly handle: Handle<null, P, Q, B, A, F> }
  | { readonly auth: 'user'; readonly stepUp?: true; readonly handle: Handle<User | Admin, P, Q, B, A, F> }
  | {
      readonly auth: 'admin';
      readonly permission: Permission;
      readonly stepUp?: true;
      readonly handle: Handle<Admin, P, Q, B, A, F>;
    };

/** An action of the catalogue, `noun:verb`. */
export type Permission = `${string}:${string}`;

export type AccessRule =
  | { readonly auth: 'public' }
  | { readonly auth: 'signature'; readonly verify: Verify }
  | { readonly auth: 'user'; readonly stepUp: boolean }
  | { readonly auth: 'admin'; readonly permission: Permission; readonly stepUp: boolean };

/** A declaration as the frame sees it: the types of its schemas are sealed inside `prepare`. */
export interface Operation extends Omit<
  Outline<Optional, Optional, Optional, Schema | null>,
  'params' | 'query' | 'body'
> {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  readonly idempotency: Idempotency;
  readonly access: AccessRule;
  readonly params: Optional;
  readonly query: Optional;
  readonly body: Optional;
  /** Answers a stream in one of these, as `Accept` wants; refuses not_acceptable. The first where it does not say. */
  readonly formats: Formats;
  /** Reads path, query and body by their schemas (throws ZodError); what it answers calls the handler with them. */
  prepare(raw: Raw): (context: Context, services: Services) => Promise<unknown>;
}

/** Declares one operation of the API. */
export function operation<
  A extends Schema | null,
  P extends Optional = undefined,
  Q extends Optional = undefined,
  B extends Optional = undefined,
  const F extends Formats = undefined,
>(declared: Outline<P, Q, B, A> & Method<F> & Access<P, Q, B, A, F>): Operation {
  const { handle: _handle, ...rest } = declared;
  return {
    ...rest,
    params: declared.params,
    query: declared.query,
    body: declared.body,
    formats: declared.formats,
    idempotency: declared.method === 'POST' ? declared.idempotency : 'none',
    access: accessRule(declared),
    prepare(raw) {
      const read = {
        params: parse<P>(declared.params, raw.params),
        query: parse<Q>(declared.query, raw.query),
        body: parse<B>(declared.body, raw.body),
      };
      return ({ caller, format, ...context }, services) => {
        switch (declared.auth) {
          case 'public':
          case 'signature':
            return declared.handle(
              { ...context, ...read, caller: null, format: offered(declared, format) },
              services,
            );
          case 'user':
            if (caller === null) throw new Refusal('unauthenticated');
            return declared.handle(
              { ...context, ...read, caller, format: offered(declared, format) },
              services,
            );
          case 'admin':
            if (caller?.kind !== 'admin') throw new Refusal('forbidden');
            return declared.handle(
              { ...context, ...read, caller, format: offered(declared, format) },
              services,
            );
        }
      };
    },
  };
}

/** A part without a schema reads as undefined. The cast says what the conditional type `Read` cannot prove inside a generic. */
function parse<S extends Optional>(schema: S | undefined, value: unknown): Read<S> {
  return schema?.parse(value) as Read<S>;
}

/** The cast says what the conditional type cannot prove inside a generic: the frame has chosen from this very list. */
function offered<F extends Formats>(
  { formats }: { readonly formats?: F },
  wanted: MediaType | undefined,
): Format<F> {
  return (formats === undefined ? undefined : (wanted ?? formats[0])) as Format<F>;
}

function accessRule<
  P extends Optional,
  Q extends Optional,
  B extends Optional,
  A extends Schema | null,
  F extends Formats,
>(access: Access<P, Q, B, A, F>): AccessRule {
  switch (access.auth) {
    case 'public':
      return { auth: 'public' };
    case 'signature':
      return { auth: 'signature', verify: access.verify };
    case 'user':
      return { auth: 'user', stepUp: access.stepUp ?? false };
    case 'admin':
      return { auth: 'admin', permission: access.permission, stepUp: access.stepUp ?? false };
  }
}
