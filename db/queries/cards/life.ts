/** What time does to cards. */
import { CARD_STATUSES } from '../../../domain/cards/cards.ts';
import { bigCount, bigint, boolean, id, integer, moment, oneOf, ownJson, text } from '../../rows/columns.ts';
import { statement } from '../../rows/statement.ts';
import { columnsOf } from '../../rows/table-columns.ts';
import { Card } from '../../schema/cards.ts';
import { ISSUE_VERDICTS, type NumberCandidate } from './cards.ts';

const { id: card } = columnsOf(Card, 'id');

/** Sends a card or closes it after its last day, if that is due. Says how it is then. */
export const advanceCard = statement({
  name: 'advanceCard',
  takes: { card },
  gives: {
    state: oneOf(CARD_STATUSES),
    expired: boolean(),
    renewable: boolean(),
    lookAgainSeconds: integer(),
  },
  sql: `
    select state, expired, renewable, look_again_seconds::integer as look_again_seconds from card_advance($card)`,
});

/** The moment at which a card with this expiry (MM/YY) stops working. */
export const cardValidUntil = statement({
  name: 'cardValidUntil',
  takes: { expiry: text() },
  gives: { until: moment() },
  sql: `
    select card_valid_until((to_date('20' || right($expiry, 2) || left($expiry, 2), 'YYYYMM') + interval '1 month - 1 day')::date)
           as until`,
});

/** Issues the card that follows another one, or says why not. */
export const renewCard = statement({
  name: 'renewCard',
  takes: {
    card,
    ...columnsOf(Card, 'id', 'sealedShipping'),
    first: bigint(),
    candidates: ownJson<readonly NumberCandidate[]>(),
    keyId: text(),
  },
  gives: { refusal: oneOf([...ISSUE_VERDICTS, 'not_due']).nullable() },
  sql: 'select card_renew($card, $id, $sealedShipping, $first, $candidates, $keyId) as refusal',
});

/** The card that was issued in the place of another one. */
export const cardInPlaceOf = statement({
  name: 'cardInPlaceOf',
  takes: { card },
  gives: columnsOf(Card, 'id'),
  sql: 'select c.id from cards c where c.replaces = $card',
});

/** The last card of those that were issued one in the place of the other, from this one on. */
export const lastInPlaceOf = statement({
  name: 'lastInPlaceOf',
  takes: { card },
  gives: columnsOf(Card, 'id', 'status'),
  sql: `
    with recursive line as (
      select c.id, c.status, 0 as place from cards c where c.id = $card
      union all
      select s.id, s.status, l.place + 1 from line l join cards s on s.replaces = l.id)
    select id, status from line order by place desc limit 1`,
});

/** Cards whose last day is over, or whose renewal has been due for a day longer, and nothing has happened. */
export const overdueCards = statement({
  name: 'overdueCards',
  takes: { lateSeconds: integer(), most: bigCount(), after: id().nullable() },
  gives: { id: id() },
  sql: `
    select c.id from cards c cross join lateral card_times(c) t
     where c.status <> 'closed' and c.id > coalesce($after::uuid, '00000000-0000-0000-0000-000000000000')
       and (t.ends < bank_now() - make_interval(secs => $lateSeconds::integer)
         or (c.kind = 'physical' and c.shipped_at is null and c.created_at < bank_now() - make_interval(secs => $lateSeconds::integer))
         or (t.renews < bank_now() - make_interval(secs => $lateSeconds::integer) and card_renewable(c)))
     order by c.id limit $most`,
});
