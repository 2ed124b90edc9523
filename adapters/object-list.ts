/**
 * The keys of objects in the store. The `minio` client asks for keys in URL encoding and decodes them whether or not the store has
 * encoded them: one object named `50%.xml` would make its whole listing fail, and `a+b` would come as `a b`.
 * https://docs.aws.amazon.com/AmazonS3/latest/API/API_ListObjectsV2.html
 */
import { ParseOption, XmlDocument } from 'libxml2-wasm';
import { partFailures } from './metrics.ts';
import { Refusal } from '../domain/refusals.ts';

const NAMESPACE = { s3: 'http://s3.amazonaws.com/doc/2006-03-01/' };
/** S3 answers no more at once. */
const PAGE = 1_000;
const ANSWER_MILLISECONDS = 5_000;

/**
 * Keys that begin with the prefix, in their order, at most `limit`. `sign` makes the address that permits to ask the bucket with
 * these parameters. Throws the refusal `unavailable` where the store does not answer.
 */
export async function listKeys(
  sign: (parameters: Readonly<Record<string, string>>) => URL,
  prefix: string,
  limit: number,
): Promise<string[]> {
  const keys: string[] = [];
  for (;;) {
    const wanted = Math.min(limit - keys.length, PAGE);
    const last = keys.at(-1);
    const page = await ask(
      sign({
        'list-type': '2',
        prefix,
        'max-keys': String(wanted),
        ...(last === undefined ? {} : { 'start-after': last }),
      }),
    );
    keys.push(...page);
    if (page.length < wanted || keys.length >= limit) return keys;
  }
}

async function ask(address: URL): Promise<string[]> {
  const away = (): never => {
    partFailures.inc({ part: 'storage' });
    throw new Refusal('unavailable', { retryAfter: 2 });
  };
  const answer = await fetch(address, { signal: AbortSignal.timeout(ANSWER_MILLISECONDS) }).catch(away);
  if (answer.status >= 500) return away();
  if (!answer.ok) throw new Error(`the store refuses to list its objects: ${answer.status}`);
  const document = XmlDocument.fromBuffer(Buffer.from(await answer.arrayBuffer().catch(away)), {
    option: ParseOption.XML_PARSE_NO_XXE,
  });
  try {
    return document.root.find('s3:Contents/s3:Key', NAMESPACE).map(({ content }) => content);
  } finally {
    document.dispose();
  }
}
