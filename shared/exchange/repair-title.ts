import type { RepairCode } from './repair.ts';

const TITLES: Readonly<Record<RepairCode, string>> = {
  'path-doubled': 'the base address is too long',
  'path-missing-v1': 'the base address lacks /v1',
  'path-prefix': 'the base address has a prefix before /v1',
  'path-case': 'the address has capital letters',
  'path-encoding': 'the address has percent-encoded letters or a parameter',
  'path-slashes': 'the address has an extra slash',
  'path-spaces': 'the address has a space around it',
  'credential-format': 'the key is malformed',
  'credential-place': 'the key is sent in the wrong place',
  'credential-conflict': 'two different keys are sent',
  'service-key-sent': 'the service key itself is sent',
  'version-added': 'the protocol version is missing',
  'version-format': 'the protocol version is not a date',
  'content-type-json': 'the content type is wrong',
  'content-type-multipart': 'the content type is wrong',
  'upload-form': 'an image is uploaded without a form',
  'upload-part': 'a part of an upload has the wrong name',
  'byte-order-mark': 'the JSON begins with a byte order mark',
  'body-decoded': 'requests are compressed',
  'model-alias': 'another model by an alias',
  'model-id': 'the model id is not exact',
  'prompt-to-messages': 'an outdated request format is used',
  'seconds-to-string': 'seconds are sent as a number',
  'video-form-to-json': 'videos are ordered with a form',
  'video-id-added': 'the service has its own field for task ids',
  'stream-options-removed': 'the model refuses an option',
  'cache-reason-asked': 'the service is asked about its cache',
  'models-wrapper': 'the service wraps its model list',
  'model-suggestion': 'the model is not known to the service',
  'model-from-list': 'the service has no endpoint for a single model',
  'tokens-estimated': 'the service counts no tokens',
  'stream-decoded': 'the service compresses its streams',
  'redirect-followed': 'videos are stored on another host',
  'key-redacted': 'an answer contained a secret key',
  held: 'a person held a request',
};

/** Describes the mistake in a few words that follow the name of a client. */
export function repairTitle(code: RepairCode): string {
  return TITLES[code];
}
