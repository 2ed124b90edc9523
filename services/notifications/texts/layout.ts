/**
 * The one layout of mail (docs/decisions/0127). What an administrator wrote is text: it is escaped as a whole, so that no value can
 * become markup. Tables and inline styles, because mail programs know little else; colours follow the reader's scheme.
 */
import { languageIn } from '../../../domain/notifications/notifications.ts';
import { escapedHtml } from '../../../domain/standards/html.ts';

interface Laid {
  readonly subject: string;
  readonly body: string;
  /** BCP 47; scripts that run from right to left are laid out so. */
  readonly locale: string;
  readonly bank: string;
}

const RIGHT_TO_LEFT = new Set(['ar', 'dv', 'fa', 'he', 'ku', 'ps', 'sd', 'ug', 'ur', 'yi']);
const FONT = "font-family:-apple-system,BlinkMacSystemFont,'Segoe UI',Roboto,Helvetica,Arial,sans-serif";

/** A paragraph for each empty line in the text, a line break for each other one. */
export function mailHtml({ subject, body, locale, bank }: Laid): string {
  const dir = RIGHT_TO_LEFT.has(languageIn(locale)) ? 'rtl' : 'ltr';
  const paragraphs = body
    .trim()
    .split(/\n{2,}/)
    .map((paragraph) => `<p style="margin:0 0 16px">${escapedHtml(paragraph).replaceAll('\n', '<br>')}</p>`);
  return `<!doctype html>
<html lang="${escapedHtml(locale)}" dir="${dir}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width,initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${escapedHtml(subject)}</title>
<style>
:root{color-scheme:light dark}
@media (prefers-color-scheme:dark){.page{background:#14171c!important}.sheet{background:#1e232b!important;color:#e8eaee!important}.bank,.foot{color:#9aa3b2!important}}
</style>
</head>
<body class="page" style="margin:0;padding:0;background:#f2f4f7">
<table role="presentation" class="page" width="100%" cellpadding="0" cellspacing="0" style="background:#f2f4f7">
<tr><td align="center" style="padding:24px 12px">
<table role="presentation" class="sheet" width="100%" cellpadding="0" cellspacing="0" style="max-width:560px;background:#ffffff;color:#1b1f26;border-radius:8px;${FONT};font-size:16px;line-height:24px">
<tr><td class="bank" style="padding:24px 24px 0;font-size:14px;color:#5b6472">${escapedHtml(bank)}</td></tr>
<tr><td style="padding:8px 24px 0"><h1 style="margin:0 0 16px;font-size:20px;line-height:28px">${escapedHtml(subject)}</h1></td></tr>
<tr><td style="padding:0 24px 8px;overflow-wrap:anywhere">${paragraphs.join('\n')}</td></tr>
</table>
</td></tr>
</table>
</body>
</html>
`;
}
