/** What every declaration of an operation says, whoever may call. */
import type { z } from 'zod';
import type { RefusalCode } from '../../domain/refusals.ts';
import type { CallThrottle } from '../../services/platform/throttles.ts';

export type Schema = z.ZodType;

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
export interface Outline {
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

/** An answer that a repeat may find changed, such as a decision that is not carried out yet: it is not kept for its key. */
export class Provisional<Body> {
  readonly body: Body;

  constructor(body: Body) {
    this.body = body;
  }
}

/** An answer 202: what was asked for waits until somebody else has decided. */
export class Waiting<Body> {
  readonly body: Body;

  constructor(body: Body) {
    this.body = body;
  }
}
