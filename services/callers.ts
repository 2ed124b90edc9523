/** Who calls a service, and from where. */
import type { EntityManager } from '@mikro-orm/postgresql';
import type { Actor, Person, Stranger } from '../domain/actor.ts';
import type { SessionId, UserId } from '../domain/ids.ts';
import type { FrameCode, RefusalCode, Refuse } from '../domain/refusals.ts';

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

/** What a booking writes in its own transaction: the idempotency key, the step-up token and the request id of its call. */
export interface Claim {
  /** Reserved for what is booked. */
  readonly newId: string;
  /** Null if no client asks, but a schedule. */
  readonly key: {
    readonly operation: string;
    readonly key: string;
    /** Keyed hash of the request. */
    readonly hmac: Uint8Array;
  } | null;
  readonly stepUpId: string | null;
  /** Null if no client asks. */
  readonly requestId: string | null;
}

/** Thrown by what books: the key stands for something already, and nothing was done. */
export class TakenBefore extends Error {
  override readonly name = 'TakenBefore';
}

/** What a service needs to know of the call that it serves. `Code` are the refusals that it may give beside those of the frame. */
export interface Call<Code extends RefusalCode = never> {
  readonly db: EntityManager;
  readonly actor: Actor;
  /** Takes only codes that the operation behind the call declares. */
  readonly refusal: Refuse<Code | FrameCode>;
}

/** Whatever may give these refusals and needs nothing else of the call. */
export type Refusing<Code extends RefusalCode> = Pick<Call<Code>, 'refusal'>;

/** A call over HTTP, for services that count or write down where it came from. */
export interface Visit<Code extends RefusalCode = never> extends Call<Code> {
  readonly actor: Person | Stranger;
  readonly client: Client;
}

/** The call of somebody with a token, about themselves. */
export interface OwnCall<Code extends RefusalCode = never> extends Visit<Code> {
  readonly actor: Person;
  readonly caller: User | Admin;
}

/** The call of an administrator. */
export interface AdminCall<Code extends RefusalCode = never> extends Visit<Code> {
  readonly actor: Person;
  readonly caller: Admin;
}
