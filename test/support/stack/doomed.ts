/**
 * A part of the service that is cut off where a test says, to be killed there: DOOMED is its script, such as `api/main.ts`. A request is
 * cut off at the await of the database that its header `X-Cut-Off: <await> <name>` says; a step of a process at the one that CUT_OFF
 * says, a JSON object of process id to await. A line of the output says which is: `stands <name>`, or the process id. A request that
 * has fewer awaits is answered, and if it succeeds, a line says how many it had: `answered <name> after <awaits>`.
 */
import { asyncLocalStorage } from '@temporalio/activity';
import { AsyncLocalStorage } from 'node:async_hooks';
import { IncomingMessage, Server, ServerResponse } from 'node:http';
import { join } from 'node:path';
import { z } from 'zod';
import { ROOT } from '../../../dev/service/process.ts';
import { cutOffAtDatabase, type Cut } from './cut-off.ts';

type Named = Cut & { readonly name: string };

const requests = new AsyncLocalStorage<Named>();
const awaits = z.record(z.string(), z.int()).parse(JSON.parse(process.env['CUT_OFF'] ?? '{}'));
const steps = new Map(
  Object.entries(awaits).map(([id, at]): [string, Named] => [id, { name: id, at, waited: 0 }]),
);

/** The cut of the step that runs here. Once it was cut off, whatever Temporal tries again for it ends too. */
const cutOfStep = (): Named | undefined =>
  steps.get(asyncLocalStorage.getStore()?.info.workflowExecution?.workflowId ?? '');
const current = (): Named | undefined => requests.getStore() ?? cutOfStep();

cutOffAtDatabase(current, () => {
  process.stdout.write(`stands ${current()?.name ?? ''}\n`);
});

Server.prototype.emit = new Proxy(Server.prototype.emit, {
  apply(emit, server: Server, call: [string, ...unknown[]]) {
    const go = () => Reflect.apply(emit, server, call) as unknown;
    const [event, request, response] = call;
    if (event !== 'request' || !(request instanceof IncomingMessage)) return go();
    const [, at, name] = /^(\d+) (.+)$/.exec(String(request.headers['x-cut-off'])) ?? [];
    if (name === undefined) return go();
    const cut: Named = { name, at: Number(at), waited: 0 };
    if (response instanceof ServerResponse)
      response.once('finish', () => {
        if (response.statusCode < 300) process.stdout.write(`answered ${name} after ${String(cut.waited)}\n`);
      });
    return requests.run(cut, go);
  },
});

await import(join(ROOT, process.env['DOOMED'] ?? ''));
