/** Somebody who follows their feed. */
import { z } from 'zod';
import { stack } from '../stack/stack.ts';
import { until } from '../stack/processes.ts';
import type { Person } from './bank.ts';

const Data = z.record(z.string(), z.unknown());

export interface StreamedEvent {
  readonly id: string;
  readonly event: string;
  readonly data: Record<string, unknown>;
}

export interface Listener {
  readonly status: number;
  readonly headers: Headers;
  /** All that came so far. */
  readonly events: readonly StreamedEvent[];
  /** The text as it came. */
  readonly text: () => string;
  /** Waits until something like this has come. */
  heard(isIt: (event: StreamedEvent) => boolean): Promise<StreamedEvent>;
  /** Whether the server has ended it. */
  isOver(): boolean;
  leave(): void;
}

/** Opens a stream. `lastEventId` as a browser names it when it comes back. */
export async function follow(
  person: Pick<Person, 'token'>,
  { lastEventId, base = stack.api }: { readonly lastEventId?: string; readonly base?: string } = {},
): Promise<Listener> {
  const leaving = new AbortController();
  const answer = await fetch(`${base}/v1/notifications/stream`, {
    headers: {
      ...{ Accept: 'text/event-stream', Authorization: `Bearer ${person.token}` },
      ...(lastEventId === undefined ? {} : { 'Last-Event-ID': lastEventId }),
    },
    signal: leaving.signal,
  });
  let [text, over] = ['', false];
  const events: StreamedEvent[] = [];
  const read = async (): Promise<void> => {
    const decoder = new TextDecoder();
    let rest = '';
    for await (const part of answer.body ?? []) {
      const piece = decoder.decode(z.instanceof(Uint8Array).parse(part), { stream: true });
      [text, rest] = [text + piece, rest + piece];
      const blocks = rest.split('\n\n');
      rest = blocks.pop() ?? '';
      for (const block of blocks) {
        const [, id = ''] = /^id: (.*)$/m.exec(block) ?? [];
        const [, event = ''] = /^event: (.*)$/m.exec(block) ?? [];
        const [, data] = /^data: (.*)$/m.exec(block) ?? [];
        if (data !== undefined) events.push({ id, event, data: Data.parse(JSON.parse(data)) });
      }
    }
  };
  const reading = read()
    .catch(() => undefined)
    .finally(() => (over = true));
  return {
    status: answer.status,
    headers: answer.headers,
    events,
    text: () => text,
    heard: async (isIt) => {
      let found: StreamedEvent | undefined;
      await until(() => Promise.resolve((found = events.find(isIt)) !== undefined));
      if (found === undefined) throw new Error('nothing was heard');
      return found;
    },
    isOver: () => over,
    leave: () => {
      leaving.abort();
      void reading;
    },
  };
}
