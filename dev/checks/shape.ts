/**
 * `npm run shape [-- FOLDER]`: figures of the code's form, of this checkout or another one, so that a change of structure can be
 * compared with what was there before. Reads files only. Lines are counted as they are: both sides are laid out by the same formatters.
 */
import { globSync, readFileSync } from 'node:fs';
import { dirname, join, normalize, resolve } from 'node:path';
import { ROOT } from '../service/process.ts';
import { follower, type Source } from './followed.ts';

const root = resolve(process.argv[2] ?? ROOT);
const IGNORED = /^(node_modules|coverage|\.data|\.git)\//;
const sources = (pattern: string): Source[] =>
  globSync(pattern, { cwd: root })
    .filter((path) => !IGNORED.test(path))
    .sort()
    .map((path) => ({ path, text: readFileSync(join(root, path), 'utf8') }));

const typescript = sources('**/*.ts');
const isTest = ({ path }: Source): boolean => path.startsWith('test/');
const code = typescript.filter((source) => !isTest(source));
const service = code.filter(({ path }) => !/^(dev|tools|bench)\//.test(path));
const sql = sources('db/**/*.sql');

const follow = follower([...service, ...sources('db/functions/*.sql')]);
const reads = follow.operations.filter(({ reads }) => reads).map((read) => follow.steps([read]).length);
/** From the declaration to the last trigger before COMMIT, and what is made before the first request. */
const TRANSFER = [
  { path: 'api/transfers/operations.ts', name: 'createTransfer' },
  { path: 'db/ledger/transfers.ts', name: 'createOrderTaker' },
  { path: 'db/functions/ledger.sql', name: 'check_entries' },
];
/**
 * Where another payee, another currency, a quote, an order that waits, what must be booked, a repeat or a fault would lead; what a step-up
 * asks before, and the answer, after COMMIT.
 */
const OTHER_WAYS = [
  ...['fx_most', 'fx_leg', 'hold_open', 'noteLaunch', 'must_prepare', 'shortfall'],
  ...['beneficiaryIn', 'isUsable', 'quotedPrice', 'converted', 'fx_rate_at', 'missing_action', 'actions_of'],
  ...['ownTransfer', 'transferApproval', 'TakenBefore', 'sqlStateOf', 'isPermanentState', 'transferView'],
];
const transfer = follow.steps(TRANSFER, OTHER_WAYS);

const rows: readonly (readonly [string, string | number])[] = [
  ['lines of TypeScript without tests', lines(code)],
  ['  of these in the service itself (without dev, tools, bench)', lines(service)],
  ['lines of SQL files', lines(sql)],
  ['lines of tests', lines(typescript.filter(isTest))],
  ['files of TypeScript without tests', code.length],
  ['  lines of a file: median / p90 / longest', spread(code.map(linesOf))],
  ['SQL functions whose text is in no SQL file', withoutFile()],
  [
    'calls that read rows whose type nobody checks',
    calls(
      service,
      /\b(?:rows|row)(?:<[^()]*>)?\(\s*(?:em|db|tx)\b|\.(?:query|executeQuery|execute)<(?!Raw>|unknown)/g,
    ),
  ],
  ['places that open a transaction', calls(service, /\.transactional\(/g)],
  ['circles of imports', circles(code).length],
  ...circles(code).map((files) => ['  a circle', files.join(' ⇄ ')] as const),
  ['files that are followed for a read: median / p90 / most', spread(reads)],
  ['files from HTTP to COMMIT of a transfer between own accounts', transfer.length],
  ...transfer.map((path) => ['  ', path] as const),
  ['declared operations', operations()],
  ['lines of the service per declared operation', perOperation()],
];
const width = Math.max(...rows.map(([name]) => name.length));
for (const [name, figure] of rows) process.stdout.write(`${name.padEnd(width)}  ${String(figure)}\n`);

function perOperation(): number {
  return operations() === 0 ? 0 : Math.round(lines(service) / operations());
}

function operations(): number {
  return calls(service, /= for(?:Anybody|Users|Admins|Partners)\(\{/g);
}

function linesOf({ text }: Source): number {
  return text.split('\n').length - 1;
}

function lines(of: readonly Source[]): number {
  return of.reduce((sum, source) => sum + linesOf(source), 0);
}

function spread(figures: readonly number[]): string {
  const sorted = figures.toSorted((one, other) => one - other);
  const at = (share: number): number => sorted[Math.floor((sorted.length - 1) * share)] ?? 0;
  return `${at(0.5)} / ${at(0.9)} / ${at(1)}`;
}

function calls(of: readonly Source[], pattern: RegExp): number {
  return of.reduce((sum, { text }) => sum + (text.match(pattern)?.length ?? 0), 0);
}

function withoutFile(): number {
  const inFiles = functionsIn(sql);
  return [...functionsIn(code)].filter((name) => !inFiles.has(name)).length;
}

/** The names after `create function`, in whatever file. */
function functionsIn(of: readonly Source[]): Set<string> {
  const named = /create (?:or replace )?function\s+(?:public\.)?([a-z_]+)\s*\(/gi;
  return new Set(of.flatMap(({ text }) => [...text.matchAll(named)].map(([, name = '']) => name)));
}

/** Groups of files that import each other, directly or in a ring (strongly connected components, Tarjan 1972). */
function circles(of: readonly Source[]): string[][] {
  const known = new Map(of.map((source) => [source.path, importsOf(source)]));
  const index = new Map<string, number>();
  const low = new Map<string, number>();
  const stack: string[] = [];
  const found: string[][] = [];
  const visit = (path: string): void => {
    index.set(path, index.size);
    low.set(path, index.get(path) ?? 0);
    stack.push(path);
    for (const next of known.get(path) ?? []) {
      if (!known.has(next)) continue;
      if (!index.has(next)) visit(next);
      if (stack.includes(next)) low.set(path, Math.min(low.get(path) ?? 0, low.get(next) ?? 0));
    }
    if (low.get(path) !== index.get(path)) return;
    const group = stack.splice(stack.indexOf(path));
    if (group.length > 1) found.push(group);
  };
  for (const path of known.keys()) if (!index.has(path)) visit(path);
  return found;
}

function importsOf({ path, text }: Source): string[] {
  return [...text.matchAll(/(?:from|import)\s*\(?\s*'(\.[^']+)'/g)].map(([, to = '']) =>
    normalize(join(dirname(path), to)),
  );
}
