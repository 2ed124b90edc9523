/** The arguments of `npm run psql`. */

export interface PsqlOptions {
  readonly role: 'owner' | 'app';
  /** What psql itself is given. */
  readonly rest: readonly string[];
  /** The statement, where running it is all that is asked for. */
  readonly statement: string | undefined;
}

/** Takes our own `--app` out; everything else is psql's. */
export function readPsqlOptions(args: readonly string[]): PsqlOptions {
  const rest = args.filter((argument) => argument !== '--app');
  return { role: rest.length < args.length ? 'app' : 'owner', rest, statement: statementOf(rest) };
}

function statementOf(args: readonly string[]): string | undefined {
  const [first = '', second, ...more] = args;
  if ((first === '-c' || first === '--command') && more.length === 0) return second;
  return second === undefined ? /^(?:--command=|-c)(.+)$/s.exec(first)?.[1] : undefined;
}
