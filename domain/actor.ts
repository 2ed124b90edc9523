/** Who does something, as the audit log keeps it. */
import type { UserId } from './ids.ts';

/** A person with a token, and the call they made. */
export interface Person {
  readonly id: UserId;
  readonly role: 'customer' | 'admin';
  readonly address: string;
  readonly requestId: string;
}

/** A call without a token: nobody knows yet who makes it. */
export interface Stranger {
  readonly id: null;
  readonly role: 'system';
  readonly address: string;
  readonly requestId: string;
}

/** The service itself: a timer, a command, a process. */
export interface System {
  readonly id: null;
  readonly role: 'system';
  readonly address?: never;
  readonly requestId?: never;
}

/** Who decided what a process does now; where they called from stands with their decision. */
export interface Decider {
  readonly id: UserId;
  readonly role: 'customer' | 'admin';
  readonly requestId: string | undefined;
  readonly address?: never;
}

export type Actor = Person | Stranger | Decider | System;

export const SYSTEM: System = { id: null, role: 'system' };
