/** Who is screened, and what is written down of it. Functions of the tables' owner decide what is a flag. */
import type { PartyAsked, PartyMatch } from '../../../domain/screening/parties.ts';
import { bigCount, bigint, boolean, integer, ownJson, type RowOf } from '../../rows/columns.ts';
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

/** Ends the turn; everybody was compared with what changed after `from` and up to `to`. */
export const endScreening = statement({
  name: 'endScreening',
  takes: { from: bigint(), to: bigint() },
  gives: {},
  sql: 'select from screening_done($from, $to)',
});

const { partyType, partyId } = columnsOf(ScreeningParty, 'partyType', 'partyId');
const party = { partyType, partyId, asked: ownJson<PartyAsked>() };
/** Somebody with what they are compared by. */
export type PartyRow = RowOf<typeof party>;

const PARTY = 'p.party_type, p.party_id, screening_asked(p.party_type, p.party_id) as asked';

/** People who have not been compared with the lists under their present name. */
export const dueParties = statement({
  name: 'dueParties',
  takes: { most: bigCount() },
  gives: party,
  sql: `
    select ${PARTY} from screening_parties p where p.epoch is null order by p.party_type, p.party_id limit $most`,
});

/** How many of them there are. */
export const countDueParties = statement({
  name: 'countDueParties',
  gives: { count: bigCount() },
  sql: 'select count(*) as count from screening_parties p where p.epoch is null',
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

/** Makes everybody due, unless some are due already; answers how many are. */
export const beginFullPass = statement({
  name: 'beginFullPass',
  gives: { count: bigCount() },
  sql: 'select screening_begin() as count',
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
