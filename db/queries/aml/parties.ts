/** Who is screened, and what is written down of it. Functions of the tables' owner decide what is a flag. */
import type { PartyAsked, PartyMatch } from '../../../domain/screening/parties.ts';
import { bigCount, bigint, boolean, id, integer, moment, ownJson, type RowOf } from '../../rows/columns.ts';
import { statement } from '../../rows/statement.ts';
import { columnsOf, selectList } from '../../rows/table-columns.ts';
import { ScreeningEntry, ScreeningParty, ScreeningState } from '../../schema/screening.ts';

const state = columnsOf(ScreeningState, 'epoch', 'sweptEpoch');

export const screeningState = statement({
  name: 'screeningState',
  gives: state,
  sql: `select ${selectList(state, 's')} from screening_state s`,
});

/** Takes the turn to screen beside payments for so many seconds, or, with `goesOn`, keeps it; nothing while another process has it. */
export const claimScreening = statement({
  name: 'claimScreening',
  takes: { seconds: integer(), goesOn: boolean() },
  gives: state,
  sql: `select ${selectList(state, 's')} from screening_claim($seconds, $goesOn) s`,
});

/** Flags deposits whose source is an address that a list has brought after an epoch, each once; answers how many. */
export const screenSources = statement({
  name: 'screenSources',
  takes: { since: bigint() },
  gives: { count: integer() },
  sql: 'select screening_sources($since) as count',
});

/** Ends the turn; everybody was compared with what changed after `from` and up to `to`. */
export const endScreening = statement({
  name: 'endScreening',
  takes: { from: bigint(), to: bigint() },
  gives: {},
  sql: 'select from screening_done($from, $to)',
});

const { partyType, partyId, customerId } = columnsOf(ScreeningParty, 'partyType', 'partyId', 'customerId');
const party = { partyType, partyId, asked: ownJson<PartyAsked>() };
/** Somebody with what they are compared by. */
export type PartyRow = RowOf<typeof party>;

const PARTY = 'p.party_type, p.party_id, screening_asked(p.party_type, p.party_id) as asked';

/** People who have not been compared with the lists under their present name, and then those whom a full pass has not met yet. */
export const dueParties = statement({
  name: 'dueParties',
  takes: { most: bigCount() },
  gives: party,
  sql: `
    select ${PARTY} from (
      (select * from screening_parties n where n.epoch is null order by n.party_type, n.party_id limit $most)
      union all
      (select o.* from screening_parties o where o.screened_at < (select s.full_from from screening_state s)
        order by o.screened_at limit $most)) p limit $most`,
});

/** How many of them there are. */
export const countDueParties = statement({
  name: 'countDueParties',
  gives: { count: bigCount() },
  sql: `
    select (select count(*) from screening_parties p where p.epoch is null)
      + (select count(*) from screening_parties o
          where o.screened_at < (select s.full_from from screening_state s)) as count`,
});

/** A page of those who were, from after one of them. */
export const screenedParties = statement({
  name: 'screenedParties',
  takes: { partyType, partyId, most: bigCount() },
  gives: party,
  sql: `
    select ${PARTY} from screening_parties p
     where p.epoch is not null and (p.party_type, p.party_id) > ($partyType, $partyId::uuid)
     order by p.party_type, p.party_id limit $most`,
});

/** Makes everybody due, unless a pass that began before goes on; answers how many are. */
export const beginFullPass = statement({
  name: 'beginFullPass',
  gives: { count: bigCount() },
  sql: 'select screening_begin() as count',
});

/** A page of those who came, or were paid, since a moment, with how many payments: what screening had to look at. */
export const partiesSince = statement({
  name: 'partiesSince',
  takes: { since: moment(), partyType, partyId, most: bigCount() },
  gives: { ...party, customerId, payments: integer() },
  sql: `
    select ${PARTY}, p.customer_id, coalesce(paid.payments, 0)::int as payments from screening_parties p
      left join (select t.beneficiary_id, count(*) as payments from transfers t
        where t.created_at >= $since and t.beneficiary_id is not null group by t.beneficiary_id) paid
        on p.party_type = 'beneficiary' and paid.beneficiary_id = p.party_id
     where (p.party_type, p.party_id) > ($partyType, $partyId::uuid)
       and (paid.payments is not null or p.party_type = 'customer'
         and exists (select from users u where u.id = p.party_id and u.created_at >= $since))
     order by p.party_type, p.party_id limit $most`,
});

/** Whether somebody has decided that a party and an entry, both as they are now, are two. */
export const isKnownPair = statement({
  name: 'isKnownPair',
  takes: { ...party, customerId, entry: id() },
  gives: { known: boolean() },
  sql: `
    select coalesce(screening_difference($partyType, $partyId, $customerId, $asked, e) = '{}', false) as known
      from screening_entries e where e.id = $entry`,
});

/** Somebody outside the bank whom a transfer pays. */
export const payeeOfTransfer = statement({
  name: 'payeeOfTransfer',
  takes: { transfer: partyId },
  gives: party,
  sql: `
    select ${PARTY} from transfers t
      join screening_parties p on p.party_type = 'beneficiary' and p.party_id = t.beneficiary_id where t.id = $transfer`,
});

/** What a payee outside the bank is compared by. */
export const askedOfParty = statement({
  name: 'askedOfParty',
  takes: { partyType, partyId },
  gives: { asked: ownJson<PartyAsked>().nullable() },
  sql: 'select screening_asked($partyType, $partyId) as asked',
});

/** Writes down what was found about somebody; null if their name or the lists have changed since. */
export const recordScreening = statement({
  name: 'recordScreening',
  takes: { ...party, epoch: bigint().nullable(), matches: ownJson<readonly PartyMatch[]>() },
  gives: { openPairs: integer().nullable() },
  sql: 'select screening_record($partyType, $partyId, $asked, $epoch, $matches) as open_pairs',
});

/** Writes down that these met nobody. */
export const recordClean = statement({
  name: 'recordClean',
  takes: {
    people: ownJson<readonly { readonly type: string; readonly id: string; readonly asked: PartyAsked }[]>(),
    epoch: bigint(),
  },
  gives: { count: integer() },
  sql: 'select screening_record_clean($people, $epoch) as count',
});

const entry = columnsOf(
  ScreeningEntry,
  ...(['id', 'source', 'ref', 'kind', 'names', 'details', 'programme', 'reference', 'sinceVersion'] as const),
);

/** A page of the entries that lists have brought or changed after an epoch. */
export const entriesChanged = statement({
  name: 'entriesChanged',
  takes: { epoch: bigint(), after: entry.id, most: bigCount() },
  gives: entry,
  sql: `
    select ${selectList(entry, 'e')} from screening_list_loads l
      join screening_entries e on e.source = l.source and e.since_version = l.version
     where l.epoch > $epoch and e.removed_version is null and e.id > $after order by e.id limit $most`,
});
