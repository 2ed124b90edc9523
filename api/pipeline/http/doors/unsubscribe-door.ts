/**
 * The address at which a mail program unsubscribes with one click (RFC 8058). It answers a form and pages, so it is no operation: POST
 * unsubscribes, and GET shows a page with a button, because scanners of mail follow links.
 */
import type { IncomingMessage } from 'node:http';
import type { MikroORM } from '@mikro-orm/postgresql';
import { faultIn, found, Refusal } from '../../../../domain/refusals.ts';
import {
  optionalTypes,
  readUnsubscribeToken,
  unsubscribe,
  UNSUBSCRIBE_PATH,
} from '../../../../services/notifications/unsubscribing.ts';
import type { Services } from '../../../../services/services.ts';
import { html, type Html } from '../../../derived/html.ts';
import { collect } from '../body.ts';
import type { Step } from '../state.ts';

/** The form of RFC 8058 has 26, and a few hundred as multipart/form-data. */
const MOST_BYTES = 2_000;
const FORM = /^(?:application\/x-www-form-urlencoded|multipart\/form-data)\s*(?:;|$)/i;
/** The style of the documentation, a form that leads here, and nothing else. */
const POLICY =
  "default-src 'none'; style-src 'self'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'";

/** Serves the page, and takes what its button or a mail program sends. */
export function unsubscribeDoor(
  { cipher, config }: Pick<Services, 'cipher' | 'config'>,
  orm: MikroORM,
): Step {
  return async (ctx, next) => {
    const isLook = ctx.method === 'GET' || ctx.method === 'HEAD';
    if (ctx.path !== UNSUBSCRIBE_PATH || !(isLook || ctx.method === 'POST')) {
      await next();
      return;
    }
    const { token } = ctx.query;
    const unwanted = found(typeof token === 'string' ? readUnsubscribeToken(cipher, token) : undefined);
    const types = await optionalTypes(orm.em.fork(), unwanted.typeCodes);
    if (types.length === 0) throw new Refusal('notification_mandatory');
    const names = types.map(({ name }) => `“${name}”`).join(', ');
    if (!isLook) {
      const form = await formOf(ctx.req);
      if (form.get('List-Unsubscribe') !== 'One-Click')
        throw faultIn('/List-Unsubscribe', 'invalid', 'must be One-Click (RFC 8058)');
      if (!(await unsubscribe(orm.em.fork(), unwanted))) throw new Refusal('notification_mandatory');
    }
    ctx.set('Content-Security-Policy', POLICY);
    ctx.type = 'text/html';
    ctx.body = isLook
      ? page(
          config.BANK_NAME,
          html`<p>Do you want to stop getting ${names} by mail?</p>
            <form method="post">
              <p><button name="List-Unsubscribe" value="One-Click">Stop these mails</button></p>
            </form>`,
        )
      : page(
          config.BANK_NAME,
          html`<p>
            You will not get ${names} by mail any more. Your preferences in the app switch that on again.
          </p>`,
        );
  };
}

/** A mail program may send it in either encoding (RFC 8058 §3.1). */
async function formOf(request: IncomingMessage): Promise<FormData> {
  const type = request.headers['content-type'] ?? '';
  if (!FORM.test(type))
    throw new Refusal('unsupported_media_type', {
      detail: 'The body must be application/x-www-form-urlencoded or multipart/form-data.',
    });
  const bytes = await collect(request, MOST_BYTES);
  try {
    return await new Response(bytes, { headers: { 'Content-Type': type } }).formData();
  } catch {
    throw new Refusal('invalid_request', { detail: 'The body is not a complete form of its media type.' });
  }
}

function page(bank: string, content: Html): string {
  return `<!doctype html>${
    html`<html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <title>Mails of ${bank}</title>
        <link rel="stylesheet" href="../../docs/style.css" />
      </head>
      <body>
        <main>
          <h1>Mails of ${bank}</h1>
          ${content}
        </main>
      </body>
    </html>`.text
  }`;
}
