/** Keeps the processes of a stack at the code of now, whatever was saved in between. */
import type { Child } from '../../tools/devstack/process/child.ts';
import type { Sources } from './sources.ts';

export interface TestStack {
  /** The environment of the service and where to find it; starts what does not run, and restarts what runs older code. */
  ready(): Promise<NodeJS.ProcessEnv>;
  /** Which processes of the service have ended although nobody stopped them. */
  ended(): readonly string[];
  /** What kept the stack from coming up the last time; undefined if it did come up. */
  failure(): string | undefined;
}

/** What a stack is brought up with, step by step. */
export interface Steps {
  sources(): Sources;
  /** PostgreSQL, Temporal, object store and inbox: started once, and kept with their data. */
  startParts(): Promise<NodeJS.ProcessEnv>;
  prepareSchema(env: NodeJS.ProcessEnv): Promise<void>;
  bundle(env: NodeJS.ProcessEnv): Promise<void>;
  startService(env: NodeJS.ProcessEnv): Promise<readonly Pick<Child, 'name' | 'hasEnded' | 'stop'>[]>;
  say(line: string): void;
}

/** Each step that has succeeded is kept: after a syntax error the next call begins with the step that failed. */
export function keepUpToDate(steps: Steps): TestStack {
  let parts: NodeJS.ProcessEnv | undefined;
  let schema: number | undefined;
  let service: Awaited<ReturnType<Steps['startService']>> = [];
  let running: number | undefined;
  let last: Promise<unknown> = Promise.resolve();
  let failure: string | undefined;
  const ended = new Set<string>();

  const noteEnded = (): readonly string[] => {
    for (const child of service) if (child.hasEnded()) ended.add(child.name);
    return [...ended];
  };

  async function bringUp(): Promise<NodeJS.ProcessEnv> {
    const { newest, newestMigration } = steps.sources();
    if (parts !== undefined && running === newest && service.every((child) => !child.hasEnded()))
      return parts;
    const begun = performance.now();
    const before = running;
    noteEnded();
    parts ??= await steps.startParts();
    await Promise.all(service.map((child) => child.stop()));
    [service, running] = [[], undefined];
    const bundled = steps.bundle(parts);
    // both are waited for, so that neither goes on beside the next try
    const [prepared] = await Promise.allSettled([
      schema === newestMigration ? undefined : steps.prepareSchema(parts),
      bundled,
    ]);
    if (prepared.status === 'rejected') throw prepared.reason;
    await bundled;
    schema = newestMigration;
    service = await steps.startService(parts);
    running = newest;
    const seconds = ((performance.now() - begun) / 1000).toFixed(1);
    steps.say(
      before === undefined
        ? `The service under test is up after ${seconds} s.`
        : `The code has changed: API and worker are up again after ${seconds} s.`,
    );
    return parts;
  }

  return {
    ready() {
      const next = last.then(bringUp);
      last = next.then(
        () => (failure = undefined),
        (error: unknown) => (failure = error instanceof Error ? error.message : String(error)),
      );
      return next;
    },
    ended: noteEnded,
    failure: () => failure,
  };
}
