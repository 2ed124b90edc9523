/** The tour's voice. */

/** Prints a line. */
export const say = (text: string): void => void process.stdout.write(`${text}\n`);
/** Prints a heading of the tour. */
export const chapter = (title: string): void => say(`\n\x1b[1m${title}\x1b[0m`);
