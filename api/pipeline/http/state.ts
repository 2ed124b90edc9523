/** What the steps leave on Koa's context for one another. */
import type { DefaultContext, Middleware } from 'koa';
import type { RefusalCode } from '../../../domain/refusals.ts';
import type { Reading } from '../../../services/identity/sessions/reading.ts';
import type { Operation } from '../../declaration/operation.ts';
import type { Caller } from '../authenticate.ts';
import type { Ending } from '../stream.ts';

export interface FrameState {
  requestId: string;
  /** The operation that the path and method name. */
  operation?: Operation;
  caller?: NonNullable<Caller>;
  /** The session that the cookie of the sign-in page names. */
  reading?: Reading;
  /** The id of what the call was about, or has made. */
  resource?: string;
  /** The code of the Problem that was answered. */
  refused?: RefusalCode;
  /** How an answer ended that was streamed. */
  ending?: Ending;
}

/** A Koa middleware of the frame. */
export type Step = Middleware<FrameState, DefaultContext>;
