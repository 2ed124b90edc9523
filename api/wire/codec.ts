/** Codecs: values that handlers see otherwise than clients do. */
import { z } from 'zod';

/**
 * A codec of zod that the documentation shows as it is on the wire, in requests and in answers. zod itself would show what handlers see
 * in an answer, because it takes answers for something that is decoded.
 */
const WireCodec = z.core.$constructor<z.ZodCodec>('WireCodec', (codec, def) => {
  z.ZodCodec.init(codec, def);
  codec._zod.processJSONSchema = (context, _json, params) => {
    z.core.processSchema(def.in, context, params);
    const drawn = context.seen.get(codec);
    if (drawn !== undefined) drawn.ref = def.in;
  };
});

/** Declares what a value is on the wire, what it is in code, and the way between the two. Use it in place of `z.codec`. */
export function codec<Wire extends z.ZodType, Code extends z.ZodType>(
  wire: Wire,
  code: Code,
  between: Parameters<typeof z.codec<Wire, Code>>[2],
): z.ZodCodec<Wire, Code> {
  const { def } = z.codec(wire, code, between);
  // what zod made for these two types; only its drawing is another
  return Reflect.construct(WireCodec, [def]) as z.ZodCodec<Wire, Code>;
}
