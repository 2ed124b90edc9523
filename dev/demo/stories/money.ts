/** Stories of payments that are not just booked: they wait, are refused, planned, taken back or returned. */
import { somebodyElse, type Member, type OpenBank } from '../bank.ts';
import { AMERICAN, PAYEES } from '../payees.ts';
import { pay, payHeld, payInVain, plan, takeBack } from '../payments.ts';
import { decide } from '../staff.ts';

/** More than anybody's account holds, in a story or not, unless it began rich. */
const TOO_MUCH = '97500.00';

/** Two payments above the threshold: an administrator has executed one, the other waits. */
export async function waitAndWin(bank: OpenBank, member: Member): Promise<void> {
  const approved = await payHeld(bank, member, largePayment(bank, member, 'Kitchen, invoice 2031'));
  await decide(bank.staff, approved.id, 'execute', 'Invoice seen, customer called back');
  bank.tally.add('held payments approved');
  await payHeld(bank, member, largePayment(bank, member, 'Down payment for a flat'));
  bank.tally.add('held payments left waiting');
}

/** Two payments above the threshold: an administrator rejects one, the customer cancels the other. */
export async function loseAndCancel(bank: OpenBank, member: Member): Promise<void> {
  const rejected = await payHeld(bank, member, largePayment(bank, member, 'Loan to a friend'));
  await decide(
    bank.staff,
    rejected.id,
    'reject',
    'The payee asked for the money in a text message: likely fraud',
  );
  bank.tally.add('held payments rejected');
  const cancelled = await payHeld(bank, member, largePayment(bank, member, 'Used car'));
  await takeBack(member, 'transfers', cancelled.id);
  bank.tally.add('held payments cancelled');
}

function largePayment(bank: OpenBank, member: Member, description: string) {
  const destination = { account_number: somebodyElse(bank, member).main.number };
  return { from: member.main, destination, amount: member.dice.amount(10_500, 14_500), description };
}

/** More than there is on the account, and more than a customer may send by SEPA in a day. */
export async function askTooMuch(bank: OpenBank, member: Member): Promise<void> {
  const { main, dice } = member;
  const destination = { email: somebodyElse(bank, member).person.email };
  const sofa = { from: main, destination, amount: TOO_MUCH, description: 'Living room' };
  await payInVain(bank, member, 'insufficient_funds', sofa);
  const { name, iban, purpose } = dice.pick(PAYEES);
  const bill = { from: main, destination: { iban, name }, amount: '1250.00', description: purpose };
  await payInVain(bank, member, 'limit_exceeded', bill);
}

/** A standing order, a payment in some weeks, and one that the customer has cancelled. */
export async function planAhead(bank: OpenBank, member: Member): Promise<void> {
  const { main, dice, person } = member;
  const destination = { account_number: somebodyElse(bank, member).main.number };
  const payment = { from: main, destination, description: 'Violin lessons', amount: dice.amount(40, 90) };
  await plan(bank, member, { ...payment, startsOn: bank.day(dice.whole(2, 9)), monthly: true });
  const { gift } = person.home.words;
  await plan(bank, member, {
    ...payment,
    description: gift,
    startsOn: bank.day(dice.whole(20, 40)),
    monthly: false,
  });
  const gym = { ...payment, description: 'Gym membership', startsOn: bank.day(14), monthly: true };
  await takeBack(member, 'scheduled-transfers', await plan(bank, member, gym));
  bank.tally.add('plans cancelled');
}

/** Nothing is judged when it is planned: the refusal comes with the day, and is kept with the plan. */
export async function planTooMuch(bank: OpenBank, member: Member): Promise<void> {
  const destination = { account_number: somebodyElse(bank, member).main.number };
  const payment = { from: member.main, destination, amount: TOO_MUCH, description: 'Boat, last instalment' };
  await plan(bank, member, { ...payment, startsOn: bank.day(0), monthly: false });
}

/** In dollars to an account without an IBAN, and to an account that the sandbox rail says is closed. */
export async function payFarAway(bank: OpenBank, member: Member): Promise<void> {
  const { main, dice } = member;
  await pay(bank, member, {
    ...{ from: main, destination: AMERICAN, target_currency: 'USD' },
    ...{ amount: dice.amount(60, 180), description: 'Piano strings' },
  });
  const { name, iban } = dice.pick(PAYEES);
  const description = 'Invoice 118 (sandbox: return AC04)';
  await pay(bank, member, {
    from: main,
    destination: { iban, name },
    amount: dice.amount(20, 90),
    description,
  });
}
