/** What is told to many people: how far it has come, and how it is stopped. */
import { z } from 'zod';
import {
  announcementById,
  pageOfAnnouncements,
  type AnnouncementRow,
} from '../../../db/queries/notifications/announcements.ts';
import { AnnouncementId } from '../../../domain/ids.ts';
import { found } from '../../../domain/refusals.ts';
import { stopAnnouncement } from '../../../services/notifications/announcements.ts';
import { forAdmins } from '../../declaration/operation.ts';
import { keysetById } from '../../wire/cursor.ts';
import * as wire from './schemas.ts';

const area = 'Admin notifications';
const byId = keysetById('announcements', AnnouncementId);
const params = z.strictObject({ id: AnnouncementId });

function view({ id, typeCode, status, told, createdBy, createdAt, finishedAt }: AnnouncementRow) {
  return {
    ...{ id, type: typeCode, status, told },
    ...{ created_by: createdBy, created_at: createdAt, finished_at: finishedAt },
  };
}

export const listAnnouncements = forAdmins({
  id: 'listAnnouncements',
  area,
  title: 'List announcements',
  description: 'What was sent to many people by type, newest first.',
  method: 'GET',
  path: '/v1/admin/announcements',
  effect: 'read',
  permission: 'notifications:read',
  query: byId.query({}),
  status: 200,
  answer: wire.AnnouncementList,
  refuses: [],
  beyond: true,
  handle: ({ db, query }) =>
    byId.page(query, (before, most) => pageOfAnnouncements.all(db, { before, most }), view),
});

export const getAnnouncement = forAdmins({
  id: 'getAnnouncement',
  area,
  title: 'Get announcement',
  description: 'One announcement, and how many people were told so far.',
  method: 'GET',
  path: '/v1/admin/announcements/{id}',
  effect: 'read',
  permission: 'notifications:read',
  params,
  status: 200,
  answer: wire.Announcement,
  refuses: [],
  beyond: true,
  handle: async ({ db, params: { id } }) => view(found(await announcementById.first(db, { id }))),
});

export const stopAnnouncementOperation = forAdmins({
  id: 'stopAnnouncement',
  area,
  title: 'Stop announcement',
  description: 'Nobody else is told, and what still waits is not sent. What was sent stays sent.',
  method: 'POST',
  idempotency: 'accepted',
  path: '/v1/admin/announcements/{id}/stop',
  effect: 'transaction',
  process: 'announcement',
  permission: 'notifications:send',
  params,
  status: 200,
  answer: wire.Announcement,
  refuses: ['already_decided'],
  beyond: true,
  handle: async (request, services) => view(await stopAnnouncement(request, services, request.params.id)),
});

/** In the order of the documentation. */
export const operations = [listAnnouncements, getAnnouncement, stopAnnouncementOperation];
