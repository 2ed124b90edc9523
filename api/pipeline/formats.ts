/** Step: the media type of an answer that is offered in several (RFC 9110 §12.5.1). */
import { Refusal } from '../../domain/refusals.ts';
import type { Operation } from '../declaration/operation.ts';
import type { MediaType } from '../../services/streamed.ts';

/** The one that the caller prefers, or the first where it does not matter. Refuses not_acceptable where it wants none of them. */
export function negotiate(
  { formats }: Operation,
  prefers: (offered: readonly string[]) => string | false,
): MediaType | undefined {
  if (formats === undefined) return undefined;
  const preferred = prefers(formats);
  const format = formats.find((offered) => offered === preferred);
  if (format === undefined) throw new Refusal('not_acceptable', { members: { offered: formats } });
  return format;
}
