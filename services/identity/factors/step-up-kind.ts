/** What a step-up can be asked for. */
import type { Money } from '../../../domain/money.ts';
import type { OwnCall } from '../../callers.ts';
import type { Config } from '../../../config.ts';
import type { Throttles } from '../../platform/throttles.ts';

/**
 * What an operation takes: the token of a step-up; a fresh proof of its session, for a change of second factors; or a second factor that
 * is not old, for what administrators decide.
 */
export type StepUpKind = 'token' | 'proof' | 'fresh_factor';

/** What a payer confirms. Regulation (EU) 2018/389, article 5: they are told amount and payee, and the code is good for these only. */
export interface Approval {
  /** What leaves the account, before fees. */
  readonly amount: Money;
  /** What arrives, if it is in another currency. */
  readonly target: Money | null;
  /** The payee as the payer named them. */
  readonly payee: string;
}

/** The refusals of a request that cannot be carried out, so that nobody is asked to confirm it. */
export const APPROVAL_REFUSALS = [
  'same_account',
  'currency_mismatch',
  'transfer_type_unavailable',
  'quote_unusable',
  'too_many_requests',
] as const;

/** The call of a payer who asks to confirm a request. */
export type ApprovalCall = OwnCall<(typeof APPROVAL_REFUSALS)[number]>;

/** What it takes to look the payee of a request up. */
export interface ApprovalNeeds {
  readonly config: Config;
  readonly throttles: Throttles;
}

/** Says what a request pays, and to whom. Refuses what the operation would refuse. */
export type Approves<Body> = (
  call: ApprovalCall & { readonly body: Body },
  needs: ApprovalNeeds,
) => Promise<Approval>;

/** A request that was read by the schema of its operation. */
export interface LinkedRequest {
  /** Of operation path and body: what the token is good for. */
  readonly hash: string;
  approval(call: ApprovalCall, needs: ApprovalNeeds): Promise<Approval>;
}

/** An operation that a step-up can be asked for. */
export interface StepUpSubject {
  readonly kind: StepUpKind;
  /** Reads the request of an operation that moves money out. Refuses invalid_request. Null if the token is for no one request. */
  readonly link: ((request: unknown) => LinkedRequest) | null;
}
