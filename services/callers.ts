/** Who calls a service, and from where. */
import type { EntityManager } from '@mikro-orm/postgresql';
import type { SessionId, UserId } from '../domain/ids.ts';

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

/** What a service needs to know of the call that it serves. */
export interface Call<Caller extends User | Admin = User | Admin> {
  readonly caller: Caller;
  readonly client: Client;
  readonly requestId: string;
  readonly db: EntityManager;
}
