/** Words of the domain inside the text of a statement, because a partial index is found only where its condition stands in full. */

/** `('queued', 'submitted')`. */
export function wordList(words: readonly string[]): string {
  return `(${words.map((word) => `'${word}'`).join(', ')})`;
}
