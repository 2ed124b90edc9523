/** Announcements, page by page. */
import { goOnTelling } from '../services/notifications/announcements.ts';
import type { AnnouncementActivities } from '../workflows/announcement/workflow.ts';
import type { ActivityDeps } from './deps.ts';

export function announcementActivities(deps: Pick<ActivityDeps, 'em' | 'cipher'>): AnnouncementActivities {
  return { goOnTelling: (id) => goOnTelling(deps, id) };
}
