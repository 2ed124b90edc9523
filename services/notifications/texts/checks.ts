/** What a text must be before it is saved: every name in it exists, it can be filled, and it says nothing where it must not. */
import {
  CHANNELS_OF_SECRETS,
  COMMON_VARIABLES,
  isSecret,
  type Channel,
  type Variable,
} from '../../../domain/notifications/notifications.ts';
import { FOREIGN_LINK, hasForeignLink } from '../../../domain/notifications/links.ts';
import type { FieldFault } from '../../../domain/refusals.ts';
import { fill, filledOrFault, namesIn } from './liquid.ts';
import { carried } from './rendering.ts';
import { shownValues } from './values.ts';

/** What is checked. */
export interface CheckedText {
  readonly channel: Channel;
  readonly locale: string;
  readonly subject: string | null;
  readonly body: string;
}

const LINK = /https?:|\bwww\.|app\.url/i;

interface Rules {
  /** Variables that the body must say. */
  readonly mustSay: readonly Variable[];
  /** The bank's own address, the only one that links may lead to. */
  readonly publicUrl: string;
}

/** All faults, each with its pointer and, if it has a place, line and column. */
export function faultsOf(
  text: CheckedText,
  variables: readonly Variable[],
  { mustSay, publicUrl }: Rules,
): readonly FieldFault[] {
  const { channel, subject, body } = text;
  const isShown = !CHANNELS_OF_SECRETS.includes(channel);
  const unreadable = [
    ...(subject === null ? [] : faultsIn('/subject', subject, text.locale, variables, true)),
    ...faultsIn('/body', body, text.locale, variables, isShown),
  ];
  const scope = samplesOf(variables, text.locale, publicUrl);
  // a text that cannot be filled is refused for that
  const filled = (source: string): string => (unreadable.length > 0 ? '' : fill(source, scope, text.locale));
  const said = { subject: filled(subject ?? ''), body: filled(body) };
  // plain characters can make a link of what was none
  const sent = carried(channel, said.body);
  return [
    ...unreadable,
    ...mustSay
      .filter((variable) => !says(body, variable) || !said.body.includes(sampleIn(scope, variable)))
      .map(({ name }) => ({ pointer: '/body', code: 'variable_missing', detail: `must say ${name}` })),
    ...Object.entries({ subject: [bare(subject ?? ''), said.subject], body: [bare(body), sent] })
      .filter(([, forms]) => forms.some((form) => hasForeignLink(form, publicUrl)))
      .map(([field]) => ({ pointer: `/${field}`, code: 'foreign_link', detail: FOREIGN_LINK })),
    ...(channel === 'sms' && holdsCode(variables) && (LINK.test(body) || LINK.test(sent))
      ? [
          {
            pointer: '/body',
            code: 'link_beside_code',
            detail: 'must not hold a link, because it tells a code',
          },
        ]
      : []),
  ];
}

function holdsCode(variables: readonly Variable[]): boolean {
  return variables.some(({ name }) => isSecret(name));
}

function says(source: string, { name }: Variable): boolean {
  return namesIn(source).names.some((used) => used.name === name);
}

function sampleIn(scope: Readonly<Record<string, unknown>>, { name }: Variable): string {
  return String(scope[name]);
}

function faultsIn(
  pointer: string,
  text: string,
  locale: string,
  variables: readonly Variable[],
  isShown: boolean,
): readonly FieldFault[] {
  const { names, fault: unread } = namesIn(text);
  if (unread !== null) return [{ pointer, code: 'template_syntax', ...unread }];
  const known = new Set([...variables, ...COMMON_VARIABLES].map(({ name }) => name));
  const faults = names.flatMap(({ name, line, column }) => {
    if (name === null || !known.has(name))
      return [
        {
          pointer,
          line,
          column,
          code: 'unknown_variable',
          detail: `${name ?? 'a computed name'} is not a variable of this type`,
        },
      ];
    if (isShown && isSecret(name))
      return [
        {
          pointer,
          line,
          column,
          code: 'secret_shown',
          detail: `${name} must not be shown where others look on`,
        },
      ];
    return [];
  });
  if (faults.length > 0) return faults;
  const filled = filledOrFault(text, samplesOf(variables, locale), locale);
  return typeof filled === 'string' ? [] : [{ pointer, code: 'template_fails', ...filled }];
}

/** A text without the names of what it says: `bank.name` reads like a host. */
function bare(source: string): string {
  return source.replaceAll(/\{[{%].*?[%}]\}/gs, (tag) =>
    tag.replaceAll(/\b(?:customer|bank|app)\.[a-z_]+/g, ''),
  );
}

/** The scope of a preview: each variable says its sample, and the address of the bank is `publicUrl` if it is given. */
export function samplesOf(
  variables: readonly Variable[],
  locale: string,
  publicUrl?: string,
): Readonly<Record<string, unknown>> {
  const values = Object.fromEntries(variables.map(({ name, sample }) => [name, sample]));
  const scope: Record<string, unknown> = shownValues(variables, values, { locale, zone: 'UTC' });
  for (const { name, sample } of COMMON_VARIABLES) {
    const [group = '', field = ''] = name.split('.');
    const of = scope[group];
    scope[group] = { ...(typeof of === 'object' ? of : {}), [field]: sample };
  }
  return publicUrl === undefined ? scope : { ...scope, app: { url: publicUrl } };
}
