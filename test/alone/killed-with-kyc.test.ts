/**
 * People and a company apply, hand documents in and are approved, and the API is killed before each of its awaits. There is one application for each
 * person and one decision on it, nobody is approved without their level, nobody hears of it twice, and every process goes on.
 */
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from '@jest/globals';
import { createCipher } from '../../adapters/cipher.ts';
import { connectTemporal, type Temporal } from '../../adapters/temporal.ts';
import { loadConfig } from '../../config.ts';
import { launch } from '../../db/queries/platform/outbox.ts';
import { transaction } from '../../db/transaction.ts';
import { kycProcess } from '../../workflows/kyc/process.ts';
import { openBooks, type Books } from '../support/bank/books.ts';
import { openBank, type Bank, type Person } from '../support/bank/bank.ts';
import { acceptDocuments, inReview } from '../support/bank/kyc-books.ts';
import { KYB_FORM } from '../support/bank/kyb.ts';
import { applied, document, KYC_FORM, reviewer } from '../support/bank/kyc.ts';
import { newKey } from '../support/client.ts';
import { openBranch, type Branch } from '../support/stack/branch.ts';
import { answersAfterKills, type Ask } from '../support/stack/killed-calls.ts';
import { until } from '../support/stack/processes.ts';

const DEEDS = ['submit', 'company', 'document', 'approve'] as const;
type Deed = (typeof DEEDS)[number];
/** `npm run test:killed` asks for twenty. */
const ROUNDS = Number(process.env['KILLED_ROUNDS'] ?? '1');

const upTo = (most: number): number[] => Array.from({ length: most }, (_, place) => place + 1);

let branch: Branch;
let bank: Bank;
let temporal: Temporal;
let books: Books;
let office: Person;
/** Whom each deed is about. */
let people: Record<Deed, string[]>;

beforeAll(async () => {
  branch = await openBranch();
  await Promise.all([branch.startApi(), branch.startWorker()]);
  const config = loadConfig(branch.env);
  books = openBooks({
    url: branch.env['DATABASE_URL'] ?? '',
    ownerUrl: branch.env['DATABASE_OWNER_URL'] ?? '',
  });
  temporal = connectTemporal(config, createCipher(config.ENCRYPTION_KEYS), []);
});
beforeEach(async () => {
  bank = openBank(branch.api, branch.env);
  office = await reviewer(bank);
  people = { submit: [], company: [], document: [], approve: [] };
  await branch.killApi();
});
afterEach(() => bank.close());
afterAll(async () => {
  await Promise.all([temporal.close(), books.close()]);
  await branch.close();
});

function ask(person: Person, path: string, body: object): Ask {
  const key = newKey();
  return { method: 'POST', path, options: () => Promise.resolve({ token: person.token, key, body }) };
}

/** An application whose documents are all accepted. */
async function acceptable(): Promise<string> {
  const { id, userId } = await inReview(books, {}, (await bank.customer()).id);
  people.approve.push(userId);
  await transaction(books.em(), (tx) => launch(tx, kycProcess, { id, customerId: userId }));
  await acceptDocuments(books, office.id, id);
  return id;
}

async function askFor(deed: Deed): Promise<Ask> {
  if (deed === 'submit' || deed === 'company') {
    const person = await bank.customer();
    people[deed].push(person.id);
    return deed === 'submit'
      ? ask(person, '/v1/kyc/applications', KYC_FORM)
      : ask(person, '/v1/kyb/applications', KYB_FORM);
  }
  if (deed === 'document') {
    const { person, id } = await applied(bank);
    people.document.push(person.id);
    return ask(person, `/v1/kyc/applications/${id}/documents`, document('passport'));
  }
  const id = await acceptable();
  return ask(office, `/v1/admin/kyc/applications/${id}/review`, { decision: 'approve', note: 'Fine' });
}

/** Everything that should have been written once, for each person. */
const written = (deed: Deed) =>
  bank.asOwner(
    `select u.kyc_status as status, u.kyc_level as level,
            (select count(*)::int from kyc_applications a where a.user_id = u.id) as applications,
            (select count(*)::int from kyc_documents d join kyc_applications a on a.id = d.application_id
              join uploads f on f.id = d.upload_id where a.user_id = u.id and f.status = 'confirmed') as documents,
            (select count(*)::int from kyc_decisions d join kyc_applications a on a.id = d.application_id
              where a.user_id = u.id) as decisions,
            (select count(*)::int from events e where e.user_id = u.id and e.type = 'kyc_update') as told,
            (select count(*)::int from audit_log l join kyc_applications a on a.id::text = l.subject_id
              where a.user_id = u.id and l.action in ('kyc_application.submitted', 'kyb_application.submitted',
                'kyc_application.approved')) as logged
       from users u where u.id = any ($1)`,
    [people[deed]],
  );

const ENDS = {
  submit: { applications: 1, status: 'submitted', level: 0, documents: 0, decisions: 0, told: 0, logged: 1 },
  // that of the company, and one for each of its two people
  company: { applications: 3, status: 'none', level: 0, documents: 0, decisions: 0, told: 0, logged: 1 },
  document: {
    applications: 1,
    status: 'submitted',
    level: 0,
    documents: 1,
    decisions: 0,
    told: 0,
    logged: 1,
  },
  approve: { applications: 1, status: 'approved', level: 1, documents: 2, decisions: 1, told: 1, logged: 1 },
} as const;

test.each(upTo(ROUNDS))(
  'killed at every await: one application, one decision, one message (round %i)',
  async () => {
    const told = await answersAfterKills(branch, office.client, DEEDS, askFor);
    for (const { deed, at, answer } of told)
      expect({ deed, at, status: answer.status }).toEqual({
        deed,
        at,
        status: deed === 'approve' ? 200 : 201,
      });
    for (const deed of DEEDS) {
      const found = await written(deed);
      expect(found).toHaveLength(told.filter((call) => call.deed === deed).length);
      for (const row of found) expect({ deed, ...row }).toEqual({ deed, ...ENDS[deed] });
    }
    await until(async () => {
      const [row] = await bank.asOwner(
        `select (select count(*) from process_outbox) + (select count(*) from process_updates) as waiting`,
      );
      return row?.['waiting'] === '0';
    });
    // that of an approval goes on until it is renewed
    const all = await bank.asOwner(
      'select kind, id, ended_at is null or look_at is not null as runs from kyc_applications',
    );
    for (const { kind, id, runs } of all)
      await until(async () => {
        const { status } = await temporal.client.workflow
          .getHandle(`${String(kind)}/${String(id)}`)
          .describe();
        return (status.name === 'RUNNING') === (runs === true);
      });
  },
  300_000,
);
