/** Variables of the environment that were meant for this service and that it does not know: a typing error would be ignored silently. */

/** Nobody else's variables begin like this. */
const UNMISTAKABLE = new Set(['BANK', 'CORS', 'ENCRYPTION', 'FOUR', 'RAIL']);
/** What Kubernetes adds for every service of a namespace, settings of the sandbox rail, of OpenTelemetry and of Temporal's own programs. */
const FOREIGN =
  /_SERVICE_(HOST|PORT(_.*)?)$|_PORT(_\d+_(TCP|UDP)(_.*)?)?$|^RAIL_SANDBOX(_|$)|^OTEL_|^TEMPORAL_TLS_/;
/** A shorter name has too many neighbours. */
const SHORTEST = 6;
const MOST_SLIPS = 2;

/** The names among these that look like ours and are not, each with the one that was probably meant. */
export function misspelt(
  found: readonly string[],
  ours: readonly string[],
): { readonly name: string; readonly meant: string | undefined }[] {
  const beginnings = new Set(ours.map(beginningOf).filter((beginning) => beginning !== undefined));
  return found
    .filter((name) => !ours.includes(name))
    .map((name) => ({ name, meant: nearest(name, ours) }))
    .filter(
      ({ name, meant }) =>
        meant !== undefined ||
        (!FOREIGN.test(name) &&
          (UNMISTAKABLE.has(name.split('_')[0] ?? '') || beginnings.has(beginningOf(name) ?? ''))),
    );
}

/** The first two words of a name that has more; `SESSION_IDLE` of `SESSION_IDLE_CUSTOMER_DAYS`. */
function beginningOf(name: string): string | undefined {
  const words = name.split('_');
  return words.length > 2 ? words.slice(0, 2).join('_') : undefined;
}

function nearest(name: string, ours: readonly string[]): string | undefined {
  if (name.length < SHORTEST) return undefined;
  const close = ours
    .map((known) => ({ known, slips: slipsBetween(name, known) }))
    .filter(({ known, slips }) => known.length >= SHORTEST && slips <= MOST_SLIPS)
    .sort((one, other) => one.slips - other.slips);
  return close[0]?.known;
}

/** Letters to add, leave out or exchange to make one of the other (Levenshtein). */
function slipsBetween(one: string, other: string): number {
  let above = Array.from({ length: other.length + 1 }, (_, column) => column);
  for (const [line, letter] of [...one].entries()) {
    const row = [line + 1];
    for (const [column, wanted] of [...other].entries()) {
      const [left = 0, up = 0, before = 0] = [row[column], above[column + 1], above[column]];
      row.push(Math.min(left + 1, up + 1, before + (letter === wanted ? 0 : 1)));
    }
    above = row;
  }
  return above[other.length] ?? 0;
}
