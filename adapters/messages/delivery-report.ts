/** Reads what mail servers say of a mail that they could not deliver (RFC 3464), out of the mail that says it. */
import { simpleParser } from 'mailparser';
import type { DeliveryReport } from '../../domain/notifications/bounces.ts';

const REPORTS: readonly string[] = ['message/delivery-status', 'message/global-delivery-status'];

/** The report on the one recipient of our mail; undefined if the mail holds none, such as a holiday notice. */
export async function readDeliveryReport(message: Buffer): Promise<DeliveryReport | undefined> {
  const { attachments } = await simpleParser(message, {
    keepDeliveryStatus: true,
    skipHtmlToText: true,
    skipTextToHtml: true,
    skipTextLinks: true,
    skipImageLinks: true,
  });
  const part = attachments.find(({ contentType }) => REPORTS.includes(contentType));
  return part === undefined ? undefined : reportIn(part.content.toString());
}

/** Groups of fields between empty lines; the first is about the mail, each other one about a recipient. */
function reportIn(text: string): DeliveryReport | undefined {
  for (const group of text.replaceAll('\r\n', '\n').split(/\n[ \t]*\n/)) {
    const fields = fieldsOf(group);
    const [action, status] = [fields.get('action'), fields.get('status')];
    if (action !== undefined && status !== undefined) return { action, status };
  }
  return undefined;
}

/** A line that begins with a blank continues the one before (RFC 5322 §2.2.3). */
function fieldsOf(group: string): ReadonlyMap<string, string> {
  const lines = group.replaceAll(/\n[ \t]+/g, ' ').split('\n');
  return new Map(
    lines.flatMap((line) => {
      const colon = line.indexOf(':');
      if (colon < 0) return [];
      return [[line.slice(0, colon).trim().toLowerCase(), line.slice(colon + 1).trim()] as const];
    }),
  );
}
