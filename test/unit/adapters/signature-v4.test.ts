/** Signature Version 4 against the examples that AWS publishes. */
import { expect, test } from '@jest/globals';
import { derivedKey, presignedUrl, signatureOf, type SigningKey } from '../../../adapters/signature-v4.ts';

/** https://docs.aws.amazon.com/AmazonS3/latest/API/sig-v4-header-based-auth.html, examples */
const key: SigningKey = {
  accessKey: 'AKIAIOSFODNN7EXAMPLE',
  secretKey: 'wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY',
  region: 'us-east-1',
  service: 's3',
};
const at = new Date('2013-05-24T00:00:00Z');
const EMPTY = 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855';
const BUCKET = 'https://examplebucket.s3.amazonaws.com';

test('a presigned GET is that of the published example', () => {
  const url = presignedUrl(
    { method: 'GET', url: new URL(`${BUCKET}/test.txt`), headers: {}, at, expiresInSeconds: 86_400 },
    key,
  );
  expect(url.searchParams.get('X-Amz-Signature')).toBe(
    'aeeed9bbccd4d02ee5c0109b86d86835f995330da4c265957d157751f604d404',
  );
});

test.each([
  [
    'an object by range',
    'GET',
    '/test.txt',
    { range: 'bytes=0-9' },
    EMPTY,
    'f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41',
  ],
  [
    'an upload whose name needs encoding',
    'PUT',
    '/test$file.text',
    { date: 'Fri, 24 May 2013 00:00:00 GMT', 'x-amz-storage-class': 'REDUCED_REDUNDANCY' },
    '44ce7dd67c959e0d3524ffac1771dfbba87d2b6b4b4e99e42034a8b803f8b072',
    '98ad721746da40c64f1a55b78f14c238d841ea1380cd77a1b5971af0ece108bd',
  ],
  [
    'a parameter without a value',
    'GET',
    '/?lifecycle',
    {},
    EMPTY,
    'fea454ca298b7da1c68078a5d1bdbfbbe0d65c699e0f91ac7a200a0136783543',
  ],
  [
    'parameters in the order of their names',
    'GET',
    '/?prefix=J&max-keys=2',
    {},
    EMPTY,
    '34b48302e7b5fa45bde8084f4b7868a86f0a534bc59db6670ed5711ef69dc6f7',
  ],
])('the published example of %s', (_what, method, path, more, payloadHash, signature) => {
  const headers = {
    'X-Amz-Content-Sha256': payloadHash,
    'X-Amz-Date': '20130524T000000Z',
    ...more,
  };
  const request = { method, url: new URL(`${BUCKET}${path}`), headers, payloadHash, at };
  expect(signatureOf(request, key)).toBe(signature);
});

/** https://docs.aws.amazon.com/IAM/latest/UserGuide/signing-elements.html, the example that older editions print */
test('the derived key is that of the published example', () => {
  const iam = {
    ...key,
    secretKey: 'wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY',
    service: 'iam',
  };
  expect(derivedKey(new Date('2015-08-30T12:36:00Z'), iam).toString('hex')).toBe(
    'c4afb1cc5771d871763a393e44b703571b55cc28424d1a5e86da6ed3c154a4b9',
  );
});
