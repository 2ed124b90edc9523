/** Stories in which the bank decides about an account: opens, refuses, blocks, flags or corrects it. */
import { call, type Ask } from '../../client/http.ts';
import { Anything, Made } from '../answers.ts';
import { somebodyElse, type Bank, type Member, type OpenBank } from '../bank.ts';
import { payHeld, payInVain } from '../payments.ts';
import { decide, payIn, post } from '../staff.ts';

/** A request that nobody has reviewed yet. */
export async function askForBusinessAccount(bank: Bank, member: Member): Promise<void> {
  await requestAccount(bank, member);
}

/** A request that an administrator has approved. */
export async function getBusinessAccount(bank: Bank, member: Member): Promise<void> {
  const body = { decision: 'approve', reason: 'Extract of the trade register seen' };
  const id = await requestAccount(bank, member);
  await post(bank.staff.checker, `/account-requests/${id}/review`, Anything, body);
  bank.tally.add('account requests approved');
}

/** A request that an administrator has rejected. */
export async function loseBusinessAccount(bank: Bank, member: Member): Promise<void> {
  const body = { decision: 'reject', reason: 'The trade register knows no such business' };
  const id = await requestAccount(bank, member);
  await post(bank.staff.checker, `/account-requests/${id}/review`, Anything, body);
  bank.tally.add('account requests rejected');
}

/** Nothing can be paid from the account until it is unblocked. */
export async function beBlocked(bank: OpenBank, member: Member): Promise<void> {
  const { client, token } = bank.staff.maker;
  const body = { status: 'blocked', reason: 'The customer has lost their phone' };
  const path = `/v1/admin/accounts/${member.main.id}/status`;
  await call(client, 'PATCH', path, Anything, { token, body });
  bank.tally.add('accounts blocked');
  const destination = { email: somebodyElse(bank, member).person.email };
  const payment = { from: member.main, destination, amount: '19.90', description: 'Concert ticket' };
  await payInVain(bank, member, 'account_blocked', payment);
}

/** To the customer the payment just waits: that an account is flagged is not its owner's to know. */
export async function beFlagged(bank: OpenBank, member: Member): Promise<void> {
  const body = { reason: 'Many small credits from unrelated people within a day' };
  await post(bank.staff.maker, `/accounts/${member.main.id}/aml-flag`, Anything, body);
  bank.tally.add('accounts flagged');
  const destination = { account_number: somebodyElse(bank, member).main.number };
  const amount = member.dice.amount(120, 380);
  await payHeld(bank, member, { from: member.main, destination, amount, description: 'Camera' });
}

/** A refund that was made twice by mistake, and taken back once. */
export async function creditTwice({ staff, tally }: Bank, { main, dice }: Member): Promise<void> {
  const amount = dice.amount(45, 160);
  await payIn(staff, main, amount, 'Refund of fees');
  const again = await payIn(staff, main, amount, 'Refund of fees');
  const { id } = await post(staff.maker, `/transfers/${again}/reverse`, Made, { reason: 'Booked twice' });
  await decide(staff, id, 'execute', 'Both bookings seen');
  tally.add('bookings reversed');
}

/** Answers the request's id. */
async function requestAccount(bank: Bank, member: Member): Promise<string> {
  const { client, token, dice } = member;
  const nickname = dice.pick(['Bakery', 'Bicycle repairs', 'Translation office', 'Flower shop']);
  const ask: Ask = { token, key: true, body: { account_type_id: bank.types.get('business_eur'), nickname } };
  const { id } = await call(client, 'POST', '/v1/account-requests', Made, ask);
  bank.tally.add('account requests');
  return id;
}
