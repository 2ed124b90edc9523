/** Reads what a change is about, as the GET on the same path answers it. */
import { isRefusal } from '../../domain/refusals.ts';
import type { Operation } from '../declaration/operation.ts';
import type { Context } from '../declaration/request.ts';
import { render } from './answer.ts';
import type { Frame } from './frame.ts';

/** The body, read as the same caller, in the same transaction, without leaving entities behind that the change would then find stale. Throws what the reader refuses. */
export async function readBack(
  reader: Operation,
  params: unknown,
  context: Context,
  frame: Frame,
): Promise<string | null> {
  const reading = reader.prepare({ params, query: {}, body: undefined });
  const db = context.db.fork({ keepTransactionContext: true });
  const outcome = await reading({ ...context, db }, frame.services);
  if (isRefusal(outcome)) throw outcome;
  return render(reader, outcome, frame).body;
}
