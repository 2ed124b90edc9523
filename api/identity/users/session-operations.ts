/** One's own sessions: where one is logged in, and ending that. */
import { z } from 'zod';
import { sessionsOf } from '../../../db/queries/identity/sessions/sessions.ts';
import { SessionId } from '../../../domain/ids.ts';
import { endOwnOtherSessions, endOwnSession } from '../../../services/identity/sessions/endings.ts';
import { forUsers } from '../../declaration/operation.ts';
import { viewOf } from '../../wire/rows.ts';
import { MessageResponse } from '../../wire/shapes.ts';
import * as wire from './contact-schemas.ts';

const sessionView = viewOf(wire.Session);

export const listSessions = forUsers({
  id: 'listSessions',
  area: 'Identity',
  title: 'List own sessions',
  description: 'The sessions of the caller that can still be used, newest first.',
  method: 'GET',
  path: '/v1/users/me/sessions',
  effect: 'read',
  beyond: true,
  query: wire.sessionPages.query({}),
  status: 200,
  answer: wire.SessionList,
  refuses: [],
  async handle({ caller, query, db }) {
    const { id: userId, sessionId: current } = caller;
    return wire.sessionPages.page(
      query,
      (before, most) => sessionsOf.all(db, { userId, current, before, most }),
      (session) => sessionView({ ...session, current: session.id === current }),
    );
  },
});

export const endSession = forUsers({
  id: 'endSession',
  area: 'Identity',
  title: 'End one of one’s own sessions',
  description:
    'Ends one session, which may be that of the call. Its tokens stop working at once, and the next login from its device counts as one from a new device.',
  method: 'DELETE',
  path: '/v1/users/me/sessions/{id}',
  effect: 'transaction',
  beyond: true,
  params: z.strictObject({ id: SessionId }),
  status: 204,
  answer: null,
  refuses: [],
  async handle(request, services) {
    await endOwnSession(request, services, request.params.id);
    return null;
  },
});

export const endAllOtherSessions = forUsers({
  id: 'endOtherSessions',
  area: 'Identity',
  title: 'End all other sessions',
  description: 'Ends all sessions of the caller but that of the call.',
  method: 'DELETE',
  path: '/v1/users/me/sessions',
  effect: 'transaction',
  beyond: true,
  status: 200,
  answer: MessageResponse,
  refuses: [],
  async handle(request, services) {
    const ended = await endOwnOtherSessions(request, services);
    return { message: `Ended: ${String(ended)}.` };
  },
});

/** In the order of the documentation. */
export const operations = [listSessions, endSession, endAllOtherSessions];
