/** What the compiler says of a declaration, a process or an activity with a slip in it: the message names what is wrong. */
import { beforeAll, expect, test } from '@jest/globals';
import { messagesOf } from '../../support/declared/compiled.ts';

const OPERATION = `
import { z } from 'zod';
import { TransferId } from '../../domain/ids.ts';
import type { Call } from '../../services/callers.ts';
import { forAdmins, forUsers } from '../declaration/operation.ts';
import { named } from '../wire/naming.ts';
import { listOf, Timestamp } from '../wire/shapes.ts';
const Item = z.strictObject({ id: TransferId, iban: z.string(), at: Timestamp });
const List = listOf('SlipList', Item);
const Body = named('SlipBody', z.strictObject({ text: z.string() }), { text: 'a' });
const Bare = z.strictObject({ text: z.string() });
const text = { area: 'Test', title: 'Test', description: 'Test.', path: '/v1/slips' } as const;
declare const item: z.output<typeof Item>;
declare function pay(call: Call<'insufficient_funds'>): Promise<z.output<typeof Item>>;
void [forAdmins, forUsers, List, Body, Bare, text, item, pay];
`;
const get = (rest: string, by = 'forUsers'): string => `${OPERATION}
export const slip = ${by}({ id: 'slip', method: 'GET', ...text, ${rest} });`;
const post = (rest: string): string => `${OPERATION}
export const slip = forUsers({ id: 'slip', method: 'POST', ...text, status: 200, answer: Item, refuses: [], handle: async () => item, ${rest} });`;
const process = (name: string, type: string, id: string): string => `
import type { ProcessOf } from '../process-of.ts';
export const slip: ProcessOf<'${name}'> = {
  name: 'ticket', type: '${type}', workflowId: (id: string) => id, idOf: (order) => order.${id}, summary: () => '',
};`;
const READ = `effect: 'read', status: 200`;

/** The folder of each text, the text, and what the compiler must say; null for what is right. */
const SLIPS: readonly (readonly [name: string, folder: string, text: string, says: string | null])[] = [
  ['a read without a slip', 'api', get(`${READ}, answer: Item, refuses: [], handle: async () => item`), null],
  [
    'a field left out of the answer',
    'api',
    get(`${READ}, answer: Item, refuses: [], handle: async () => ({ id: item.id, at: item.at })`),
    "Property 'iban' is missing",
  ],
  [
    'a list without its cursor',
    'api',
    get(`${READ}, answer: List, refuses: [], handle: async () => ({ items: [item] })`),
    "Property 'next_cursor' is missing",
  ],
  [
    'text in the answer for a moment',
    'api',
    get(`${READ}, answer: Item, refuses: [], handle: async () => ({ ...item, at: '2026-03-01' })`),
    "Types of property 'at' are incompatible.\n        Type 'string' is not assignable to type 'Date'",
  ],
  [
    'a refusal that is not declared',
    'api',
    get(
      `${READ}, answer: Item, refuses: [], async handle({ refusal }) { throw refusal('insufficient_funds'); }`,
    ),
    `Argument of type '"insufficient_funds"' is not assignable to parameter of type 'FrameCode'`,
  ],
  [
    'a service that refuses more than is declared',
    'api',
    get(`${READ}, answer: Item, refuses: [], handle: (request) => pay(request)`),
    `Type '"insufficient_funds"' is not assignable to type 'FrameCode'`,
  ],
  [
    'a misspelt refusal',
    'api',
    get(`${READ}, answer: Item, refuses: ['insufficient_found'], handle: async () => item`),
    `Did you mean '"insufficient_funds"'?`,
  ],
  [
    'no effect',
    'api',
    get('status: 200, answer: Item, refuses: [], handle: async () => item'),
    "Property 'effect' is missing",
  ],
  [
    'no refusals',
    'api',
    get(`${READ}, answer: Item, handle: async () => item`),
    "Property 'refuses' is missing",
  ],
  ['no answer', 'api', get(`${READ}, refuses: [], handle: async () => item`), "Property 'answer' is missing"],
  [
    'no status',
    'api',
    get(`effect: 'read', answer: Item, refuses: [], handle: async () => item`),
    "Property 'status' is missing",
  ],
  [
    'no permission',
    'api',
    get(`${READ}, answer: Item, refuses: [], handle: async () => item`, 'forAdmins'),
    "Property 'permission' is missing",
  ],
  [
    'a GET that writes',
    'api',
    get(`effect: 'transaction', status: 200, answer: Item, refuses: [], handle: async () => item`),
    `Type '"GET"' is not assignable to type '"POST" | "PUT" | "PATCH" | "DELETE"'`,
  ],
  [
    'no rule for repeats',
    'api',
    post(`effect: 'transaction', body: Body`),
    "Property 'idempotency' is missing",
  ],
  [
    'a booking without a key',
    'api',
    post(`effect: 'booking', idempotency: 'accepted', body: Body`),
    `Type '"accepted"' is not assignable to type '"required"'`,
  ],
  [
    'a decision without its process',
    'api',
    post(`effect: 'decision', idempotency: 'accepted', body: Body`),
    "Property 'process' is missing",
  ],
  [
    'a body without an example',
    'api',
    post(`effect: 'transaction', idempotency: 'accepted', body: Bare`),
    `required in type '{ readonly [WITH_EXAMPLE]: "named with an example"; }'`,
  ],
  ['a process without a slip', 'workflows', process('ticket', 'ticket', 'id'), null],
  [
    'a process of a workflow that the bundle does not have',
    'workflows',
    process('reciept', 'reciept', 'id'),
    `Type '"reciept"' does not satisfy the constraint '"`,
  ],
  [
    'a misspelt type of a process',
    'workflows',
    process('ticket', 'tikcet', 'id'),
    `Type '"tikcet"' is not assignable to type '"ticket"'`,
  ],
  [
    'a process with the input of another workflow',
    'workflows',
    process('ticket', 'ticket', 'transferId'),
    "Property 'transferId' does not exist on type 'TicketOrder'",
  ],
  [
    'an activity asked for on another queue',
    'workflows',
    `import { onMoney } from '../queues.ts';
     import type { TicketActivities } from '../ticket/workflow.ts';
     export const { closeIfIdle } = onMoney<TicketActivities>({ startToCloseTimeout: '10s' });`,
    `Type '"housekeeping"' is not assignable to type '"money"'`,
  ],
  [
    'an activity listed under another queue',
    'activities',
    `import type { Queue } from '../../domain/queues.ts';
     import type { Carried } from '../../workflows/queues.ts';
     import type { ActivityDeps } from '../deps.ts';
     import { messageActivities } from '../messages.ts';
     import { ticketActivities } from '../tickets.ts';
     export const listed = (deps: ActivityDeps) =>
       ({ money: ticketActivities(deps), outside: messageActivities(deps), housekeeping: ticketActivities(deps) }) satisfies {
         readonly [Name in Queue]: Carried<Name>;
       };`,
    `Type '"housekeeping"' is not assignable to type '"money"'`,
  ],
];

const pathOf = (folder: string, at: number): string => `${folder}/slips/slip-${at}.ts`;
let messages: Record<string, string[]>;
beforeAll(() => {
  messages = messagesOf(Object.fromEntries(SLIPS.map(([, folder, text], at) => [pathOf(folder, at), text])));
}, 600_000);

test.each(SLIPS.map((slip, at) => [...slip, at] as const))('%s', (_name, folder, _text, says, at) => {
  const said = messages[pathOf(folder, at)];
  if (says === null) expect(said).toEqual([]);
  else expect(said?.join('\n')).toContain(says);
});
