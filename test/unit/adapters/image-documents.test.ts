/** What is wrong with an image that is to prove who somebody is, and what people see of it. */
import { describe, expect, test } from '@jest/globals';
import sharp, { type Sharp } from 'sharp';
import { examineImage, viewingImage } from '../../../adapters/documents/images.ts';
import { MIN_IMAGE_SIDE, type ContentType } from '../../../domain/uploads.ts';
import { files } from '../../support/formats/files.ts';

const WIDTH = 900;
const HEIGHT = 700;
type Encoder = (image: Sharp) => Sharp;
const ENCODERS: readonly (readonly [ContentType, Encoder])[] = [
  ['image/jpeg', (image) => image.jpeg()],
  ['image/png', (image) => image.png()],
  ['image/webp', (image) => image.webp({ effort: 0 })],
];

/** Noise, so that what is cut off is missed. */
const image = (width = WIDTH, height = HEIGHT): Sharp =>
  sharp({
    create: {
      width,
      height,
      channels: 3,
      background: 'grey',
      noise: { type: 'gaussian', mean: 128, sigma: 40 },
    },
  });
const viewed = async (content: Buffer): Promise<Buffer> => {
  const copy = await viewingImage(content);
  if (copy === undefined) throw new Error('there is no copy');
  expect((await sharp(copy).metadata()).format).toBe('jpeg');
  return copy;
};

describe.each(ENCODERS)('%s', (type, encode) => {
  test('is accepted if it can be decoded, and has a copy of the same size', async () => {
    const content = await encode(image()).toBuffer();
    expect(await examineImage(content, type)).toBeUndefined();
    expect(await sharp(await viewed(content)).metadata()).toMatchObject({
      width: WIDTH,
      height: HEIGHT,
    });
  });

  test('is not readable under another type, cut off, or when only its first bytes are right', async () => {
    const content = await encode(image()).toBuffer();
    for (const [other] of ENCODERS.filter(([its]) => its !== type))
      expect(await examineImage(content, other)).toBe('not_readable');
    for (const length of [0, 12, 200, content.length / 2, content.length - 2_000])
      expect(await examineImage(content.subarray(0, length), type)).toBe('not_readable');
    const onlyMagic = Buffer.concat([content.subarray(0, 12), Buffer.alloc(50_000, 'x')]);
    expect(await examineImage(onlyMagic, type)).toBe('not_readable');
  });

  test('is too small if its shorter side is, whichever that is', async () => {
    const short = MIN_IMAGE_SIDE - 1;
    for (const [width, height] of [
      [short, 900],
      [900, short],
    ] as const)
      expect(await examineImage(await encode(image(width, height)).toBuffer(), type)).toBe('too_small');
    const enough = await encode(image(MIN_IMAGE_SIDE, MIN_IMAGE_SIDE)).toBuffer();
    expect(await examineImage(enough, type)).toBeUndefined();
  });

  test('keeps metadata to itself: neither place nor camera nor author is in the copy', async () => {
    const content = await encode(
      image()
        .withExif({
          IFD0: { Make: 'Secret Camera', Artist: 'Ada Lovelace' },
          IFD3: { GPSLatitudeRef: 'N', GPSLatitude: '52/1 31/1 12/1' },
        })
        .withXmp('<x:xmpmeta xmlns:x="adobe:ns:meta/"><hidden>Lovelace</hidden></x:xmpmeta>')
        .withIccProfile('p3'),
    ).toBuffer();
    expect(content.includes('Secret Camera')).toBe(true);
    const copy = await viewed(content);
    expect(await examineImage(content, type)).toBeUndefined();
    for (const secret of ['Secret Camera', 'Lovelace', 'Exif', 'xmpmeta', 'ICC_PROFILE'])
      expect(copy.includes(secret)).toBe(false);
    const { exif, xmp, iptc, icc } = await sharp(copy).metadata();
    expect([exif, xmp, iptc, icc]).toEqual([undefined, undefined, undefined, undefined]);
  });

  test('of gigantic size is not decoded, however small the file is', async () => {
    const content = await encode(
      sharp({
        create: { width: 16_000, height: 7_000, channels: 3, background: 'white' },
        limitInputPixels: false,
      }),
    ).toBuffer();
    expect(content.length).toBeLessThan(2_000_000);
    expect(await examineImage(content, type)).toBe('not_readable');
  });
});

test('a photo taken upright is shown upright', async () => {
  const top = {
    input: { create: { width: WIDTH, height: 100, channels: 3, background: 'red' } },
    gravity: 'north',
  } as const;
  const lying = await image().composite([top]).jpeg().withMetadata({ orientation: 6 }).toBuffer();
  const copy = sharp(await viewed(lying));
  expect(await copy.metadata()).toMatchObject({ width: HEIGHT, height: WIDTH });
  expect((await copy.metadata()).orientation).toBeUndefined();
  const right = await copy.extract({ left: HEIGHT - 50, top: 0, width: 40, height: WIDTH }).stats();
  expect(right.dominant).toMatchObject({ r: 248, g: 8, b: 8 });
});

test('a copy is at most 3000 pixels long', async () => {
  const wide = { width: 4_000, height: 1_000, channels: 3, background: 'grey' } as const;
  const content = await sharp({ create: wide }).jpeg().toBuffer();
  expect(await sharp(await viewed(content)).metadata()).toMatchObject({
    width: 3_000,
    height: 750,
  });
});

test('what is transparent is white in the copy', async () => {
  const nothing = { r: 0, g: 0, b: 0, alpha: 0 };
  const content = await sharp({ create: { width: 700, height: 700, channels: 4, background: nothing } })
    .png()
    .toBuffer();
  const { dominant } = await sharp(await viewed(content)).stats();
  expect(dominant).toEqual({ r: 248, g: 248, b: 248 });
});

test('of an animation the first picture counts', async () => {
  const frames = ['red', 'blue'].map((background) =>
    sharp({ create: { width: 700, height: 700, channels: 3, background } })
      .png()
      .toBuffer(),
  );
  const moving = await sharp(await Promise.all(frames), { join: { animated: true } })
    .webp({ loop: 0 })
    .toBuffer();
  expect((await sharp(moving, { animated: true }).metadata()).pages).toBe(2);
  expect(await examineImage(moving, 'image/webp')).toBeUndefined();
  const { dominant } = await sharp(await viewed(moving)).stats();
  expect(dominant).toMatchObject({ r: 248, b: 8 });
});

test('the smallest files with the right first bytes are no documents', async () => {
  expect(await examineImage(files.jpeg, 'image/jpeg')).toBe('not_readable');
  expect(await examineImage(files.webp, 'image/webp')).toBe('not_readable');
  expect(await examineImage(files.png, 'image/png')).toBe('too_small');
  expect(await examineImage(files.exe, 'image/png')).toBe('not_readable');
});

test('a picture that is drawn by instructions is no image', async () => {
  const drawing = Buffer.from('<svg xmlns="http://www.w3.org/2000/svg" width="900" height="900"/>');
  for (const [type] of ENCODERS) expect(await examineImage(drawing, type)).toBe('not_readable');
});
