/**
 * Which of our files a reader follows for one request, from the declaration of its operation to the last SQL function. Followed by
 * name: what a declaration mentions and imports, or calls in its SQL, is looked up and followed in turn. A service that is handed in
 * has no name there; whoever counts says where it is made.
 *
 * A file counts if a step of the request is in it: a handler, a function, a statement, an SQL function. Not counted are pure rules
 * (`domain/`), files that only describe data (tables, wire schemas), and the frame: its folders (`api/wire/`, `db/rows/`, …) and what
 * more than a quarter of all operations share. A variable that is called like something else in its file is followed too, so the
 * figure is rather too high.
 */
import { dirname, join, normalize } from 'node:path';

export interface Source {
  readonly path: string;
  readonly text: string;
}

/** A declaration: `{ path, name }`. */
export interface Place {
  readonly path: string;
  readonly name: string;
}

export interface Follower {
  /** The files with steps of the operation or function at these places; what bears one of these names is not followed. */
  steps(from: readonly Place[], without?: readonly string[]): readonly string[];
  /** All declared operations; `reads` are those that change nothing. */
  readonly operations: readonly (Place & { readonly reads: boolean })[];
}

const NO_STEPS = /^(domain|config)[/.]|^db\/schema\/|\/(schemas|requests|\w+-schemas)\.ts$/;
const FRAME = /^(api\/(declaration|pipeline|wire)|db\/rows)\//;
/** How many of the operations share what else is the frame's. */
const SHARED = 1 / 4;

export function follower(sources: readonly Source[]): Follower {
  const walk = walker(sources);
  const operations = sources.flatMap(({ path, text }) =>
    [...text.matchAll(/^export const (\w+) = for\w+\(\{([\s\S]*?)^\}\);/gm)].map(
      ([, name = '', declared = '']) => ({
        path,
        name,
        reads: declared.includes("effect: 'read'"),
      }),
    ),
  );
  const shares = new Map<string, number>();
  for (const operation of operations)
    for (const path of walk([operation], []).keys()) shares.set(path, (shares.get(path) ?? 0) + 1);
  return {
    operations,
    steps: (from, without = []) =>
      [...walk(from, without)]
        .filter(
          ([path, texts]) =>
            !NO_STEPS.test(path) && !FRAME.test(path) && texts.some((text) => STEP.test(text)),
        )
        .map(([path]) => path)
        .filter((path) => (shares.get(path) ?? 0) <= operations.length * SHARED)
        .sort(),
  };
}

/** The beginning of a declaration that does something; others describe data. */
const STEP =
  /^(?:export )?(?:async )?(?:function|class)|^(?:export )?const \w+(?:: [^=]+)? = (?:(?:async )?\(|(?:for\w+|statement|composedStatement|pageOf)\()|^create /;

/** Answers, by their files, the texts of all declarations that are reached. */
function walker(sources: readonly Source[]) {
  const files = new Map(sources.map((source) => [source.path, partsOf(source)]));
  const functions = new Map(
    [...files].flatMap(([path, { declared }]) =>
      path.endsWith('.sql') ? [...declared.keys()].map((name) => [name, path] as const) : [],
    ),
  );
  return (from: readonly Place[], without: readonly string[]): ReadonlyMap<string, readonly string[]> => {
    const reached = new Map<string, Map<string, string>>();
    const waiting = [...from];
    for (let place = waiting.pop(); place !== undefined; place = waiting.pop()) {
      const { path, name } = place;
      const file = files.get(path);
      const text = file?.declared.get(name);
      const known = reached.get(path) ?? new Map<string, string>();
      if (file === undefined || text === undefined || known.has(name) || without.includes(name)) continue;
      reached.set(path, known.set(name, text));
      for (const [word, member = ''] of file.words(name)) {
        const imported = file.imported.get(word);
        if (imported === undefined) waiting.push({ path, name: word });
        else waiting.push(imported.name === '*' ? { path: imported.path, name: member } : imported);
      }
      for (const [, called = ''] of text.matchAll(/\b([a-z_]+)\(/g)) {
        const sql = functions.get(called);
        if (sql !== undefined) waiting.push({ path: sql, name: called });
      }
    }
    return new Map([...reached].map(([path, texts]) => [path, [...texts.values()]]));
  };
}

interface Parts {
  /** The text of each top-level declaration. */
  readonly declared: ReadonlyMap<string, string>;
  /** Where a local name comes from; types are left out. */
  readonly imported: ReadonlyMap<string, Place>;
  /** Each word of a declaration, with the member that is taken of it; read once. */
  words(name: string): readonly (readonly [string, string | undefined])[];
}

const DECLARATION = {
  ts: /^(?:export )?(?:async )?(?:function\*?|const|class) (\w+)/gm,
  sql: /^create (?:or replace )?function (?:public\.)?(\w+)/gm,
};

function partsOf({ path, text }: Source): Parts {
  const starts = [...text.matchAll(path.endsWith('.sql') ? DECLARATION.sql : DECLARATION.ts)];
  const declared = starts.map(
    ({ index, 1: name = '' }, at) => [name, text.slice(index, starts[at + 1]?.index)] as const,
  );
  const imports = text.matchAll(/^import (?!type)(?:\* as (\w+)|\{([^}]*)\}) from '(\.[^']+)';/gm);
  const imported = [...imports].flatMap(([, all, some = '', to = '']) => {
    const target = normalize(join(dirname(path), to));
    if (all !== undefined) return [[all, { path: target, name: '*' }] as const];
    return some
      .split(',')
      .map((one) => one.trim())
      .filter((one) => one !== '' && !one.startsWith('type '))
      .map((one) => {
        const [name = '', local = name] = one.split(' as ');
        return [local, { path: target, name }] as const;
      });
  });
  const texts = new Map(declared);
  const read = new Map<string, readonly (readonly [string, string | undefined])[]>();
  return {
    declared: texts,
    imported: new Map(imported),
    words(name) {
      const words = read.get(name) ?? wordsOf(texts.get(name) ?? '');
      read.set(name, words);
      return words;
    },
  };
}

function wordsOf(text: string): (readonly [string, string | undefined])[] {
  const code = text.replace(/\/\*[\s\S]*?\*\/|\/\/.*|--.*/g, '');
  return [...code.matchAll(/(?<=^|[^.\w']|\.\.\.)(\w+)(?:\.(\w+))?/g)].map(
    ([, word = '', member]) => [word, member] as const,
  );
}
