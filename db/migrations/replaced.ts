/**
 * A released function with some of its text changed: the rest stays as it was, and the change is seen at once. Throws where a text to
 * be changed does not stand in it exactly once.
 */
export function replaced(
  released: string,
  ...changes: readonly (readonly [from: string, to: string])[]
): string {
  return [['create function', 'create or replace function'] as const, ...changes].reduce(
    (text, [from, to]) => {
      if (text.split(from).length !== 2) throw new Error(`not once in the released function: ${from}`);
      return text.replace(from, () => to);
    },
    released,
  );
}
