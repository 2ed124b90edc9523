/** How the process is started and found. */
import type { ProcessOf } from '../process-of.ts';

export const announcementProcess: ProcessOf<'announcement'> = {
  name: 'announcement',
  type: 'announcement',
  workflowId: (id) => `announcement/${id}`,
  idOf: (order) => order.id,
  customerOf: () => null,
  summary: (order) => `Announcement ${order.id}`,
};
