/** The documentation page: one HTML file without scripts or anything from elsewhere, made from the declarations. */
import { z } from 'zod';
import { refusals, type RefusalCode } from '../../domain/refusals.ts';
import { exampleOf } from '../naming.ts';
import type { Operation } from '../operation.ts';
import { refusalsOf } from '../pipeline/refusals-of.ts';
import { inOrder } from './in-order.ts';

/** Text that is HTML already; everything else is escaped on its way in. */
class Html {
  readonly text: string;
  constructor(text: string) {
    this.text = text;
  }
}

type Part = Html | string | number | readonly (Html | string)[];

function html(strings: TemplateStringsArray, ...parts: readonly Part[]): Html {
  return new Html(strings.reduce((done, literal, index) => done + write(parts[index - 1] ?? '') + literal));
}

function write(part: Part): string {
  if (part instanceof Html) return part.text;
  if (typeof part === 'number') return String(part);
  if (typeof part !== 'string') return part.map((one) => write(one)).join('');
  return part.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}

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
              <p>${refusals[code].title}. ${refusals[code].cause}</p>
              <p><i>What to do:</i> ${refusals[code].cure}</p>
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
      ${access.auth === 'admin' ? html`<span>permission <code>${access.permission}</code></span>` : ''}
      ${'stepUp' in access && access.stepUp ? html`<span>step-up</span>` : ''}
      ${operation.idempotency === 'none' ? '' : html`<span>Idempotency-Key ${operation.idempotency}</span>`}
      ${operation.process === undefined ? '' : html`<span>process ${operation.process}</span>`}
    </p>
    ${operation.description === undefined ? '' : html`<p>${operation.description}</p>`}
    <details>
      <summary>Example</summary>
      <pre>${curl(operation, serverUrl)}</pre>
    </details>
    ${operation.query === undefined ? '' : shape('Query', operation.query, 'input')}
    ${operation.body === undefined ? '' : shape('Request body', operation.body, 'input')}
    ${operation.answer === null ? html`<p>Answers ${operation.status} without a body.</p>` : shape(`Answer ${operation.status}`, operation.answer, 'output')}
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
  const drawn = z.toJSONSchema(schema, { io, unrepresentable: 'any' });
  const required = new Set(drawn.required ?? []);
  const fields = Object.entries(drawn.properties ?? {}).map(([name, field]) => {
    const about = typeof field === 'object' ? field : {};
    const kind = about.format ?? about.type ?? (about.enum ? 'enum' : 'object');
    return html`<tr>
      <td><code>${name}</code>${required.has(name) ? '' : html`<small> optional</small>`}</td>
      <td>${String(kind)}</td>
      <td>${about.description ?? ''}</td>
    </tr>`;
  });
  const example = exampleOf(schema);
  return html`<details>
    <summary>${title}</summary>
    <table>
      ${fields}
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

/** Served as /docs/style.css, so that the page needs no inline style. */
export const docsStyle = `
:root { color-scheme: light dark; --line: #8884; --dim: light-dark(#555, #aaa); --mark: light-dark(#0b5fff, #7fb0ff); --soft: light-dark(#f5f6f8, #1d2026); }
* { box-sizing: border-box; }
body { margin: 0; font: 15px/1.5 system-ui, sans-serif; display: grid; grid-template-columns: 20rem minmax(0, 1fr); }
nav { position: sticky; top: 0; height: 100vh; overflow: auto; padding: 1.5rem 1rem; border-right: 1px solid var(--line); background: var(--soft); }
nav h2 { font-size: .75rem; text-transform: uppercase; letter-spacing: .06em; color: var(--dim); margin: 1.25rem 0 .25rem; }
nav a { display: block; padding: .15rem .25rem; color: inherit; text-decoration: none; font-size: .875rem; }
nav a:hover { color: var(--mark); }
nav .brand { font-weight: 700; font-size: 1.25rem; }
main { padding: 2rem 3rem; max-width: 60rem; }
article { border-top: 1px solid var(--line); padding: 1rem 0; scroll-margin-top: 1rem; }
article:target h3 { color: var(--mark); }
article > p > span { display: inline-block; border: 1px solid var(--line); border-radius: 1rem; padding: 0 .6rem; margin-right: .3rem; font-size: .8rem; }
h3 { margin: 0 0 .25rem; }
a { color: var(--mark); }
code, pre { font: .85em/1.5 ui-monospace, monospace; }
pre { background: var(--soft); padding: .75rem 1rem; border-radius: .5rem; overflow: auto; }
details { margin: .35rem 0; }
summary { cursor: pointer; color: var(--dim); }
table { border-collapse: collapse; width: 100%; font-size: .875rem; }
td { border-bottom: 1px solid var(--line); padding: .3rem .5rem .3rem 0; vertical-align: top; }
b.GET, b.POST, b.PUT, b.PATCH, b.DELETE, b.status { font: 600 .7rem/1.5 ui-monospace, monospace; padding: .05rem .35rem; margin-right: .4rem; border-radius: .25rem; color: #fff; background: #2a7f4f; }
b.POST { background: #0b5fff; } b.PATCH, b.PUT { background: #9a5b00; } b.DELETE, b.status { background: #b3261e; }
@media (max-width: 50rem) { body { display: block; } nav { position: static; height: auto; } main { padding: 1rem; } }
`;
