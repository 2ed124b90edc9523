/** Where operators see processes: addresses in the Temporal Web UI. */
import type { Config } from '../../config.ts';

export type WebUi = Pick<Config, 'TEMPORAL_UI_URL' | 'TEMPORAL_NAMESPACE'>;

/** The page of a process. */
export function processUrl(webUi: WebUi, workflowId: string): string {
  return `${listUrl(webUi)}/${encodeURIComponent(workflowId)}`;
}

/** The list of processes that have these search attributes; of all of them if there are none. */
export function processesUrl(webUi: WebUi, filter: Readonly<Record<string, string>>): string {
  const query = Object.entries(filter).map(([name, value]) => `${name}="${value}"`);
  const asked = query.length === 0 ? '' : `?query=${encodeURIComponent(query.join(' AND '))}`;
  return `${listUrl(webUi)}${asked}`;
}

function listUrl({ TEMPORAL_UI_URL: url, TEMPORAL_NAMESPACE: namespace }: WebUi): string {
  return `${url.replace(/\/$/, '')}/namespaces/${encodeURIComponent(namespace)}/workflows`;
}
