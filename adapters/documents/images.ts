/** Images: whether they can be decoded, and copies of them that tell nothing but what they show. */
import sharp from 'sharp';
import { MIN_IMAGE_SIDE, type DocumentFault } from '../../domain/uploads.ts';

/** As sharp names them. */
const FORMATS: Readonly<Record<string, string>> = {
  'image/jpeg': 'jpeg',
  'image/png': 'png',
  'image/webp': 'webp',
};

/**
 * A file of a few kilobytes can claim any size. `error`, because photos of some telephones have harmless faults, at which `warning` would
 * refuse them. Of an animation only the first picture is read.
 */
const LIMITS = { limitInputPixels: 100_000_000, failOn: 'error', pages: 1 } as const;

const LONGEST_SIDE = 3_000;
const QUALITY = 88;

// nothing else is ever decoded, whatever the bytes say they are
sharp.block({ operation: ['VipsForeignLoad'] });
sharp.unblock({ operation: ['VipsForeignLoadJpeg', 'VipsForeignLoadPng', 'VipsForeignLoadWebp'] });

/** Decodes the whole image. */
export async function examineImage(content: Buffer, type: string): Promise<DocumentFault | undefined> {
  try {
    const { format, width, height } = await sharp(content, LIMITS).metadata();
    if (format !== FORMATS[type]) return 'not_readable';
    if (Math.min(width, height) < MIN_IMAGE_SIDE) return 'too_small';
    // one pixel that is made of all of them
    await sharp(content, LIMITS).resize(1, 1, { fit: 'fill' }).raw().toBuffer();
    return undefined;
  } catch {
    return 'not_readable';
  }
}

/** A JPEG without any metadata, upright, on white where the original is transparent. Undefined if it cannot be decoded. */
export function viewingImage(content: Buffer): Promise<Buffer | undefined> {
  return sharp(content, LIMITS)
    .autoOrient()
    .resize({ width: LONGEST_SIDE, height: LONGEST_SIDE, fit: 'inside', withoutEnlargement: true })
    .flatten({ background: 'white' })
    .jpeg({ quality: QUALITY })
    .toBuffer()
    .catch(() => undefined);
}
