/** Where administrators see the process behind something. */
import { z } from 'zod';
import { processUrl, type WebUi } from '../../services/platform/web-ui.ts';
import { named } from './naming.ts';

const EXAMPLE_ID = 'ticket/0192f0c1-3b1e-7c4e-9d5a-6f0a4c1b2d3e';

export const ProcessLink = named(
  'ProcessLink',
  z.strictObject({
    workflow_id: z.string().describe('In Temporal, in the log of the workers and for `npm run trace`.'),
    url: z.url().describe('Its page in the Temporal Web UI.'),
  }),
  {
    workflow_id: EXAMPLE_ID,
    url: `http://127.0.0.1:8233/namespaces/default/workflows/${encodeURIComponent(EXAMPLE_ID)}`,
  },
);

export function processLink(workflowId: string, webUi: WebUi): z.output<typeof ProcessLink> {
  return { workflow_id: workflowId, url: processUrl(webUi, workflowId) };
}
