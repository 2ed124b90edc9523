/** XML written piece by piece: a long message never stands in memory as a tree. */

/** A bare carriage return would be read as a line feed. */
const SIGNS: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '\r': '&#13;' };

/** What an element holds, already written. */
export type Xml = string;

/** An element that holds others, or text that needs no escaping. */
export function element(name: string, content: Xml): Xml {
  return `<${name}>${content}</${name}>`;
}

/** An element of text, cut to the characters that the schema allows; nothing where the text is empty. */
export function textElement(name: string, text: string | null, most: number): Xml {
  const fit = text === null ? '' : shortened(text.trim(), most);
  return fit === '' ? '' : `<${name}>${escaped(fit)}</${name}>`;
}

/** Characters that XML 1.0 cannot hold even escaped become U+FFFD, so that the reader sees that there was one. */
export function escaped(text: string): Xml {
  if (!/[&<>]|[^\x20-\x7e\xa0-\ud7ff]/.test(text)) return text;
  return text
    .toWellFormed()
    .replace(/[^\t\n\r\x20-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/gu, '\uFFFD')
    .replace(/[&<>\r]/g, (sign) => SIGNS[sign] ?? sign);
}

/** By code points, as XML Schema counts. */
function shortened(text: string, most: number): string {
  return text.length <= most ? text : Array.from(text).slice(0, most).join('').trimEnd();
}
