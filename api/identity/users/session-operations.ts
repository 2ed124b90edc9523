/** One's own sessions: where one is logged in, and ending that. */
import { z } from 'zod';
import {
  endOtherSessions,
  endSessionOf,
  sessionsOf,
  type ListedSession,
} from '../../../db/queries/identity/sessions/sessions.ts';
import { SessionId } from '../../../domain/ids.ts';
import { noteEvent } from '../../../services/identity/events.ts';
import { forUsers } from '../../declaration/operation.ts';
import { MessageResponse, pageQuery } from '../../wire/shapes.ts';
import * as wire from './contact-schemas.ts';

export const listSessions = forUsers({
  id: 'listSessions',
  area: 'Identity',
  title: 'List own sessions',
  description: 'Where the caller is logged in. Those that can still be used, newest first.',
  method: 'GET',
  path: '/v1/users/me/sessions',
  effect: 'read',
  beyond: true,
  query: z.strictObject(pageQuery(wire.sessionPages)),
  status: 200,
  answer: wire.SessionList,
  refuses: [],
  async handle({ caller, query, db }) {
    const { limit, cursor: before = null } = query;
    const { id: userId, sessionId: current } = caller;
    const found = await sessionsOf.all(db, { userId, current, before, most: limit + 1 });
    return wire.sessionPages.page(
      found,
      limit,
      ({ id }) => id,
      (session) => sessionView(session, caller.sessionId),
    );
  },
});

export const endSession = forUsers({
  id: 'endSession',
  area: 'Identity',
  title: 'End one of one’s own sessions',
  description:
    'Ends one session; the present one too. Its tokens stop working at once, and the next login from its device is told as from a new one.',
  method: 'DELETE',
  path: '/v1/users/me/sessions/{id}',
  effect: 'transaction',
  beyond: true,
  params: z.strictObject({ id: SessionId }),
  status: 204,
  answer: null,
  refuses: [],
  async handle({ caller, params, client, requestId, db, refusal }, { sessions }) {
    const session = { id: params.id, userId: caller.id };
    if ((await endSessionOf.run(db, { ...session, reason: 'ended_by_user' })) === 0)
      throw refusal('not_found');
    sessions.forget(params.id);
    await noteEvent(db, { client, requestId }, 'session.ended', caller, { after: { session: params.id } });
    return null;
  },
});

export const endAllOtherSessions = forUsers({
  id: 'endOtherSessions',
  area: 'Identity',
  title: 'End all other sessions',
  description: 'Ends all sessions but the one of the call. All but the session of this call.',
  method: 'DELETE',
  path: '/v1/users/me/sessions',
  effect: 'transaction',
  beyond: true,
  status: 200,
  answer: MessageResponse,
  refuses: [],
  async handle({ caller, client, requestId, db }, { sessions }) {
    const ended = await endOtherSessions(db, caller.id, caller.sessionId, 'ended_by_user');
    ended.forEach((id) => sessions.forget(id));
    for (const session of ended)
      await noteEvent(db, { client, requestId }, 'session.ended', caller, { after: { session } });
    return { message: `Ended: ${String(ended.length)}.` };
  },
});

function sessionView(session: ListedSession, current: SessionId): z.input<typeof wire.Session> {
  return {
    id: session.id,
    device_label: session.deviceLabel,
    user_agent: session.userAgent,
    address: session.address,
    current: session.id === current,
    created_at: session.createdAt.toISOString(),
    last_used_at: session.lastUsedAt.toISOString(),
    expires_at: session.expiresAt.toISOString(),
  };
}

/** In the order of the documentation. */
export const operations = [listSessions, endSession, endAllOtherSessions];
