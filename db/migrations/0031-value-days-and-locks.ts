import { Migration } from '@mikro-orm/migrations';
import { houseAccount as releasedHouseAccount } from './0004-posting.ts';
import { postReturn } from './0018-payment-functions/legs.ts';
import { limitCheck } from './0018-payment-functions/limits.ts';
import { transferDecide } from './0018-payment-functions/transfer-decide.ts';
import { transferOpen } from './0018-payment-functions/transfer-open.ts';
import { replaced } from './replaced.ts';

/** Decisions that look at few accounts, value dates by the calendar of the type, limits for whoever is least known. */
export class ValueDaysAndLocks extends Migration {
  override up(): void {
    this.addSql(valueDay);
    this.addSql(houseAccount);
    this.addSql(decide);
    this.addSql(open);
    this.addSql(giveBack);
    this.addSql(check);
    this.addSql(messages);
  }
}

/** The day on which the type's bank day begins and ends where its cut-off is told; null where there is no type. */
const valueDay = `
  create function value_day(type_code text, moment timestamptz) returns date language sql stable set search_path = public, pg_temp as $$
    select (moment at time zone t.cut_off_zone)::date from transfer_types t where t.code = type_code
  $$;
  revoke execute on function value_day from public;
`;

/** As before, but for the one hash whose absolute value is no integer. */
const houseAccount = replaced(releasedHouseAccount, [
  'abs(hashtext(spread_by::text)) % 16',
  'abs(hashtext(spread_by::text)::bigint) % 16',
]);

/** The accounts are asked for once: as a condition, a function that may write is called for every account of the bank. */
const decide = replaced(
  transferDecide,
  ['from_states text[];', 'touched uuid[]; from_states text[];'],
  [
    'perform 1 from accounts a where a.id = any (transfer_accounts(t)) order',
    'touched := transfer_accounts(t);\n    perform 1 from accounts a where a.id = any (touched) order',
  ],
  [
    't.description, t.value_date, (select o.transaction_id',
    't.description, coalesce(t.value_date, value_day(t.type_code, now_at)), (select o.transaction_id',
  ],
);

/** What is booked counts from the day it is where the type's cut-off is told, not from the day it is in London. */
const open = replaced(transferOpen, [
  'legs, o.description, o.value_date, original',
  'legs, o.description, coalesce(o.value_date, today), original',
]);

const giveBack = replaced(
  postReturn,
  ['declare back jsonb;', 'declare today date := value_day(t.type_code, clock_timestamp()); back jsonb;'],
  [
    'back, t.description, null, t.transaction_id, null) p;',
    'back, t.description, today, t.transaction_id, null) p;',
  ],
  [
    'back, t.description, null, t.transaction_id,\n                     jsonb',
    'back, t.description, today, t.transaction_id,\n                     jsonb',
  ],
);

/** Whoever is known less than any level for which there is a limit has that of the lowest, not none. */
const check = replaced(limitCheck, [
  'and l.asset = wanted_asset and l.kyc_level <= u.kyc_level\n      order by l.subject, l.kyc_level desc',
  'and l.asset = wanted_asset\n      order by l.subject, l.kyc_level <= u.kyc_level desc, case when l.kyc_level <= u.kyc_level then -l.kyc_level else l.kyc_level end',
]);

/** Messages are started before all else that waits. */
const messages = `
  create index process_outbox_messages on process_outbox (created_at) where process = 'message';
`;
