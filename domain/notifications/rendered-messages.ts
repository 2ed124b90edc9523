/** Messages with their values, in the language of whoever reads them. */
import { messageTexts } from './message-texts.ts';
import { languageOf, type MessageTemplate } from './messages.ts';

export interface RenderedMessage {
  readonly subject: string;
  readonly text: string;
  readonly short: string;
}

const PLACEHOLDER = /\{\{\s*([a-z_]+)\s*\}\}/g;

/** Fills a template in the language nearest to the locale. Throws where a value is missing: that is a mistake of ours. */
export function renderMessage(
  template: MessageTemplate,
  locale: string,
  values: Readonly<Record<string, string>>,
): RenderedMessage {
  const texts = messageTexts[languageOf(locale)][template];
  const fill = (text: string): string =>
    text.replace(PLACEHOLDER, (_whole, name: string) => {
      const value = values[name];
      if (value === undefined) throw new Error(`the template ${template} needs a value ${name}`);
      return value;
    });
  return { subject: fill(texts.subject), text: fill(texts.text), short: fill(texts.short) };
}
