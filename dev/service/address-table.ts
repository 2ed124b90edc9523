/** What `npm start` prints when everything is up. */
import type { DemoUser } from '../seed/demo-users.ts';

/** Addresses and demo users, in columns. */
export function table(
  addresses: readonly (readonly [part: string, address: string])[],
  users: readonly DemoUser[],
  logs: string,
): string {
  const rows = [...addresses, ['Logs of the parts', logs] as const];
  const lines = ['', ...rows.map(([part, address]) => `  ${part.padEnd(20)}${address}`)];
  if (users.length > 0) {
    const column = Math.max(...users.map((user) => user.identifier.length)) + 3;
    lines.push('', '  Demo users, for this machine only:');
    lines.push(
      ...users.map((user) => `  ${user.role.padEnd(20)}${user.identifier.padEnd(column)}${user.password}`),
    );
  }
  return `${lines.join('\n')}\n`;
}
