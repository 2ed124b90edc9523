/** The bundle of the benchmark's worker: the service's processes, and the least that an Update-with-Start can be. */
import { allHandlersFinished, condition, defineUpdate, setHandler } from '@temporalio/workflow';

export * from '../../workflows/index.ts';

export const answered = defineUpdate<{ ok: true }>('answered');

/** Answers one update and ends: the floor under every process that is started and waited for. */
export async function bare(): Promise<void> {
  let done = false;
  setHandler(answered, () => {
    done = true;
    return { ok: true } as const;
  });
  await condition(() => done);
  await condition(allHandlersFinished);
}
