/** The request itself, and its repeats. */
import type { Entry } from './entry.ts';

export const requestRefusals = {
  invalid_request: {
    status: 400,
    title: 'Invalid request',
    cause: 'A field of the path, query, headers or body breaks its rule; `errors` points to each.',
    cure: 'Correct the named fields.',
  },
  malformed_json: {
    status: 400,
    title: 'Malformed JSON',
    cause: 'The body is not a JSON object.',
    cure: 'Send a JSON object in UTF-8.',
  },
  idempotency_key_required: {
    status: 400,
    title: 'Idempotency key required',
    cause: 'This operation moves money and needs the header Idempotency-Key.',
    cure: 'Send a fresh random key of 1 to 255 characters for each intent, and the same key when retrying it.',
  },
  payload_too_large: {
    status: 413,
    title: 'Payload too large',
    cause: 'The body is over the limit of this operation.',
    cure: 'Send less, or upload files through an upload URL.',
  },
  unsupported_media_type: {
    status: 415,
    title: 'Unsupported media type',
    cause: 'The body is not application/json.',
    cure: 'Send Content-Type: application/json.',
  },
  not_acceptable: {
    status: 406,
    title: 'Not acceptable',
    cause: 'The answer is offered in none of the media types that Accept asks for; `offered` lists them.',
    cure: 'Ask for one of the offered media types, or leave Accept out.',
  },
  too_many_requests: {
    status: 429,
    title: 'Too many requests',
    cause: 'The limit of attempts is used up for now.',
    cure: 'Wait as long as Retry-After says.',
  },
  conflict: {
    status: 409,
    title: 'Conflict',
    cause: 'The present state does not allow this.',
    cure: 'Read the resource again and decide anew.',
  },
  change_pending: {
    status: 409,
    title: 'Change pending',
    cause: 'Another change of this resource waits for a second administrator: `change_id`.',
    cure: 'Let that change be decided, or withdraw it.',
  },
  already_decided: {
    status: 409,
    title: 'Already decided',
    cause: 'Somebody else, or time, has decided: `decision`, `decided_by`, `decided_at`.',
    cure: 'Read the resource for its present state.',
  },
  change_stale: {
    status: 409,
    title: 'Change is stale',
    cause: 'The resource has changed since the change was asked for. The change has ended without effect.',
    cure: 'Read the resource and ask for the change again.',
  },
  change_failed: {
    status: 409,
    title: 'Change failed',
    cause:
      'What was asked for is refused by now, for the reason `failure`. The change has ended without effect.',
    cure: 'Ask for another change.',
  },
  idempotency_key_reused: {
    status: 409,
    title: 'Idempotency key reused',
    cause: 'The key was used with another request body.',
    cure: 'Use a fresh key for a new intent.',
  },
  idempotency_in_progress: {
    status: 409,
    title: 'Request in progress',
    cause: 'A request with the same key is still being worked on.',
    cure: 'Repeat it with the same key after Retry-After.',
  },
  etag_mismatch: {
    status: 409,
    title: 'Changed meanwhile',
    cause: 'If-Match does not name the present version.',
    cure: 'Read the resource again, then repeat the change.',
  },
} as const satisfies Record<string, Entry>;
