/** How the official SDK answers and fails. */
import { z } from 'zod';

/** The body of an answer of the SDK. */
export const dataOf = async <Data>(call: Promise<{ readonly data: Data }>): Promise<Data> =>
  (await call).data;

/** What the SDK throws: it is not an Error, and has a response only if one came. */
const Failure = z.looseObject({
  message: z.string(),
  response: z
    .looseObject({
      statusCode: z.number(),
      data: z.looseObject({ message: z.string(), code: z.number().optional() }).or(z.string()),
      headers: z.looseObject({}),
    })
    .optional(),
});
/** Status, code and headers of a call that must fail. */
export async function failureOf(call: Promise<unknown>) {
  const error: unknown = await call.then(
    () => undefined,
    (failure: unknown) => failure,
  );
  const { message, response } = Failure.parse(error);
  const code = typeof response?.data === 'object' ? response.data.code : undefined;
  return { message, status: response?.statusCode, code, headers: response?.headers ?? {} };
}
