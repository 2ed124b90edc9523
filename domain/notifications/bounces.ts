/** What a report of a mail server means for a mail and its address (RFC 3464, RFC 3463). */

/** `hard`: the address takes no mail. `soft`: later it may. `refused`: this mail is not wanted there. */
export type Bounce = 'hard' | 'soft' | 'refused';

/** `failed`, `delayed`, `delivered`, `relayed` or `expanded`, and a status such as `5.1.1`. */
export interface DeliveryReport {
  readonly action: string;
  readonly status: string;
}

/** Null if the report says nothing that matters: the server still tries, or has delivered. */
export function bounceOf({ action, status }: DeliveryReport): Bounce | null {
  if (action.trim().toLowerCase() !== 'failed') return null;
  const [, kind, subject, detail] = /^\s*([245])\.(\d{1,3})\.(\d{1,3})/.exec(status) ?? [];
  if (kind === undefined) return 'refused';
  if (kind !== '5') return 'soft';
  return isOfAddress(Number(subject), Number(detail))
    ? 'hard'
    : softOrRefused(Number(subject), Number(detail));
}

/** RFC 3463 §3.2 and §3.3: no such mailbox or domain, moved away, disabled. A bare 5.0.0 is what old servers say of it. */
function isOfAddress(subject: number, detail: number): boolean {
  if (subject === 1) return ![7, 8, 9].includes(detail);
  if (subject === 2) return detail === 0 || detail === 1;
  return (subject === 0 && detail === 0) || (subject === 4 && detail === 4);
}

/** A mailbox that is full, and a system or a way that fails, may take it later; content and policy will not. */
function softOrRefused(subject: number, detail: number): Bounce {
  if (subject === 2) return detail === 2 ? 'soft' : 'refused';
  return subject === 3 || subject === 4 ? 'soft' : 'refused';
}

/** Whether the answer of a server to a recipient means that the address is wrong, rather than that the sender is not liked. */
export function refusesAddress(code: number, text: string): boolean {
  const [status] = /\b5\.\d{1,3}\.\d{1,3}\b/.exec(text) ?? [];
  if (status !== undefined) return bounceOf({ action: 'failed', status }) === 'hard';
  return code === 550 || code === 551 || code === 553;
}
