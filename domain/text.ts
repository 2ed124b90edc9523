/** What people may write, wherever they write it: one rule for names, lines, reasons and longer texts. */

// C0 and C1 controls, and the controls that turn the direction of what follows (Unicode TR 36, bidirectional spoofing);
// the joiners U+200C and U+200D stay: Persian and Indic names and many emoji need them
const UNREADABLE =
  /[\p{Cc}\p{Cs}\p{Co}\p{Zl}\p{Zp}\u00ad\u061c\u180e\u200b\u200e\u200f\u202a-\u202e\u2060-\u2069\ufeff\ufff9-\ufffb]/u;

/** True for one line that a person can read as it is stored: no control, direction or lone surrogate characters. */
export function isReadableLine(text: string): boolean {
  return !UNREADABLE.test(text);
}

/** True for several such lines; of the control characters only tab, line feed and carriage return. */
export function isReadableText(text: string): boolean {
  return isReadableLine(text.replace(/[\t\n\r]/g, ' '));
}
