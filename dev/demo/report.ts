/** What the demo says at its end: whom to log in as, how to get the code, and what was made. */
import type { Credentials } from '../client/second-factor.ts';
import type { Filled } from './fill.ts';
import { PASSWORD, type Person } from './people.ts';
import { worthAVisit } from './stories/all.ts';

/** Customers worth a visit, the admins, and where their codes arrive. */
export function guide(people: readonly Person[], admins: readonly Credentials[], inbox: string): string {
  const customers = worthAVisit(people.length).flatMap(([index, tells]) => {
    const person = people[index];
    return person === undefined ? [] : [[person.email, codeOf(person), tells] as const];
  });
  const column = Math.max(...customers.map(([email]) => email.length)) + 3;
  return [
    '',
    `  Customers, all with the password: ${PASSWORD}`,
    `  ${'identifier'.padEnd(column)}${'code by'.padEnd(14)}this customer …`,
    ...customers.map(([email, code, tells]) => `  ${email.padEnd(column)}${code.padEnd(14)}${tells}`),
    '',
    '  Admins, with codes by email:',
    ...admins.map(({ identifier, password }) => `  ${identifier.padEnd(column)}${password}`),
    '',
    `  Codes, by email and by text message, arrive in the inbox: ${inbox}`,
    '  To log in by hand: `npm run repl`, then `await login(identifier, password)` for an access token.',
  ].join('\n');
}

/** What was made, a line each. */
export function counts({ tally }: Filled): string {
  const lines = tally.counts();
  const column = Math.max(...lines.map(([what]) => what.length)) + 2;
  return lines.map(([what, count]) => `  ${what.padEnd(column)}${String(count).padStart(4)}`).join('\n');
}

function codeOf({ factor }: Person): string {
  return factor === 'email' ? 'email' : 'text message';
}
