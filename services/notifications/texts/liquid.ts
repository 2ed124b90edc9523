/**
 * Liquid for texts that administrators write (docs/decisions/0127): few tags and filters, no files, own properties only, and limits on
 * what a text may cost. An unknown name is a fault, never a gap.
 */
import { Liquid, type Template } from 'liquidjs';
import { LRUCache } from 'lru-cache';

const TAGS = ['assign', 'break', 'case', 'comment', 'continue', 'for', 'if', 'unless', '#'];
const FILTERS = [
  ...['append', 'capitalize', 'default', 'downcase', 'first', 'join', 'last', 'prepend', 'remove', 'replace'],
  ...['size', 'slice', 'strip', 'truncate', 'upcase'],
  ...['divided_by', 'minus', 'modulo', 'plus', 'round', 'times'],
];
const MOST_CHARACTERS = 20_000;
const MOST_MILLISECONDS = 100;
/** Objects that a text may make while it is rendered, in the library's own measure. */
const MOST_MEMORY = 200_000;

const engine = new Liquid({
  strictVariables: true,
  strictFilters: true,
  ownPropertyOnly: true,
  cache: false,
  // nothing is read from a disk, whatever tag may come to ask for it
  templates: {},
  parseLimit: MOST_CHARACTERS,
  renderLimit: MOST_MILLISECONDS,
  memoryLimit: MOST_MEMORY,
});
keepOnly(engine.tags, TAGS);
keepOnly(engine.filters, FILTERS);
engine.registerFilter('plural', function (count: unknown, one: unknown, other: unknown) {
  const locale: unknown = Reflect.get(this.context.globals, 'locale');
  const rule = new Intl.PluralRules(typeof locale === 'string' ? locale : 'en').select(Number(count));
  return rule === 'one' ? one : other;
});

/** Many people are told the same. */
const parsedTexts = new LRUCache<string, Template[]>({ max: 200 });

/** A fault of a text, at its place; both counted from 1. */
export interface TextFault {
  readonly line: number;
  readonly column: number;
  readonly detail: string;
}

/** A name that a text uses, and where. The segments of `customer.first_name` are two; null if it is computed. */
interface Used {
  readonly name: string | null;
  readonly line: number;
  readonly column: number;
}

/** The names that a text uses; none and the fault if it cannot be read. */
export function namesIn(text: string): { readonly names: readonly Used[]; readonly fault: TextFault | null } {
  try {
    const { globals } = engine.analyzeSync(engine.parse(text), { partials: false });
    const names = Object.values(globals)
      .flat()
      .map(({ segments, location: { row, col } }) => ({
        name: segments.every((segment) => typeof segment === 'string') ? segments.join('.') : null,
        line: row,
        column: col,
      }));
    return { names, fault: null };
  } catch (error) {
    return { names: [], fault: faultOf(error) };
  }
}

/** A text with its values. Throws if a name is missing or a limit is reached. */
export function fill(text: string, values: object, locale: string): string {
  const parsed = parsedTexts.get(text) ?? engine.parse(text);
  parsedTexts.set(text, parsed);
  const filled: unknown = engine.renderSync(parsed, values, { globals: { locale } });
  return String(filled);
}

/** A text with its values, or why it could not be filled. */
export function filledOrFault(text: string, values: object, locale: string): string | TextFault {
  try {
    return fill(text, values, locale);
  } catch (error) {
    return faultOf(error);
  }
}

/** The library says the place at the end of its message, and in its token. */
function faultOf(error: unknown): TextFault {
  const said = error instanceof Error ? (error.message.split('\n')[0] ?? '') : 'cannot be read';
  const place = /, line:(\d+), col:(\d+)$/.exec(said);
  const detail = said.replace(/, (?:file:.*, )?line:\d+, col:\d+$/, '');
  return { line: Number(place?.[1] ?? 1), column: Number(place?.[2] ?? 1), detail };
}

function keepOnly(registry: Record<string, unknown>, names: readonly string[]): void {
  for (const name of Object.keys(registry)) if (!names.includes(name)) delete registry[name];
}
