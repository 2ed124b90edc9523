/** What a declaration must say, so that whatever is forgotten or does not fit is an error of the compiler that names its field. */
import type { z } from 'zod';
import type { Refusal, RefusalCode } from '../../domain/refusals.ts';
import type { Services } from '../../services/services.ts';
import type { MediaType, Streamed } from '../../services/streamed.ts';
import type { Exemplified } from '../wire/naming.ts';
import type { Effect, Outline, Provisional, Schema, Waiting } from './outline.ts';
import type { BookingClaim, Request } from './request.ts';

export type Optional = Schema | undefined;
/** What a part without a schema reads as. */
export type Read<S extends Optional> = S extends Schema ? z.output<S> : undefined;
/** The first is answered where the caller does not say; `answer` describes the JSON. */
export type Formats = readonly [MediaType, ...MediaType[]] | undefined;
export type Format<F extends Formats> = F extends readonly MediaType[] ? F[number] : undefined;
/** Only a booking gets the key and the step-up of its call. */
export type ClaimOf<E extends Effect> = E extends 'booking' ? BookingClaim : null;
/** A handler answers in the domain's terms; the codecs of the schema write dates and money. */
type Answer<S extends Schema | null> = S extends Schema ? z.output<S> : null;
type Other<W extends Optional> = W extends Schema ? Waiting<z.output<W>> : never;
type NotYet<E extends Effect, A extends Schema | null> = E extends 'decision'
  ? Provisional<Answer<A>>
  : never;

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
  | { readonly method: 'GET'; readonly idempotency?: never; readonly formats?: F; readonly effect: 'read' }
  // makes what it answers, the first time that somebody asks
  | {
      readonly method: 'GET';
      readonly idempotency?: never;
      readonly formats?: never;
      readonly effect: 'own_transactions';
    };
export type Idempotency = 'required' | 'accepted' | 'none';

/** The durable process behind it, by its name. */
type Behind<E extends Effect> = E extends 'process' | 'decision'
  ? { readonly process: string }
  : { readonly process?: string };

/** The docs show the example of a body, and the derived tests send it. */
type Example<B extends Optional> = B extends Schema ? { readonly body: Exemplified<B> } : unknown;

/**
 * What `Outline` requires is optional here, where its type is inferred: if a field is missing, the compiler then names the field, and
 * does not give up the inference of all others.
 */
export type Declared<
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
  handle(
    request: Request<Caller, Read<P>, Read<Q>, Read<B>, R[number], Format<F>, ClaimOf<E>>,
    services: Services,
  ): Promise<(F extends undefined ? Answer<A> : Streamed) | Other<W> | NotYet<E, A> | Refusal>;
} & Method<F> &
  Behind<E> &
  Example<B>;
