/** Changes that wait for a second administrator, as the tour and the demo make them. */
import { z } from 'zod';
import { call, type Client } from './http.ts';

const Answer = z.looseObject({ id: z.string().optional(), requested_by: z.string().optional() });
const Applied = z.looseObject({ status: z.literal('applied') });

/** Changes something as one administrator; another one approves it if it waits. Answers whether it waited. */
export async function changeBetween(
  client: Client,
  [maker, checker]: readonly [maker: string, checker: string],
  method: string,
  path: string,
  body: object,
): Promise<boolean> {
  const answer = await call(client, method, path, Answer, { token: maker, body });
  if (answer.requested_by === undefined) return false;
  const change = `/v1/admin/changes/${answer.id ?? ''}`;
  await call(client, 'POST', `${change}/approve`, Applied, { token: checker, key: true, body: {} });
  return true;
}
