/** Authentications for the card network. Nothing of a number leaves this file unhashed, and no proof reaches the database. */
import type { EntityManager } from '@mikro-orm/postgresql';
import type { Config } from '../../config.ts';
import { takeCardAuthentication } from '../../db/queries/cards/authentications.ts';
import {
  PROOF_MINUTES,
  type AuthenticationReason,
  type AuthenticationStatus,
} from '../../domain/cards/authentications.ts';
import { canonicalJson } from '../../domain/canonical-json.ts';
import type { Merchant } from '../../domain/cards/payments.ts';
import type { CardAuthenticationId } from '../../domain/ids.ts';
import type { Money } from '../../domain/money.ts';
import type { Services } from '../services.ts';

/** What a merchant asks through the network before it asks for the money. */
interface AuthenticationRequest {
  readonly authentication_id: string;
  readonly pan: string;
  readonly expiry?: string | undefined;
  readonly merchant: Merchant;
  readonly billing: Money;
}

/** How an authentication is now; the proof once there is one. */
interface AuthenticationAnswer {
  readonly id: CardAuthenticationId;
  readonly authentication_id: string;
  readonly status: AuthenticationStatus;
  readonly reason: AuthenticationReason | null;
  readonly proof: string | null;
}

/** Answers a request, the same again with how it is by then; `content` is all that was sent, by which another request with its id is told. */
export async function answerAuthentication(
  db: EntityManager,
  { authentication_id, pan, expiry, merchant, billing }: AuthenticationRequest,
  content: unknown,
  { vault, config }: Pick<Services, 'vault'> & { readonly config: AuthenticationSettings },
): Promise<AuthenticationAnswer> {
  const { id, status, reason } = await takeCardAuthentication.one(db, {
    message: {
      ...{ authentication_id, numbers: vault.indexes(pan), content: vault.indexes(canonicalJson(content)) },
      ...{ expiry: expiry ?? null, merchant, amount: String(billing.minor), asset: billing.asset },
    },
    settings: {
      cvv_tries: config.CARD_CVV_TRIES,
      cvv_lock_minutes: config.CARD_CVV_LOCK_MINUTES,
      challenge_minutes: config.CARD_CHALLENGE_MINUTES,
      proof_minutes: PROOF_MINUTES,
    },
  });
  const proof = status === 'authenticated' ? vault.proofs.of(id) : null;
  return { id, authentication_id, status, reason, proof };
}

type AuthenticationSettings = Pick<
  Config,
  'CARD_CVV_TRIES' | 'CARD_CVV_LOCK_MINUTES' | 'CARD_CHALLENGE_MINUTES'
>;
