/** What any customer does with an account: pays the rent, others and bills, saves, converts, plans ahead. */
import { somebodyElse, type Member, type OpenBank } from './bank.ts';
import { PAYEES } from './payees.ts';
import { convert, pay, plan } from './payments.ts';

/** All of it together costs less than 2,100 €, so that everybody can afford it. */
export async function liveOrdinarily(bank: OpenBank, member: Member): Promise<void> {
  await payRent(bank, member);
  await payOthers(bank, member);
  await useOwnAccounts(bank, member);
  const { dice, main } = member;
  if (!dice.chance(0.5)) return;
  const { name, iban, purpose } = dice.pick(PAYEES);
  const amount = dice.amount(24, 310);
  await pay(bank, member, { from: main, destination: { iban, name }, amount, description: purpose });
}

/** By account number, today or by a standing order from the first of a month on. */
async function payRent(bank: OpenBank, member: Member): Promise<void> {
  const { dice, main, person } = member;
  const landlord = somebodyElse(bank, member).main;
  const isPlanned = dice.chance(0.3);
  const day = new Date(bank.day(isPlanned ? 31 : 0));
  const month = new Intl.DateTimeFormat(person.home.locale, { month: 'long', timeZone: 'UTC' }).format(day);
  const rent = {
    from: main,
    destination: { account_number: landlord.number },
    amount: dice.amount(390, 880),
  };
  const { rent: word } = person.home.words;
  if (!isPlanned) await pay(bank, member, { ...rent, description: `${word} ${month}` });
  else await plan(bank, member, { ...rent, description: word, startsOn: nextFirst(bank), monthly: true });
}

/** By email, and by the IBAN of an account of this bank. */
async function payOthers(bank: OpenBank, member: Member): Promise<void> {
  const { dice, main, person } = member;
  const { words } = person.home;
  if (dice.chance(0.7)) {
    const destination = { email: somebodyElse(bank, member).person.email };
    const description = dice.pick([words.dinner, words.gift]);
    await pay(bank, member, { from: main, destination, amount: dice.amount(8, 74), description });
  }
  if (dice.chance(0.5)) {
    const payee = somebodyElse(bank, member);
    const destination = { iban: payee.main.iban, name: `${payee.person.firstName} ${payee.person.lastName}` };
    const description = `${words.gift} 🎁`;
    await pay(bank, member, { from: main, destination, amount: dice.amount(15, 220), description });
  }
}

async function useOwnAccounts(bank: OpenBank, member: Member): Promise<void> {
  const { dice, main, accounts, person } = member;
  const savings = accounts.find(({ type }) => type.code === 'savings_eur');
  const foreign = accounts.find(({ currency }) => currency !== 'EUR');
  if (savings !== undefined) {
    const destination = { account_id: savings.id };
    const description = person.home.words.savings;
    await pay(bank, member, { from: main, destination, amount: dice.amount(50, 350), description });
  }
  if (foreign !== undefined) await convert(bank, member, main, foreign, dice.amount(40, 240));
}

function nextFirst(bank: OpenBank): string {
  // 31 days ahead lies in a later month, whose first day is ahead of today too
  return `${bank.day(31).slice(0, 7)}-01`;
}
