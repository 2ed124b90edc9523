/** Calls of the control API of a sandbox custodian. */
import { z } from 'zod';

export interface CustodianControl {
  control(
    method: string,
    path: string,
    body?: unknown,
  ): Promise<{ readonly status: number; readonly body: unknown }>;
  /** A call that must work; returns the body of the answer. */
  told(method: string, path: string, body?: unknown): Promise<unknown>;
}

/** `base` is the address of its control. */
export function controlAt(base: string): CustodianControl {
  const control: CustodianControl['control'] = async (method, path, body) => {
    const more =
      body === undefined
        ? {}
        : { body: JSON.stringify(body), headers: { 'Content-Type': 'application/json' } };
    const answer = await fetch(`${base}${path}`, { method, ...more });
    return { status: answer.status, body: await answer.json() };
  };
  return {
    control,
    async told(method, path, body) {
      const { status, body: answer } = await control(method, path, body);
      if (status !== 200)
        throw new Error(`${method} ${path} answered ${String(status)}: ${JSON.stringify(answer)}`);
      return answer;
    },
  };
}

/** What `POST /webhooks/sign` answers. */
export const SignedBody = z.object({
  body_base64: z.base64(),
  headers: z.record(z.string(), z.string()),
});

/** What `GET /vaults` answers: what the custodian really has. */
export const Vaults = z.object({
  items: z.array(
    z.object({
      ...{ id: z.string(), name: z.string(), customer_ref_id: z.string().nullable(), hidden: z.boolean() },
      assets: z.array(
        z.object({
          ...{ asset: z.string(), total: z.string() },
          addresses: z.array(z.object({ address: z.string(), tag: z.string() })),
        }),
      ),
    }),
  ),
});
