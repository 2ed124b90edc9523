/** HTML (the Living Standard of the WHATWG): what text becomes inside an element or a quoted attribute. */

const REFERENCES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** Text that no reader takes for markup. */
export function escapedHtml(text: string): string {
  return text.replaceAll(/[&<>"']/g, (character) => REFERENCES[character] ?? character);
}
