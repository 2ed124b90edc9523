/** What a handler sees of its call. */
import type { EntityManager } from '@mikro-orm/postgresql';
import type { Person, Stranger } from '../../domain/actor.ts';
import type { FrameCode, RefusalCode, Refuse } from '../../domain/refusals.ts';
import type { Admin, Claim, Client, User } from '../../services/callers.ts';
import type { MediaType } from '../../services/streamed.ts';

/** The idempotency key and the step-up of a call that books, and what an earlier call with this key has booked. */
export interface BookingClaim extends Claim {
  /** If it is not null, nothing is to be done: the answer is this one, as it is now. */
  readonly booked: string | null;
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
  /** The key was seen before, and no answer is known: what `newId` names may be there already. A booking learns both by its claim. */
  readonly isRepeat: boolean;
  /** What the answer shall be, where the declaration offers `formats`. */
  readonly format: MediaType | undefined;
  /** In the frame's transaction if the effect is `transaction`; otherwise in none. */
  readonly db: EntityManager;
  /** Of an operation that books. */
  readonly claim: BookingClaim | null;
}

/** All that a handler sees of its call. It can be handed to a service as it is: it is the service's `Call`. */
export interface Request<Caller, P, Q, B, Code extends RefusalCode, F, C> extends Omit<
  Context<Caller>,
  'format' | 'claim'
> {
  /** Who calls, for the audit log. */
  readonly actor: Caller extends null ? Stranger : Person;
  readonly params: P;
  readonly query: Q;
  readonly body: B;
  /** The media type that the caller's `Accept` prefers, of those that the declaration offers. */
  readonly format: F;
  /** The idempotency key and the step-up, for the transaction that books. */
  readonly claim: C;
  /** Makes a refusal to throw, which undoes the frame's transaction, or to return, which commits it. Takes declared codes only. */
  readonly refusal: Refuse<Code | FrameCode>;
}
