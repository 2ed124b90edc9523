/** The calls with which a receiver asks for missed webhooks. */
import { z } from 'zod';
import { notFound } from '../api/refused.ts';
import { read, type Route } from '../api/route.ts';
import type { World } from '../state/world.ts';
import type { Delivery } from './delivery.ts';

/** Id of the sandbox's only webhook; the console of Fireblocks shows such an id. */
export const WEBHOOK_ID = '7e11e500-7072-4000-8000-000000000001';

const ByResource = z.looseObject({ resourceId: z.string() });

export function resendCalls(world: World, delivery: Delivery | undefined): readonly Route[] {
  function resend(webhook: string | undefined, ids: readonly string[]): { readonly status: number } {
    if (webhook !== WEBHOOK_ID || delivery === undefined) throw notFound('The webhook was not found');
    if (ids.length === 0) throw notFound('There is no such notification');
    delivery.resend(ids);
    return { status: 202 };
  }
  return [
    {
      ...{ call: 'resend', method: 'POST', path: '/webhooks/{}/notifications/resend_by_resource' },
      handle({ params: [webhook], body }) {
        const { resourceId } = read(ByResource, body);
        const found = [...world.notifications.values()].filter((one) => one.resourceId === resourceId);
        return resend(
          webhook,
          found.map(({ id }) => id),
        );
      },
    },
    {
      ...{ call: 'resend', method: 'POST', path: '/webhooks/{}/notifications/{}/resend' },
      handle: ({ params: [webhook, id = ''] }) =>
        resend(webhook, world.notifications.get(id) === undefined ? [] : [id]),
    },
  ];
}
