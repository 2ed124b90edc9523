/** JSON in which the order of an object's fields is no difference. */

/** The text of a JSON value with the fields of its objects in order. */
export function canonicalJson(value: unknown): string {
  return JSON.stringify(ordered(value ?? null));
}

function ordered(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(ordered);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .toSorted(([a], [b]) => (a < b ? -1 : 1))
      .map(([name, inner]) => [name, ordered(inner)]),
  );
}
