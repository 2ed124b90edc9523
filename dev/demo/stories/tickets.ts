/** Stories of tickets, one for each state that a ticket can be in. */
import { z } from 'zod';
import { call } from '../../client/http.ts';
import { handInText } from '../../client/upload.ts';
import { Anything } from '../answers.ts';
import { type Bank, type Member } from '../bank.ts';
import { post } from '../staff.ts';

const Ticket = z.looseObject({ id: z.string(), messages: z.tuple([z.looseObject({ id: z.string() })]) });
type Ticket = z.output<typeof Ticket>;

interface Question {
  readonly subject: string;
  readonly body: string;
  readonly category: 'account' | 'transfer' | 'security' | 'other';
}

/** Nobody has answered yet. */
export async function openWithAttachment(bank: Bank, member: Member): Promise<void> {
  const { client, token, main, person } = member;
  const { id, messages } = await open(bank, member, {
    subject: 'A payment has not arrived',
    body: 'My landlady says that last month’s rent never reached her. The receipt is attached.',
    category: 'transfer',
  });
  const content = `Receipt\nPaid from account ${main.number}\nby ${person.firstName} ${person.lastName}\n`;
  const root = `/v1/tickets/${id}/messages/${messages[0].id}/attachments`;
  const { status } = await handInText(client, token, root, { name: 'receipt.txt', content });
  if (status !== 'confirmed') throw new Error(`an attachment is ${status}`);
  bank.tally.add('attachments');
}

/** The customer is to say more. */
export async function answered(bank: Bank, member: Member): Promise<void> {
  const { id } = await open(bank, member, {
    subject: 'Change of name',
    body: 'I have married and changed my last name. What do you need from me?',
    category: 'account',
  });
  await reply(bank, id, 'Congratulations! Please attach a copy of the certificate here.');
}

/** Support has answered, the customer has written again. */
export async function waitForSupport(bank: Bank, member: Member): Promise<void> {
  const { client, token } = member;
  const { id } = await open(bank, member, {
    subject: 'Login from a device that is not mine',
    body: 'I got a message about a new device. It was not me.',
    category: 'security',
  });
  await reply(bank, id, 'We have looked: it was a laptop in your own town. Did you use a new browser?');
  const body = { body: 'No, I only use my phone. Please end that session.' };
  await call(client, 'POST', `/v1/tickets/${id}/messages`, Anything, { token, key: true, body });
}

/** Answered and closed by support. */
export async function closed(bank: Bank, member: Member): Promise<void> {
  const { id } = await open(bank, member, {
    subject: 'How do I pay somebody in Japan?',
    body: 'They have no IBAN. Can I pay to an account number?',
    category: 'other',
  });
  await reply(bank, id, 'Yes: choose a payment abroad and give the account number, the BIC and the country.');
  await post(bank.staff.checker, `/tickets/${id}/close`, Anything, { reason: 'Answered' });
  bank.tally.add('tickets closed');
}

async function open({ tally }: Bank, { client, token }: Member, question: Question): Promise<Ticket> {
  tally.add('tickets');
  return call(client, 'POST', '/v1/tickets', Ticket, { token, key: true, body: question });
}

async function reply({ staff, tally }: Bank, id: string, body: string): Promise<void> {
  await post(staff.checker, `/tickets/${id}/messages`, Anything, { body });
  tally.add('answers by support');
}
