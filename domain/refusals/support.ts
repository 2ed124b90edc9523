/** Tickets and uploads. */
import { MAX_DOCUMENT_PAGES, MIN_IMAGE_SIDE } from '../uploads.ts';
import type { Entry } from './entry.ts';

export const supportRefusals = {
  ticket_closed: {
    status: 409,
    title: 'Ticket closed',
    cause: 'The ticket is closed.',
    cure: 'Open a new ticket.',
  },
  ticket_full: {
    status: 409,
    title: 'Ticket full',
    cause: 'The ticket carries as many messages as it may.',
    cure: 'Open a new ticket and name this one in it.',
  },
  not_own_message: {
    status: 409,
    title: 'Message of the other side',
    cause: 'Files go on messages of one’s own side of the conversation.',
    cure: 'Add a message and put the file on that.',
  },
  too_many_attachments: {
    status: 409,
    title: 'Too many attachments',
    cause: 'The message, flag or dispute carries as many files as it may, those still expected included.',
    cure: 'Put the pages into one file, or add another message.',
  },
  upload_missing: {
    status: 409,
    title: 'Nothing uploaded',
    cause: 'The store has no object for this upload.',
    cure: 'PUT the file to the upload URL, then confirm.',
  },
  upload_rejected: {
    status: 409,
    title: 'Upload rejected',
    cause: `The file is over the size cap or is not what was declared; it was not kept. \`reason\` tells what is wrong with an identity document: not_readable; too_small, if the shorter side of an image has less than ${MIN_IMAGE_SIDE} pixels; encrypted; has_scripts; has_attachments; too_many_pages, if a PDF has more than ${MAX_DOCUMENT_PAGES}.`,
    cure: 'Send an allowed file, through a new upload URL where it came through one. Instead of a PDF with one of these faults send a photo or a plain scan.',
  },
  upload_expired: {
    status: 409,
    title: 'Upload expired',
    cause: 'The upload was not confirmed in time.',
    cure: 'Ask for a new upload URL.',
  },
  unsupported_file_type: {
    status: 400,
    title: 'Unsupported file type',
    cause: 'Files of this content type are not accepted.',
    cure: 'Send one of the types the operation documents.',
  },
} as const satisfies Record<string, Entry>;
