/** Authentications of online card payments, and what their holders are asked. Functions of the database decide them. */
import {
  AUTHENTICATION_STATUSES,
  CHALLENGE_STATUSES,
  type ChallengeStatus,
} from '../../../domain/cards/authentications.ts';
import { ANSWER_REASONS, type Merchant } from '../../../domain/cards/payments.ts';
import type { CardAuthenticationId, CardId, UserId } from '../../../domain/ids.ts';
import { id, integer, moment, oneOf, ownJson, type RowOf } from '../../rows/columns.ts';
import { LAST_ID, composedStatement, narrowedTo } from '../../rows/composed.ts';
import { statement } from '../../rows/statement.ts';
import { columnsOf, selectList } from '../../rows/table-columns.ts';
import { CardAuthentication } from '../../schema/card-authentications.ts';
import { Card } from '../../schema/cards.ts';

const own = columnsOf(
  CardAuthentication,
  ...(['id', 'asset', 'amount', 'merchant', 'decidedAt', 'createdAt'] as const),
);
const challenge = {
  ...own,
  ...columnsOf(Card, 'lastFour'),
  ...{ cardId: id<CardId>(), status: oneOf(CHALLENGE_STATUSES), expiresAt: moment() },
};
/** An authentication that its holder was asked about. Amounts are minor units of `asset`. */
export type ChallengeRow = RowOf<typeof challenge>;

const SELECT = `
  select ${selectList(own, 'a')}, c.last_four, a.card_id, card_authentication_status(a) as status, a.expires_at
    from card_authentications a join cards c on c.id = a.card_id`;

/** What this holder was asked. */
export const challengeOf = statement({
  name: 'cardChallengeOf',
  takes: { id: own.id, owner: id<UserId>() },
  gives: challenge,
  sql: `${SELECT} where a.id = $id and a.owner_id = $owner and a.expires_at is not null`,
});

/** Which challenges: what is left out is not narrowed to. From below `before`. */
interface ChallengePage {
  readonly owner: UserId;
  readonly status?: ChallengeStatus | undefined;
  readonly before: CardAuthenticationId | null;
  readonly most: number;
}

/** A page of what a holder was asked, newest first. */
export const challengesPage = composedStatement({
  name: 'cardChallengesPage',
  gives: challenge,
  compose({ owner, status, before, most }: ChallengePage, bind) {
    const narrowing = {
      'a.owner_id =': owner,
      'card_authentication_status(a) =': status,
      'a.id <': before ?? undefined,
    };
    return `${SELECT} where a.expires_at is not null and ${narrowedTo(narrowing, bind)}
      order by a.id desc limit ${bind(most)}`;
  },
  examples: [
    { owner: LAST_ID as UserId, before: null, most: 1 },
    {
      ...{ owner: LAST_ID as UserId, status: 'pending' as const },
      ...{ before: LAST_ID as CardAuthenticationId, most: 1 },
    },
  ],
});

/** What the network asks about, with keyed hashes of the number and of all that was sent. */
interface AskedAuthentication {
  readonly authentication_id: string;
  readonly numbers: readonly string[];
  readonly content: readonly string[];
  readonly expiry: string | null;
  readonly merchant: Merchant;
  readonly amount: string;
  readonly asset: string;
}

interface AuthenticationTerms {
  readonly cvv_tries: number;
  readonly cvv_lock_minutes: number;
  readonly challenge_minutes: number;
  readonly proof_minutes: number;
}

/** Takes a request for an authentication, and says how it is now. */
export const takeCardAuthentication = statement({
  name: 'takeCardAuthentication',
  takes: { message: ownJson<AskedAuthentication>(), settings: ownJson<AuthenticationTerms>() },
  gives: {
    id: id<CardAuthenticationId>(),
    status: oneOf(AUTHENTICATION_STATUSES),
    reason: oneOf(ANSWER_REASONS).nullable(),
  },
  sql: `
    select x.authentication as id, x.state as status, x.reason
      from card_authentication_take($message, $settings) x`,
});

/** Ends a challenge as its holder wants, or says why not. */
export const decideChallenge = statement({
  name: 'decideCardChallenge',
  takes: {
    ...{ id: own.id, owner: id<UserId>(), proofMinutes: integer() },
    wanted: oneOf(['authenticated', 'declined']),
  },
  gives: { refusal: oneOf(['not_found', 'already_decided']).nullable() },
  sql: 'select card_challenge_decide($id, $owner, $wanted, $proofMinutes::integer) as refusal',
});
