/** How customers are rated in the books: by what is known of them, by an override, and never below what the law asks for. */
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { withdrawApplication } from '../../../db/queries/compliance/applications.ts';
import {
  overrideRisk,
  riskChangesOf,
  riskFactors,
  riskOfCustomer,
  weighFactor,
} from '../../../db/queries/compliance/risks.ts';
import { transaction } from '../../../db/transaction.ts';
import type { KycForm } from '../../../domain/compliance/kyc.ts';
import type { KybForm } from '../../../domain/compliance/kyb.ts';
import { RISK_FACTOR_CODES, RISK_LEVELS, type RiskLevel } from '../../../domain/compliance/risk.ts';
import { ApplicationId, type UserId } from '../../../domain/ids.ts';
import { assessDueRisks } from '../../../services/compliance/risks.ts';
import { openBooks, type Books } from '../../support/bank/books.ts';
import { COMPANY, companyOf, submitCompanyTo } from '../../support/bank/kyb-books.ts';
import {
  acceptDocuments,
  applicationOf,
  approvedBy,
  carryOn,
  decideFor,
  inReview,
  submitTo,
} from '../../support/bank/kyc-books.ts';
import { KYC_FORM } from '../../support/bank/kyc.ts';
import { fc } from '../../support/property.ts';
import { ownBank } from '../../support/stack/database.ts';

const DAY_MS = 86_400_000;
const PEP = { ...KYC_FORM, pep_declared: true };
const ASKED = { note: 'x', items: [{ field: '/occupation', code: 'other' }] };
let books: Books;
let office: UserId;
let second: UserId;
beforeAll(async () => {
  books = openBooks(await ownBank());
  office = await books.admin(['compliance:review', 'aml:write']);
  second = await books.admin(['compliance:review']);
});
afterAll(() => books.close());

const riskOf = (customer: UserId) => riskOfCustomer.one(books.em(), { customer });
const codesOf = async (customer: UserId) => (await riskOf(customer)).factors.map(({ code }) => code);
const changesOf = async (customer: UserId) =>
  (await riskChangesOf.all(books.em(), { customer, most: 50 })).map(({ level }) => level).toReversed();
const daysUntil = (moment: Date | null) =>
  Math.round(((moment?.getTime() ?? Number.NaN) - Date.now()) / DAY_MS);

const approved = (form: KycForm = KYC_FORM) => approvedBy(books, [office, second], { form });

/** Rates everybody who is due; answers whom it could not rate. */
async function assessAll(): Promise<unknown[]> {
  const failed: unknown[] = [];
  await assessDueRisks(books.em, {
    error: (about: object) => void failed.push(Reflect.get(about, 'customerId')),
  });
  return failed;
}
const assess = (customer: UserId) => books.asOwner('select risk_assess($1)', [customer]);

/** A payment as the watch keeps it. */
const moved = (customer: UserId, euros: number, country: string, daysAgo = 0) =>
  books.asOwner(
    `insert into aml_movements (customer_id, seq, at, kind, direction, subject_type, subject_id, asset, amount, amount_base,
       counterparty_country, out_count, out_base, out_unrated, in_count, in_base, in_unrated)
     select $1, count(*) + 1, bank_now() - make_interval(days => $4), 'outgoing_transfer', 'outgoing', 'transfer', $5, 'EUR', $2,
            $2, $3, 0, 0, 0, 0, 0, 0 from aml_movements where customer_id = $1`,
    [customer, euros, country, daysAgo, randomUUID()],
  );

const suspected = async (customer: UserId): Promise<unknown> =>
  (
    await books.asOwner(
      `insert into aml_flags (kind, severity, reason, subject_type, subject_id, customer_id, explanation, held)
       values ('manual', 'medium', 'raised', 'customer', $1, $1, '{}', false) returning id`,
      [customer],
    )
  )[0]?.['id'];
const confirm = async (flag: unknown) =>
  books.asOwner(
    `update aml_flags set status = 'confirmed', resolved_at = bank_now(), resolved_by = $2 where id = $1`,
    [flag, office],
  );

describe('what a customer is rated by', () => {
  test('a customer of whom nothing is known is a medium risk, and a low one once the identity is checked', async () => {
    const customer = await books.user();
    expect(await riskOf(customer)).toMatchObject({ level: 'medium', points: 0, assessedAt: null });
    const application = await inReview(books, {}, customer);
    expect(await riskOf(customer)).toMatchObject({ level: 'medium', rated: 'medium' });
    expect(await codesOf(customer)).toEqual(['not_identified']);
    await acceptDocuments(books, office, application.id);
    await decideFor(books, office, application.id, 'approve');
    expect(await riskOf(customer)).toMatchObject({ level: 'low', factors: [] });
    expect(await changesOf(customer)).toEqual(['medium', 'low']);
    // the next review is that of a low risk
    const { dueAt, renewalReason } = await applicationOf(books, application.id);
    expect([renewalReason, Math.round(daysUntil(dueAt) / 365)]).toEqual(['review_due', 5]);
  });

  test('a politically exposed person is a high one, and two people decide', async () => {
    const application = await approved(PEP);
    expect(await riskOf(application.userId)).toMatchObject({ level: 'high', leastByLaw: 'high' });
    expect(application).toMatchObject({ needsSecond: true });
    expect(Math.round(daysUntil(application.dueAt) / 365)).toBe(1);
  });

  test('the countries are named', async () => {
    const form = { ...KYC_FORM, nationalities: ['MM', 'GB'], tax_residencies: [{ country: 'SY' }] };
    const { userId } = await inReview(books, { form });
    expect((await riskOf(userId)).factors).toContainEqual({
      ...{ code: 'high_risk_country', points: 50, evidence: 'MM, SY' },
    });
  });

  test('another country of residence is looked at when the profile says it', async () => {
    const { userId } = await approved();
    await books.asOwner(`update users set country = 'MM' where id = $1`, [userId]);
    expect(await riskOf(userId)).toMatchObject({ level: 'low', assessedAt: null });
    await assessAll();
    expect(await riskOf(userId)).toMatchObject({ level: 'high' });
  });

  test('payments count for 90 days, their sum for 30', async () => {
    const { userId } = await approved();
    await moved(userId, 60_000, 'DE', 31);
    await moved(userId, 99_999, 'MM', 91);
    await moved(userId, 99_999, 'FR', 1);
    await assess(userId);
    expect(await codesOf(userId)).toEqual([]);
    await moved(userId, 1, 'MM');
    await assess(userId);
    expect((await riskOf(userId)).factors).toEqual([
      { code: 'high_risk_payments', points: 20, evidence: 'MM' },
      { code: 'high_turnover', points: 15, evidence: '100000 EUR' },
    ]);
    expect(await riskOf(userId)).toMatchObject({ level: 'medium', points: 35 });
  });

  test('a forged document counts for good, a lapsed approval until the next one', async () => {
    const forger = await inReview(books);
    await decideFor(books, office, forger.id, 'reject', {
      ...{ note: 'x', code: 'suspected_forgery', final: true },
    });
    expect(await codesOf(forger.userId)).toEqual(['suspected_forgery', 'not_identified']);
    const exposed = await approved(PEP);
    await books.asOwner(
      `update kyc_applications set due_at = bank_now(), look_at = bank_now() where id = $1`,
      [exposed.id],
    );
    await carryOn(books, exposed.id);
    expect(await codesOf(exposed.userId)).toEqual(['politically_exposed', 'not_identified']);
    // what came to nothing is no better
    const begun = await inReview(books, {}, exposed.userId);
    await decideFor(books, office, begun.id, 'request_changes', ASKED);
    await withdrawApplication.one(books.em(), { id: begun.id, owner: exposed.userId });
    expect(await codesOf(exposed.userId)).toEqual(['politically_exposed', 'not_identified']);
    const next = await inReview(books, {}, exposed.userId);
    await acceptDocuments(books, office, next.id);
    for (const by of [office, second]) await decideFor(books, by, next.id, 'approve');
    expect(await codesOf(exposed.userId)).toEqual([]);
  });

  test('every factor that code knows has its weights, and no other', async () => {
    const rows = await riskFactors.all(books.em(), { after: '', most: 100 });
    expect(rows.map(({ code }) => code)).toEqual(RISK_FACTOR_CODES.toSorted());
  });
});

describe('a company', () => {
  const submitted = async (form: KybForm) => {
    const customer = await books.user();
    const { application } = await submitCompanyTo(books, customer, form, ['proof_of_address']);
    return { customer, application: await companyOf(books, ApplicationId.parse(application)) };
  };

  test('is rated by what it does, how old it is and who owns it', async () => {
    const { customer } = await submitted({
      ...{ ...COMPANY, industry_code: '92.00', incorporated_on: new Date().toISOString().slice(0, 10) },
      companies: [{ ref: 'top', legal_name: 'Top', country: 'FR', registration_number: '1' }],
    });
    expect((await riskOf(customer)).factors).toEqual([
      { code: 'industry', points: 20, evidence: '92.00' },
      { code: 'owned_abroad', points: 15, evidence: 'FR' },
      { code: 'new_company', points: 10, evidence: new Date().toISOString().slice(0, 10) },
      { code: 'owned_by_companies', points: 10, evidence: '1' },
      { code: 'not_identified', points: 0, evidence: 'none' },
    ]);
    expect(await riskOf(customer)).toMatchObject({ points: 55, level: 'high', leastByLaw: 'low' });
  });

  test('is a high risk by its people, and then shows more', async () => {
    const [ann, ben] = COMPANY.persons;
    const { customer, application } = await submitted({
      ...{ ...COMPANY, persons: [{ ...ann, pep_declared: true }, ben] },
    });
    expect(await riskOf(customer)).toMatchObject({ level: 'high', leastByLaw: 'high' });
    expect(application).toMatchObject({ needsSecond: true });
    expect(application.documents.map(({ document_type: type }) => type)).toEqual([
      ...['registry_extract', 'proof_of_address'],
    ]);
    const people = await books.asOwner(
      'select person_ref, needs_second from kyc_applications where kyb_application_id = $1 order by person_ref',
      [application.id],
    );
    expect(people).toEqual([
      { person_ref: 'ann', needs_second: true },
      { person_ref: 'ben', needs_second: false },
    ]);
  });

  test('that moves more than it expected is noticed', async () => {
    const volume = { amount: '1000.00', currency: 'EUR' };
    const { customer } = await submitted({ ...COMPANY, expected_monthly_volume: volume });
    await moved(customer, 2_000, 'DE');
    await assess(customer);
    expect(await codesOf(customer)).toEqual(['not_identified']);
    await moved(customer, 1, 'DE');
    await assess(customer);
    expect(await codesOf(customer)).toEqual(['turnover_unexpected', 'not_identified']);
  });
});

describe('what follows from another risk', () => {
  /** Lets time pass for an approval: SQL for a span. */
  const age = async (id: ApplicationId, span: string) => {
    await books.asOwner(`alter table kyc_applications disable trigger user`);
    await books.asOwner(
      `update kyc_applications set decided_at = decided_at - ${span}, due_at = due_at - ${span}, look_at = look_at - ${span}
        where id = $1`,
      [id],
    );
    await books.asOwner(`alter table kyc_applications enable trigger user`);
  };

  test('the review comes sooner, but not before the customer can be told', async () => {
    const { id, userId } = await approved();
    await confirm(await suspected(userId));
    await assessAll();
    expect(await riskOf(userId)).toMatchObject({ level: 'high' });
    expect(daysUntil((await applicationOf(books, id)).dueAt)).toBe(365);
    const old = await approved();
    await age(old.id, 'make_interval(years => 4)');
    await confirm(await suspected(old.userId));
    await assessAll();
    expect(daysUntil((await applicationOf(books, old.id)).dueAt)).toBe(30);
    const told = await books.asOwner(
      `select state from events where user_id = $1 and type = 'kyc_update' order by id desc limit 1`,
      [old.userId],
    );
    expect(told).toEqual([{ state: 'renewal' }]);
    const woken = await books.asOwner(
      `select name from process_updates where workflow_id = $1 and update_id like 'due/%'`,
      [`kyc/${old.id}`],
    );
    expect(woken.length).toBeGreaterThan(0);
  });

  test('two people decide an open application of who has become a high risk', async () => {
    const { id, userId } = await inReview(books);
    await confirm(await suspected(userId));
    await assessAll();
    expect(await applicationOf(books, id)).toMatchObject({ status: 'in_review', needsSecond: true });
  });

  test('a reviewer who decides before the customer is rated anew is only the first of two', async () => {
    const { id, userId } = await inReview(books);
    await acceptDocuments(books, office, id);
    await confirm(await suspected(userId));
    expect(await decideFor(books, office, id, 'approve')).toMatchObject({ needsSecond: true });
    expect(await applicationOf(books, id)).toMatchObject({ status: 'in_review', firstBy: office });
    const [decided] = await books.asOwner(
      `select snapshot->'risk'->>'level' as risk from kyc_decisions where application_id = $1`,
      [id],
    );
    expect(decided).toEqual({ risk: 'high' });
  });

  test('the documents that a high risk needs besides are asked for with the next round', async () => {
    const { id, userId } = await inReview(books);
    await confirm(await suspected(userId));
    await decideFor(books, office, id, 'request_changes', ASKED);
    await submitTo(books, userId, { enhanced: ['source_of_funds'] });
    expect((await applicationOf(books, id)).documents).toContainEqual(
      expect.objectContaining({ document_type: 'source_of_funds', state: 'missing', is_required: true }),
    );
  });

  test('nobody puts off a review by saying that they are exposed, and taking it back', async () => {
    const { id, userId } = await approved();
    await age(id, `(due_at - bank_now() - interval '5 days')`);
    const { application } = await submitTo(books, userId, { form: PEP });
    expect(await riskOf(userId)).toMatchObject({ level: 'high' });
    expect(daysUntil((await applicationOf(books, id)).dueAt)).toBe(5);
    await withdrawApplication.one(books.em(), { id: ApplicationId.parse(application), owner: userId });
    expect(await riskOf(userId)).toMatchObject({ level: 'low' });
    expect(daysUntil((await applicationOf(books, id)).dueAt)).toBe(5);
  });

  test('a customer who cannot be rated keeps no other from being rated', async () => {
    const [broken, { userId }] = [await books.user(), await approved()];
    const id = randomUUID();
    const form = { companies: [], persons: [], expected_monthly_volume: { amount: 'x', currency: 'EUR' } };
    await books.asOwner(
      `insert into kyc_applications (id, user_id, kind, form, required, grants, needs_second, due_at, look_at)
       values ($1, $2, 'kyb', $3, '{articles}', 1, false, bank_now(), bank_now())`,
      [id, broken, JSON.stringify(form)],
    );
    await books.asOwner('insert into customer_risks (customer_id) values ($1)', [broken]);
    await books.asOwner(`update customer_risks set assessed_at = '-infinity' where customer_id = $1`, [
      userId,
    ]);
    expect(await assessAll()).toEqual([broken]);
    expect(await riskOf(userId)).not.toMatchObject({ assessedAt: null });
    await books.asOwner('update customer_risks set assessed_at = bank_now() where customer_id = $1', [
      broken,
    ]);
  });

  test('a payment is judged by it', async () => {
    const { userId } = await approved(PEP);
    const [made] = await books.asOwner(
      `select (aml_movement_of('outgoing_transfer', 'transfer', $2, $1, null, 'EUR', 100, null, null, null, bank_now())).customer_risk`,
      [userId, randomUUID()],
    );
    expect(made).toEqual({ customer_risk: 'high' });
  });

  test('a customer whose application somebody changes is left for the next round', async () => {
    const { userId } = await approved();
    await books.asOwner(`update customer_risks set assessed_at = '-infinity' where customer_id = $1`, [
      userId,
    ]);
    await transaction(books.ownerEm(), async (tx) => {
      await tx
        .getConnection()
        .execute(
          'select from users where id = ? for no key update',
          [userId],
          'all',
          tx.getTransactionContext(),
        );
      await assessAll();
      expect(await riskOf(userId)).toMatchObject({ assessedAt: null });
    });
    await assessAll();
    expect(await riskOf(userId)).not.toMatchObject({ assessedAt: null });
  });
});

describe('an override', () => {
  const inHours = (hours: number) => new Date(Date.now() + hours * 3_600_000);
  const override = (customer: UserId, level: RiskLevel | null, until: Date | null = inHours(1)) =>
    overrideRisk.one(books.em(), { customer, by: office, level, reason: 'x', until: level && until });

  test('counts until its time is over', async () => {
    const { userId } = await approved();
    expect(await override(userId, 'high')).toEqual({ refusal: null });
    expect(await riskOf(userId)).toMatchObject({ level: 'high', rated: 'low' });
    await books.asOwner(`update customer_risks set override_until = bank_now() where customer_id = $1`, [
      userId,
    ]);
    // whether or not anybody has looked since
    expect(await riskOf(userId)).toMatchObject({ level: 'low', override: 'high' });
    await assess(userId);
    expect(await riskOf(userId)).toMatchObject({ level: 'low', override: null });
    expect(await changesOf(userId)).toEqual(['medium', 'low', 'high', 'high', 'low']);
  });

  test('can be taken back', async () => {
    const { userId } = await approved();
    await override(userId, 'high');
    expect(await override(userId, null)).toEqual({ refusal: null });
    expect(await riskOf(userId)).toMatchObject({ level: 'low', override: null });
  });

  test('goes nowhere below the law, not even one that was there before', async () => {
    const exposed = await approved(PEP);
    expect(await override(exposed.userId, 'medium')).toEqual({ refusal: 'below_law' });
    const { userId } = await approved();
    await override(userId, 'low');
    await books.asOwner(`update users set country = 'MM' where id = $1`, [userId]);
    await assessAll();
    expect(await riskOf(userId)).toMatchObject({ level: 'high', override: 'low' });
  });

  test('is not of the person themselves, and takes who may', async () => {
    const own = { by: office, level: 'low' as const, reason: 'x', until: inHours(1) };
    expect(await overrideRisk.one(books.em(), { ...own, customer: office })).toEqual({
      refusal: 'same_person',
    });
    const nobody = await books.user();
    await expect(overrideRisk.one(books.em(), { ...own, by: nobody, customer: office })).rejects.toThrow(
      'only somebody who holds compliance:review',
    );
  });
});

describe('the weights', () => {
  const weigh = (code: string, wish: { points?: number; enabled?: boolean; atLeast?: string }) =>
    weighFactor.one(books.em(), {
      ...{ code, by: office, points: wish.points ?? null, atLeast: wish.atLeast ?? null },
      ...{ threshold: null, entries: null, enabled: wish.enabled ?? null },
    });

  test('of what the law asks for keep a high risk', async () => {
    expect(await weigh('politically_exposed', { points: 80 })).toEqual({ refusal: null });
    expect(await weigh('politically_exposed', { enabled: false })).toEqual({ refusal: 'by_law' });
    expect(await weigh('high_risk_country', { atLeast: '' })).toEqual({ refusal: 'by_law' });
    await expect(
      books.asOwner(`update risk_factors set enabled = false where code = 'high_risk_country'`),
    ).rejects.toThrow('risk_factors_by_law');
  });

  test('count for everybody once they are others', async () => {
    const { userId } = await approved();
    const flag = await suspected(userId);
    await confirm(flag);
    await assessAll();
    expect(await riskOf(userId)).toMatchObject({ level: 'high' });
    await weigh('suspicion_confirmed', { points: 20, atLeast: '' });
    await assessAll();
    expect(await riskOf(userId)).toMatchObject({ level: 'medium', points: 20 });
    await weigh('suspicion_confirmed', { enabled: false });
    await assessAll();
    expect(await riskOf(userId)).toMatchObject({ level: 'low', points: 0 });
    await weigh('suspicion_confirmed', { points: 50, atLeast: 'high', enabled: true });
  });

  test('other countries count for everybody, and so does the end of an override', async () => {
    const { userId } = await approved({ ...KYC_FORM, tax_residencies: [{ country: 'CH' }] });
    const until = new Date(Date.now() + DAY_MS);
    const said = { customer: userId, by: office, level: 'medium' as const, reason: 'x', until };
    await overrideRisk.one(books.em(), said);
    await books.asOwner(
      `update bank_settings set high_risk_countries = high_risk_countries || '{CH}'::text[]`,
    );
    await assessAll();
    expect(await riskOf(userId)).toMatchObject({ level: 'high', override: 'medium' });
    await books.asOwner(
      `update bank_settings set high_risk_countries = array_remove(high_risk_countries, 'CH')`,
    );
    await assessAll();
    expect(await riskOf(userId)).toMatchObject({ level: 'medium', rated: 'low' });
    await books.asOwner(`update customer_risks set override_until = bank_now() where customer_id = $1`, [
      userId,
    ]);
    await assessAll();
    expect(await riskOf(userId)).toMatchObject({ level: 'low', override: null });
  });

  test('whatever is true of a customer, the rating is the sum, and at least what each asks for', async () => {
    const rows = await riskFactors.all(books.em(), { after: '', most: 100 });
    const rank = (level: string | null) => Math.max(0, RISK_LEVELS.indexOf(level as RiskLevel));
    await fc.assert(
      fc.asyncProperty(
        fc.record({
          ...{ pep: fc.boolean(), bet: fc.boolean(), young: fc.boolean(), layers: fc.boolean() },
          ...{ abroad: fc.boolean(), far: fc.boolean(), flagged: fc.boolean() },
          override: fc.constantFrom(null, ...RISK_LEVELS),
        }),
        async ({ pep, bet, young, layers, abroad, far, flagged, override: wanted }) => {
          const customer = await books.user();
          const [ann, ben] = COMPANY.persons;
          const top = { ref: 'top', legal_name: 'Top', country: abroad ? 'FR' : COMPANY.country };
          await submitCompanyTo(books, customer, {
            ...{ ...COMPANY, persons: [{ ...ann, pep_declared: pep }, ben] },
            ...{ industry_code: bet ? '92.00' : '62.01', country: COMPANY.country },
            incorporated_on: young ? new Date().toISOString().slice(0, 10) : '2015-06-01',
            companies: layers ? [{ ...top, registration_number: '1' }] : [],
          });
          if (far) await moved(customer, 1, 'MM');
          if (flagged) await confirm(await suspected(customer));
          await assess(customer);
          const found = [
            ...['not_identified', ...(pep ? ['politically_exposed'] : []), ...(bet ? ['industry'] : [])],
            ...[...(young ? ['new_company'] : []), ...(layers ? ['owned_by_companies'] : [])],
            ...[...(layers && abroad ? ['owned_abroad'] : []), ...(far ? ['high_risk_payments'] : [])],
            ...(flagged ? ['suspicion_confirmed'] : []),
          ];
          const held = rows.filter(({ code }) => found.includes(code));
          const points = held.reduce((sum, row) => sum + row.points, 0);
          const least = Math.max(0, ...held.map(({ atLeast }) => rank(atLeast)));
          const rated = Math.max(least, points >= 50 ? 2 : points >= 20 ? 1 : 0);
          const law = held.some(({ byLaw }) => byLaw) ? 2 : 0;
          const verdict = await overrideRisk.one(books.em(), {
            ...{ customer, by: office, level: wanted, reason: 'x' },
            until: wanted && new Date(Date.now() + DAY_MS),
          });
          const isRefused = wanted !== null && rank(wanted) < law;
          expect(verdict.refusal).toBe(isRefused ? 'below_law' : null);
          const risk = await riskOf(customer);
          expect(risk).toMatchObject({ points, rated: RISK_LEVELS[rated] });
          expect(risk.factors.map(({ code }) => code).toSorted()).toEqual(found.toSorted());
          const inForce = isRefused || wanted === null ? rated : rank(wanted);
          expect(risk.level).toBe(RISK_LEVELS[Math.max(law, inForce)]);
          expect(await changesOf(customer)).toContain(risk.level);
        },
      ),
      { numRuns: 25 },
    );
  });
});

test('what was rated is never rewritten', async () => {
  const { userId } = await approved();
  await expect(
    books.asOwner(`update customer_risk_changes set level = 'low' where customer_id = $1`, [userId]),
  ).rejects.toThrow('append-only');
  await expect(books.asOwner('delete from customer_risk_changes')).rejects.toThrow('append-only');
});
