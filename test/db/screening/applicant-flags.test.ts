/** A flag about somebody's application is a flag about them: it holds what they move, although an application itself holds no money. */
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import { transferActivities } from '../../../activities/transfers.ts';
import { accountsTouched } from '../../../db/queries/aml/reviews.ts';
import { AmlFlagId, TransferId } from '../../../domain/ids.ts';
import { inReview } from '../../support/bank/kyc-books.ts';
import { KYC_FORM } from '../../support/bank/kyc.ts';
import {
  openScreenedBank,
  type Payer,
  type ScreenedBank,
  type SeenFlag,
} from '../../support/bank/screening.ts';

let bank: ScreenedBank;
let other: Payer;
beforeAll(async () => {
  bank = await openScreenedBank();
  other = await bank.payer();
  await bank.list('L-1,person,Viktor Sokolov,1961-03-09', 'L-2,person,Ivan Petrenko,1958-01-02');
});
afterAll(() => bank.close());

const NAMED = { ...KYC_FORM, first_name: 'Viktor', last_name: 'Sokolov', date_of_birth: '1961-03-09' };

/** As the screening of a person’s application leaves it. */
async function flagOfPerson(payer: Payer): Promise<SeenFlag> {
  await inReview(bank.books, { form: NAMED }, payer.id);
  await bank.round();
  return only(payer);
}

/** What the screening of a company’s application will leave. */
async function flagOfCompany(payer: Payer): Promise<SeenFlag> {
  await bank.books.asOwner(
    `insert into aml_flags (kind, severity, reason, subject_type, subject_id, customer_id, explanation, held)
     values ('sanctions', 'high', 'hit', 'kyb_application', $1, $2, '{"text": "A name", "leaves": [], "movements": []}', true)`,
    [randomUUID(), payer.id],
  );
  return only(payer);
}

async function only(payer: Payer): Promise<SeenFlag> {
  const [flag, ...more] = await bank.flags(payer);
  if (flag === undefined || more.length > 0) throw new Error('there is not one flag');
  return flag;
}

/** The transfers between two people, oldest first. */
async function transfersOf(payer: Payer): Promise<TransferId[]> {
  const rows = await bank.books.asOwner(
    'select id from transfers where $1 in (source_account_id, destination_account_id) and type_code is not null order by created_at, id',
    [payer.account],
  );
  return rows.map(({ id }) => TransferId.parse(id));
}

async function cardIsFlagged({ id: owner, account }: Payer): Promise<unknown> {
  const payment = JSON.stringify({ id: randomUUID(), owner_id: owner, account_id: account });
  const [row] = await bank.books.asOwner(
    'select card_is_flagged(jsonb_populate_record(null::card_payments, $1)) as held',
    [payment],
  );
  return row?.['held'];
}

async function goOn(flag: SeenFlag, transfers: readonly TransferId[]): Promise<unknown[]> {
  const { carryOutStep } = transferActivities({ em: bank.books.em });
  const ends: unknown[] = [];
  for (const id of transfers) ends.push(await carryOutStep(id, { source: 'flag', id: flag.id }));
  return ends;
}

describe.each([
  ['a person', 'kyc_application', flagOfPerson],
  ['a company', 'kyb_application', flagOfCompany],
] as const)('of the application of %s', (_whose, subject, raise) => {
  test('an open flag holds all that the customer sends, receives and pays by card', async () => {
    const payer = await bank.payer();
    expect(await bank.payInside(payer, other.account)).toBe('executed');
    expect(await cardIsFlagged(payer)).toBe(false);
    const flag = await raise(payer);
    expect(flag).toMatchObject({ subject_type: subject, status: 'open' });
    expect(await bank.payInside(payer, other.account)).toBe('aml_review');
    expect(await bank.payInside(other, payer.account)).toBe('aml_review');
    expect(await cardIsFlagged(payer)).toBe(true);
    expect(await cardIsFlagged(other)).toBe(false);
  });

  test.each(['cleared', 'false_positive'] as const)(
    'a flag that is resolved as %s releases what it held',
    async (how) => {
      const payer = await bank.payer();
      const flag = await raise(payer);
      expect(await bank.payInside(payer, other.account)).toBe('aml_review');
      expect(await bank.payInside(other, payer.account)).toBe('aml_review');
      const held = await transfersOf(payer);
      const told = await bank.books.asOwner('select id from aml_held_transfers($1)', [flag.id]);
      expect(told.map(({ id }) => id).toSorted()).toEqual(held.toSorted());
      await bank.resolve(flag, how);
      expect(await goOn(flag, held)).toMatchObject([{ status: 'executed' }, { status: 'executed' }]);
      // a repeat, when nothing is held any more, is answered the same
      expect(await goOn(flag, held)).toMatchObject([{ status: 'executed' }, { status: 'executed' }]);
      expect(await bank.payInside(payer, other.account)).toBe('executed');
      expect(await cardIsFlagged(payer)).toBe(false);
    },
  );

  test('a confirmed flag rejects what it held and holds what comes later', async () => {
    const payer = await bank.payer();
    const flag = await raise(payer);
    await bank.payInside(payer, other.account);
    await bank.payInside(other, payer.account);
    const held = await transfersOf(payer);
    await bank.resolve(flag, 'confirmed');
    expect(await goOn(flag, held)).toMatchObject([{ status: 'rejected' }, { status: 'rejected' }]);
    expect(await bank.payInside(payer, other.account)).toBe('aml_review');
    expect(await bank.payInside(other, payer.account)).toBe('aml_review');
    expect(await cardIsFlagged(payer)).toBe(true);
  });

  test('a flag touches all accounts of its customer, which a confirmation can freeze', async () => {
    const payer = await bank.payer();
    const second = await bank.books.account(payer.id);
    const flag = await raise(payer);
    const touched = await accountsTouched.all(bank.books.em(), { flag: AmlFlagId.parse(flag.id) });
    expect(touched.map(({ id }) => id)).toEqual([payer.account, second].toSorted());
  });
});
