/** Cards and their payments put straight into the books, for tests of what the database decides by itself. */
import { randomBytes, randomUUID } from 'node:crypto';
import { historyOfCardPayment } from '../../../db/queries/cards/payments.ts';
import { MERCHANT } from '../../../dev/cards/messages.ts';
import { CardPaymentId, type AccountId } from '../../../domain/ids.ts';
import type { Books } from './books.ts';
import type { Cleared, HoldRule, Said, Sums } from './card-payment-model.ts';

export const merchant = MERCHANT;
const settings = JSON.stringify({ cvv_tries: 5, cvv_lock_minutes: 30, hold_days: 7 });
const BASE = 10;

/** A card of a product that sets aside what the rule says. */
export interface BookedCard {
  readonly account: AccountId;
  readonly index: string;
}

/** An active card with so many minor units of EUR; `index` is the keyed hash of its number. */
export async function bookedCard(
  books: Books,
  funds: bigint,
  rule?: HoldRule,
  index = randomBytes(32).toString('hex'),
): Promise<BookedCard> {
  const account = await books.account(await books.user());
  await books.fund(account, funds);
  const rules =
    rule === undefined
      ? []
      : [{ mcc: [merchant.mcc], days: 7, amount: String(rule.amount), percent: String(rule.percent) }];
  const code = `c${randomBytes(8).toString('hex')}`;
  await books.asOwner(
    `with system as (
       insert into card_payment_systems (code, name, pan_length) values ($1, 'Books', 16) returning id
     ), product as (
       insert into card_products (code, payment_system_id, kind, asset) select $1, id, 'virtual', 'EUR' from system returning id
     ), version as (
       insert into card_product_versions (product_id, version, name, enabled, account_type_ids, validity_months, hold_rules,
           controls, limits, sca, pin_tries, stand_in_limit)
         select id, 1, 'Books', true, '[]', 48, $2, '[]', '[]', '{"mode": "off"}', 3, 0 from product
     ), card as (
       insert into cards (id, owner_id, account_id, product_id, product_version, kind, status, last_four, expires_on, issued_by, activated_at)
         select gen_random_uuid(), a.owner_id, a.id, p.id, 1, 'virtual', 'active', '0000', '2099-12-31', a.owner_id, now()
           from accounts a, product p where a.id = $3 returning id
     )
     insert into card_secrets (card_id, key_id, number_index, sealed_number)
       select id, 'books', decode($4, 'hex'), '\\x00' from card`,
    [code, JSON.stringify(rules), account, index],
  );
  return { account, index };
}

/** From now on payments in another currency than EUR cost so many basis points. */
export async function feeAbroad(books: Books, bps: number): Promise<void> {
  await books.asOwner(
    `with rule as (
       insert into fee_rules (id, code, purpose, asset) values (uuidv7(), 'abroad', 'card_fx', 'EUR') returning id
     ) insert into fee_rule_versions (rule_id, version, purpose, asset, description, enabled, priority, flat, rate_bps, tier_mode, valid_from, created_at)
       select id, 1, 'card_fx', 'EUR', 'Abroad', true, 0, 0, $1, 'graduated', t, t from rule, (select bank_now() - interval '1 minute') x(t)`,
    [bps],
  );
}

/** What is sent of a message; a name is its stan and its rrn. */
export type Sent = Omit<Said, 'approved'> & {
  readonly payment: string;
  /** Another rrn than the name. */
  readonly rrn?: string;
  /** Another currency than EUR. */
  readonly asset?: string;
  /** What it says beside that, and in the place of it. */
  readonly said?: object;
};

/** A message that names no other one and is no answer of the network itself, unless it is said. */
export const newMessage = (
  type: Said['type'],
  purpose: Said['purpose'],
  name: string,
  amount: number | null,
): Omit<Sent, 'payment'> => ({ type, purpose, name, amount, reverses: null, stoodIn: false });

/** What it was answered. */
export interface Taken {
  readonly reason: string;
  readonly approved: number | null;
}

/** Gives a message to the function that decides. */
export async function takeMessage(
  books: Books,
  card: BookedCard,
  { payment, name, type, purpose, amount, reverses, stoodIn, rrn = name, asset = 'EUR', said = {} }: Sent,
): Promise<Taken> {
  const message = {
    ...{ type, purpose, payment_id: payment, stan: name, rrn, stood_in: stoodIn },
    ...{ reverses_stan: reverses, reverses_rrn: reverses },
    ...{ amount: amount === null ? null : String(amount), asset },
    ...{ numbers: [card.index], content: [Buffer.from(`${payment} ${type} ${name}`).toString('hex')] },
    said: { merchant, entry_mode: 'chip', partial_ok: false, expiry: '12/99', ...said },
  };
  const [answer] = await books.asOwner('select reason, approved from card_message_take($1, $2)', [
    JSON.stringify(message),
    settings,
  ]);
  const approved = answer?.['approved'] ?? null;
  return { reason: String(answer?.['reason']), approved: approved === null ? null : Number(approved) };
}

/** Books a clearing record of a payment, or of none that the network names. Answers its file. */
export async function clear(
  books: Books,
  card: BookedCard,
  { kind, amount, isFinal }: Omit<Cleared, 'type'>,
  { payment, interchange = 0, paid = 'EUR' }: { payment?: string; interchange?: number; paid?: string } = {},
): Promise<string> {
  const [file, record] = [randomUUID(), randomUUID()];
  await books.asOwner(
    `with file as (
       insert into card_files (id, kind, network, network_id, business_day, content_hash, object_key, records)
         values ($1::uuid, 'clearing', 'books', $1::text, bank_day(bank_now()), decode(md5($1::text), 'hex'), 'none', 1) returning id
     )
     insert into card_clearings (id, file_id, network, record_id, network_id, kind, amount, asset, merchant_amount, merchant_asset,
         merchant, interchange, is_final, last_four, card_id)
       select $2::uuid, f.id, 'books', $2::text, $3, $4, $5::numeric, 'EUR', $5::numeric, $6, $7, $8, $9, c.last_four, c.id
         from file f, card_secrets s join cards c on c.id = s.card_id where s.number_index = decode($10, 'hex')`,
    [
      ...[file, record, payment ?? null, kind, String(amount), paid, JSON.stringify(merchant)],
      ...[String(interchange), isFinal, card.index],
    ],
  );
  await books.asOwner('select * from card_clear_next(100)');
  const [booked] = await books.asOwner('select status, fault from card_clearings where id = $1', [record]);
  if (booked?.['status'] !== 'booked')
    throw new Error(`the record was not booked: ${String(booked?.['fault'])}`);
  return file;
}

/** The network pays for clearing files of one record each. */
export async function settle(books: Books, files: readonly string[]): Promise<void> {
  await books.asOwner(
    `with file as (
       insert into card_files (id, kind, network, network_id, business_day, content_hash, object_key, records, net, asset)
         select $1::uuid, 'settlement', 'books', $1::text, bank_day(bank_now()), decode(md5($1::text), 'hex'), 'none', 0,
                sum(case r.kind when 'refund' then -r.amount else r.amount end - r.interchange), 'EUR'
           from card_clearings r where r.file_id = any ($2::uuid[]) returning id
     ) select count(*) from file`,
    [randomUUID(), files],
  );
  const refused = await books.asOwner(
    `select x.refusal from card_files f cross join lateral (select card_file_settle(f.id, $1) as refusal) x
       where f.net is not null and f.settled_at is null and x.refusal is not null`,
    [files],
  );
  if (refused.length > 0) throw new Error(`not settled: ${JSON.stringify(refused)}`);
  await books.asOwner('select card_settle_next()');
}

/** The sums of a payment with what its hold holds; undefined if it is not known. */
export async function sumsOf(
  books: Books,
  payment: string,
): Promise<(Sums & { status: string }) | undefined> {
  const [found] = await books.asOwner(
    `select p.authorised, p.reversed, p.cleared, p.refunded, p.lapsed, p.status,
            case when h.status = 'open' then h.amount - h.captured else 0 end as held
       from card_payments p left join holds h on h.id = p.hold_id where p.network_id = $1`,
    [payment],
  );
  if (found === undefined) return undefined;
  const figure = (name: string): number => Number.parseInt(String(found[name]), BASE);
  return {
    ...{ authorised: figure('authorised'), reversed: figure('reversed'), cleared: figure('cleared') },
    ...{ refunded: figure('refunded'), lapsed: figure('lapsed'), held: figure('held') },
    status: String(found['status']),
  };
}

/** What a payment was after each of its messages, as it is told afterwards. */
export async function historyOf(books: Books, payment: string): Promise<object[]> {
  const [found] = await books.asOwner('select id from card_payments where network_id = $1', [payment]);
  const id = CardPaymentId.parse(found?.['id']);
  const rows = await historyOfCardPayment.all(books.em(), { id });
  return rows.map(({ status, ...row }) => ({
    ...{ status, authorised: Number(row.authorised), reversed: Number(row.reversed), held: Number(row.held) },
  }));
}

/** Ends the hold of a payment as if its time were over. */
export async function lapse(books: Books, payment: string): Promise<void> {
  await books.asOwner(
    `with due as (
       update holds h set expires_at = bank_now() - interval '1 second'
         from card_payments p where p.network_id = $1 and h.id = p.hold_id and h.status = 'open' returning h.id
     ) select count(*) from due`,
    [payment],
  );
  await books.asOwner('select holds_end_due(1000)');
}

export const newPaymentId = (): string => randomUUID();
