/** The page on which operators sign in to read process histories in the Temporal Web UI, with links to the lists they look at. */
import { readFileSync } from 'node:fs';
import type { Config } from '../../config.ts';
import { html } from '../derived/html.ts';
import { processesUrl, type WebUi } from '../../services/platform/web-ui.ts';
import type { Step } from '../pipeline/http/state.ts';

const PATH = '/operators/sign-in';
const SCRIPT = readFileSync(new URL('./sign-in.js', import.meta.url), 'utf8');
/** Its own script and style, calls to this service, and nothing else; no other page may frame it. */
const POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; form-action 'none'; frame-ancestors 'none'; base-uri 'none'";

/** The lists behind the links: what waits for somebody. */
const LISTS: readonly (readonly [title: string, filter: Readonly<Record<string, string>>])[] = [
  ['Transfers that wait for an approval', { TellerProcess: 'transfer', TellerStatus: 'pending_approval' }],
  ['Transfers that are held by a flag', { TellerProcess: 'transfer', TellerStatus: 'aml_review' }],
  ['Payments that wait for the rail', { TellerProcess: 'transfer', TellerStatus: 'submitted' }],
  ['Open tickets', { TellerProcess: 'ticket', ExecutionStatus: 'Running' }],
  ['Account requests', { TellerProcess: 'account-request', ExecutionStatus: 'Running' }],
  ['Changes that wait for a second administrator', { TellerProcess: 'change', ExecutionStatus: 'Running' }],
  ['Processes that have failed', { ExecutionStatus: 'Failed' }],
];

/** Serves the page and its script. */
export function signInPage(config: Config): Step {
  const page = pageOf(config);
  return async (ctx, next) => {
    const isRead = ctx.method === 'GET' || ctx.method === 'HEAD';
    if (!isRead || (ctx.path !== PATH && ctx.path !== `${PATH}.js`)) {
      await next();
      return;
    }
    ctx.set('Content-Security-Policy', POLICY);
    ctx.type = ctx.path === PATH ? 'text/html' : 'text/javascript';
    ctx.body = ctx.path === PATH ? page : SCRIPT;
  };
}

function pageOf(webUi: WebUi): string {
  return `<!doctype html>${
    html`<html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <title>Teller: read processes</title>
        <link rel="stylesheet" href="../docs/style.css" />
        <script type="module" src="sign-in.js"></script>
      </head>
      <body>
        <nav>
          <a class="brand" href="../docs">Teller</a>
          <h2>In the Temporal Web UI</h2>
          ${LISTS.map(([title, filter]) => html`<a href="${processesUrl(webUi, filter)}">${title}</a>`)}
        </nav>
        <main>
          <h1>Read processes</h1>
          <p>
            Administrators with the permission <code>processes:read</code> sign in here. The Temporal Web UI
            then shows in plain text what processes carry, in this browser only and until it was not used for
            a while. Each look is written to the audit log.
          </p>
          <p id="problem" role="alert"></p>
          <form id="login" method="post">
            <p>
              <label>Email address<br /><input name="identifier" autocomplete="username" required /></label>
            </p>
            <p>
              <label
                >Password<br /><input
                  type="password"
                  name="password"
                  autocomplete="current-password"
                  required
              /></label>
            </p>
            <button>Sign in</button>
          </form>
          <form id="factor" method="post" hidden>
            <p>
              <label
                >Code<br /><input name="code" autocomplete="one-time-code" inputmode="numeric" required
              /></label>
            </p>
            <button>Confirm</button>
          </form>
          <section id="done" hidden>
            <p>
              You are signed in. <a href="${processesUrl(webUi, {})}">Open the Temporal Web UI</a>, or one of
              the lists on this page.
            </p>
          </section>
          <p><button id="stop" type="button">Sign out of this browser</button></p>
        </main>
      </body>
    </html>`.text
  }`;
}
