/** Rows as if they had been written long ago: no trigger of these tables looks at the change. Others wait, and never see them without. */

/** A block that carries out these statements. They take no parameters. */
export function withoutTriggers(tables: readonly string[], ...statements: string[]): string {
  const all = (what: 'disable' | 'enable'): string[] =>
    tables.map((table) => `alter table ${table} ${what} trigger user`);
  const body = [...all('disable'), ...statements, ...all('enable')].map((statement) => `${statement};`);
  return `do $quiet$ begin\n${body.join('\n')}\nend $quiet$`;
}
