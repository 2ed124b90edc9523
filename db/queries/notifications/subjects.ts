/** What events are about: the rows that say what has happened, as the person who is told may see them. */
import { id, minor, text } from '../../rows/columns.ts';
import { statement } from '../../rows/statement.ts';
import { columnsOf } from '../../rows/table-columns.ts';
import { AccountType } from '../../schema/accounts.ts';
import { Card } from '../../schema/cards.ts';
import { KycApplication } from '../../schema/compliance.ts';
import { Ticket } from '../../schema/tickets.ts';
import type { UserId } from '../../../domain/ids.ts';

const told = { subject: id(), userId: id<UserId>() };

/** A payment from the side of one of its two people. Without a counterparty if the other side is the bank. */
export const paymentToldOf = statement({
  name: 'paymentToldOf',
  takes: told,
  gives: { minor: minor(), asset: text(), counterparty: text().nullable(), account: text() },
  sql: `
    select case when side.pays then t.amount else t.target_amount end as minor,
           case when side.pays then t.asset else t.target_asset end as asset,
           coalesce(b.name, case when other.owner_id = $userId
                                 then coalesce(other.nickname, u.first_name || ' ' || u.last_name)
                                 else shown_name(u.first_name, u.last_name) end) as counterparty,
           right(mine.number, 4) as account
      from transfers t join accounts s on s.id = t.source_account_id
        join accounts d on d.id = t.destination_account_id
        cross join lateral (select s.owner_id is not distinct from $userId as pays) side
        join accounts mine on mine.id = case when side.pays then s.id else d.id end
        join accounts other on other.id = case when side.pays then d.id else s.id end
        left join users u on u.id = other.owner_id
        left join beneficiaries b on b.id = t.beneficiary_id
     where t.id = $subject and mine.owner_id = $userId`,
});

/** A card payment; of one that was declined, why. What was asked for, if nothing was approved. */
export const cardPaymentToldOf = statement({
  name: 'cardPaymentToldOf',
  takes: told,
  gives: {
    minor: minor(),
    asset: text(),
    merchant: text(),
    card: text(),
    reason: text(),
    rule: text(),
  },
  sql: `
    select coalesce((select m.amount from card_messages m where m.payment_id = p.id and m.type <> '0420'
                      order by m.place desc limit 1), 0) as minor,
           p.asset, p.merchant->>'name' as merchant, c.last_four as card,
           coalesce(p.decline->>'reason', '') as reason, coalesce(p.decline->>'rule', '') as rule
      from card_payments p join cards c on c.id = p.card_id
     where p.id = $subject and p.owner_id = $userId`,
});

/** What a clearing record has booked or given back. */
export const clearingToldOf = statement({
  name: 'clearingToldOf',
  takes: told,
  gives: { minor: minor(), asset: text(), merchant: text(), card: text() },
  sql: `
    select r.amount as minor, r.asset, r.merchant->>'name' as merchant, r.last_four as card
      from card_clearings r join card_payments p on p.id = r.payment_id
     where r.id = $subject and p.owner_id = $userId`,
});

/** What a holder is asked to confirm, or what was refused and why. */
export const authenticationToldOf = statement({
  name: 'cardAuthenticationToldOf',
  takes: told,
  gives: { minor: minor(), asset: text(), merchant: text(), card: text(), reason: text(), rule: text() },
  sql: `
    select a.amount as minor, a.asset, a.merchant->>'name' as merchant, c.last_four as card,
           coalesce(a.reason, '') as reason, coalesce(a.rule, '') as rule
      from card_authentications a join cards c on c.id = a.card_id
     where a.id = $subject and a.owner_id = $userId`,
});

/** What is disputed. */
export const disputeToldOf = statement({
  name: 'disputeToldOf',
  takes: told,
  gives: { minor: minor(), asset: text(), merchant: text(), card: text() },
  sql: `
    select d.amount as minor, d.asset, p.merchant->>'name' as merchant, c.last_four as card
      from card_disputes d join card_payments p on p.id = d.payment_id join cards c on c.id = p.card_id
     where d.id = $subject and d.owner_id = $userId`,
});

/** Whether an identity check is this person's. */
export const kycToldOf = statement({
  name: 'kycToldOf',
  takes: told,
  gives: columnsOf(KycApplication, 'round'),
  sql: 'select round from kyc_applications where id = $subject and user_id = $userId',
});

/** The day on which the document expires by which somebody is identified whose approval stands. */
export const expiringDocumentToldOf = statement({
  name: 'expiringDocumentToldOf',
  takes: told,
  gives: { expiresOn: text() },
  sql: `
    select form->'document'->>'expires_on' as expires_on from kyc_applications
     where id = $subject and user_id = $userId and status = 'approved' and form->'document' is not null`,
});

/** Coins that were credited. */
export const depositToldOf = statement({
  name: 'depositToldOf',
  takes: told,
  gives: { minor: minor(), asset: text(), network: text() },
  sql: 'select amount as minor, asset, network from crypto_deposits where id = $subject and user_id = $userId',
});

/** An order of coins: of how many, and what was paid or got for them with its fee. */
export const orderToldOf = statement({
  name: 'orderToldOf',
  takes: told,
  gives: { coins: minor(), asset: text(), money: minor(), currency: text() },
  sql: `
    select q.coins, q.asset, case q.side when 'buy' then q.gross else q.gross - q.fee end as money, q.currency
      from crypto_orders o join crypto_quotes q on q.id = o.quote_id where o.id = $subject and o.user_id = $userId`,
});

/** A card, by its last four digits. */
export const cardToldOf = statement({
  name: 'cardToldOf',
  takes: told,
  gives: { card: columnsOf(Card, 'lastFour').lastFour },
  sql: 'select last_four as card from cards where id = $subject and owner_id = $userId',
});

export const ticketToldOf = statement({
  name: 'ticketToldOf',
  takes: told,
  gives: columnsOf(Ticket, 'number'),
  sql: 'select number from tickets where id = $subject and customer_id = $userId',
});

/** The name of the type of account that was asked for. */
export const requestToldOf = statement({
  name: 'requestToldOf',
  takes: told,
  gives: { type: columnsOf(AccountType, 'name').name },
  sql: `
    select t.name as type from account_requests r join account_types t on t.id = r.account_type_id
     where r.id = $subject and r.user_id = $userId`,
});
