/** The documentation page: one HTML file without scripts or anything from elsewhere, made from the declarations. */
import type { z } from 'zod';
import { refusals, type RefusalCode } from '../../domain/refusals.ts';
import { exampleOf } from '../wire/naming.ts';
import type { Operation } from '../declaration/operation.ts';
import { needsFreshFactor } from '../pipeline/factors/fresh-factor.ts';
import { refusalsOf } from '../pipeline/refusals-of.ts';
import { isLinked } from '../pipeline/factors/step-up.ts';
import { fieldsOf } from './docs-fields.ts';
import { html, prose, type Html } from './html.ts';
import { inOrder } from './in-order.ts';

/** The reference of all operations, by area. */
export function docsPage(operations: readonly Operation[], serverUrl: string): string {
  const areas = [...new Set(operations.map(({ area }) => area))];
  const of = (area: string): Operation[] => operations.filter((operation) => operation.area === area);
  return page(
    'Teller API',
    html`<nav>
        <a class="brand" href="/docs">Teller</a>
        <a href="/openapi.json">OpenAPI 3.1 document</a>
        <a href="/docs/errors">Errors</a>
        ${areas.map(
          (area) =>
            html`<h2>${area}</h2>
              ${of(area).map((operation) => html`<a href="#${operation.id}"><b class="${operation.method}">${operation.method}</b>${operation.title}</a>`)}`,
        )}
      </nav>
      <main>
        <h1>Teller API</h1>
        <p>
          ${operations.length} operations at <code>${serverUrl}</code>. Money is a decimal string with its
          currency, times are RFC 3339 in UTC, ids are UUIDs. Lists answer <code>items</code> and
          <code>next_cursor</code>. Refusals are RFC 9457 problems with a stable <code>code</code>:
          <a href="/docs/errors">all of them</a>.
        </p>
        ${areas.map(
          (area) =>
            html`<h2>${area}</h2>
              ${of(area).map((operation) => article(operation, serverUrl))}`,
        )}
      </main>`,
  );
}

/** Every refusal with its cause and cure; the `type` of a Problem points here. */
export function errorsPage(): string {
  const codes = Object.keys(refusals).sort() as RefusalCode[];
  return page(
    'Teller API: errors',
    html`<nav>
        <a class="brand" href="/docs">Teller</a
        ><a href="/docs">Operations</a>${codes.map((code) => html`<a href="#${code}">${code}</a>`)}
      </nav>
      <main>
        <h1>Errors</h1>
        <p>
          Each is answered as <code>application/problem+json</code>. Decide by <code>code</code>; it never
          changes its meaning.
        </p>
        ${codes.map(
          (code) =>
            html`<article id="${code}">
              <h3><b class="status">${refusals[code].status}</b> <code>${code}</code></h3>
              <p>${refusals[code].title}. ${prose(refusals[code].cause)}</p>
              <p><i>What to do:</i> ${prose(refusals[code].cure)}</p>
            </article>`,
        )}
      </main>`,
  );
}

function article(operation: Operation, serverUrl: string): Html {
  const { access } = operation;
  const codes = inOrder(refusalsOf(operation)).map(
    (code) => html`<a href="/docs/errors#${code}"><code>${code}</code></a> `,
  );
  return html`<article id="${operation.id}">
    <h3>${operation.title}</h3>
    <p class="path"><b class="${operation.method}">${operation.method}</b> <code>${operation.path}</code></p>
    <p>
      <span>${callers(operation)}</span>
      ${access.auth === 'admin' && access.permission !== null ? html`<span>permission <code>${access.permission}</code></span>` : ''}
      ${'stepUp' in access && access.stepUp ? html`<span>step-up${isLinked(operation) ? ' for this very request' : ''}</span>` : ''}
      ${needsFreshFactor(operation) ? html`<span>fresh second factor</span>` : ''}
      ${operation.idempotency === 'none' ? '' : html`<span>Idempotency-Key ${operation.idempotency}</span>`}
      ${operation.process === undefined ? '' : html`<span>process ${operation.process}</span>`}
      ${operation.formats === undefined ? '' : html`<span>as ${operation.formats.join(', ')}</span>`}
    </p>
    ${operation.description === undefined ? '' : html`<p>${prose(operation.description)}</p>`}
    <details>
      <summary>Example</summary>
      <pre>${curl(operation, serverUrl)}</pre>
    </details>
    ${operation.params === undefined ? '' : shape('Path', operation.params, 'input')}
    ${operation.query === undefined ? '' : shape('Query', operation.query, 'input')}
    ${operation.body === undefined ? '' : shape('Request body', operation.body, 'input')}
    ${operation.answer === null ? html`<p>Answers ${operation.status} without a body.</p>` : shape(`Answer ${operation.status}`, operation.answer, 'output')}
    ${operation.waiting === undefined ? '' : shape('Answer 202, if it waits for a second person', operation.waiting, 'output')}
    <details>
      <summary>Refusals</summary>
      <p>${codes}</p>
    </details>
  </article>`;
}

function callers({ access }: Operation): string {
  return { public: 'anybody', signature: 'signed message', user: 'bearer token', admin: 'administrator' }[
    access.auth
  ];
}

/** The fields of a schema, and its example where it has one. */
function shape(title: string, schema: z.ZodType, io: 'input' | 'output'): Html {
  const rows = fieldsOf(schema, io).map(
    ({ name, kind, optional, description }) =>
      html`<tr>
        <td><code>${name}</code>${optional ? html`<small> optional</small>` : ''}</td>
        <td>${kind}</td>
        <td>${prose(description)}</td>
      </tr>`,
  );
  const example = exampleOf(schema);
  return html`<details>
    <summary>${title}</summary>
    <table>
      ${rows}
    </table>
    ${example === undefined ? '' : html`<pre>${JSON.stringify(example, null, 2)}</pre>`}
  </details>`;
}

function curl(operation: Operation, serverUrl: string): string {
  const { access, idempotency, method, path, body } = operation;
  const lines = [`curl -X ${method} '${serverUrl}${path}'`];
  if (access.auth === 'user' || access.auth === 'admin')
    lines.push(`-H 'Authorization: Bearer ACCESS_TOKEN'`);
  if ('stepUp' in access && access.stepUp) lines.push(`-H 'X-Step-Up-Token: STEP_UP_TOKEN'`);
  if (idempotency !== 'none') lines.push(`-H 'Idempotency-Key: A_FRESH_KEY'`);
  if (body !== undefined)
    lines.push(
      `-H 'Content-Type: application/json'`,
      `-d '${JSON.stringify(exampleOf(body) ?? {}).replaceAll("'", "'\\''")}'`,
    );
  return lines.join(' \\\n  ');
}

function page(title: string, body: Html): string {
  return `<!doctype html>${
    html`<html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <title>${title}</title>
        <link rel="stylesheet" href="/docs/style.css" />
      </head>
      <body>
        ${body}
      </body>
    </html>`.text
  }`;
}
