/** HTML as a value: what is not HTML already is escaped on its way in. */
import { escapedHtml } from '../../domain/standards/html.ts';

/** Text that is HTML already; everything else is escaped on its way in. */
export class Html {
  readonly text: string;
  constructor(text: string) {
    this.text = text;
  }
}

export type Part = Html | string | number | readonly (Html | string)[];

/** A template whose values are escaped unless they are HTML already. */
export function html(strings: TemplateStringsArray, ...parts: readonly Part[]): Html {
  return new Html(strings.reduce((done, literal, index) => done + write(parts[index - 1] ?? '') + literal));
}

function write(part: Part): string {
  if (part instanceof Html) return part.text;
  if (typeof part === 'number') return String(part);
  if (typeof part !== 'string') return part.map((one) => write(one)).join('');
  return escapedHtml(part);
}

/** Text in which `code` is marked by back quotes, as in the declarations' Markdown. */
export function prose(text: string): Html {
  const parts = text.split('`').map((part, index) => (index % 2 === 1 ? html`<code>${part}</code>` : part));
  return html`${parts}`;
}
