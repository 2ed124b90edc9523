/** What somebody reads who sees a history without the keys. */
import type { ProcessWorld } from './process-world.ts';

/** A whole history as text, its payloads byte by byte. */
export async function clearTextOf(world: ProcessWorld, workflowId: string): Promise<string> {
  const history = await world.env.client.workflow.getHandle(workflowId).fetchHistory();
  return JSON.stringify(history, (_key, value: unknown) =>
    value instanceof Uint8Array ? Buffer.from(value).toString('latin1') : value,
  );
}
