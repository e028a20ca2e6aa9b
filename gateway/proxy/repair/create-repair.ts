import type { Repair, RepairCode } from '../../../shared/exchange/repair.ts';

/** Codes with a fixed advice. For paths, credentials and forms the advice depends on the request. */
export type FixedCode = Exclude<
  RepairCode,
  `path-${string}` | `credential-${string}` | 'service-key-sent' | 'video-form-to-json'
>;

const ADVICE: Readonly<Record<FixedCode, string>> = {
  'version-added':
    'Messages requests name the version of the protocol in a header. Add this header to the client if it lets you set headers.',
  'version-format':
    'The version of the protocol is a date such as 2023-06-01, without quotes. Correct or remove this header in the client.',
  'content-type-json': 'Have this client send “Content-Type: application/json” with JSON.',
  'content-type-multipart':
    'Do not set a content type for uploads by hand: the HTTP library does it, with the boundary between the parts.',
  'upload-form':
    'Have this client send the image as a form with a part named “file”: with curl that is -F file=@image.png.',
  'upload-part':
    'Name the part of the form “file”, and set no content type by hand: with curl that is -F file=@image.png.',
  'byte-order-mark': 'Have this client write its JSON as UTF-8 without a byte order mark.',
  'body-decoded':
    'Not every service can decompress a request, so Gatehouse did it. Turn off request compression in this client if you can.',
  'model-alias':
    'There is nothing to change in this client: an alias of Gatehouse says which model is sent for this name.',
  'model-id':
    'Enter the model id exactly as in the model list, with the provider before it. Upper and lower case matter.',
  'prompt-to-messages':
    'The field “prompt” belongs to an older protocol. Have this client send “messages” (it may be called chat mode).',
  'seconds-to-string': 'Send “seconds” as a string: "4" and not 4.',
  'video-id-added':
    'There is nothing to change in this client: the service names the task in another field than the official SDKs read.',
  'stream-options-removed':
    'This model refuses “stream_options”. Turn off “include usage” for it in this client if you can.',
  'cache-reason-asked':
    'There is nothing to change in this client: the settings of the service say that requests ask it why its prompt cache missed.',
  'models-wrapper':
    'There is nothing to change in this client: the service sends its model list in a form that SDKs do not read.',
  'model-suggestion': 'Choose a model id from the model list: the service knows exact ids only.',
  'model-from-list':
    'There is nothing to change in this client: the service has no endpoint for a single model, so Gatehouse searched the model list.',
  'tokens-estimated':
    'There is nothing to change in this client: the service counts no tokens, so Gatehouse estimated them. The answer says that it is an estimate.',
  'stream-decoded':
    'There is nothing to change in this client: the service compressed its stream, and Gatehouse decompressed it so that every event arrives immediately.',
  'redirect-followed':
    'There is nothing to change in this client: Gatehouse fetched the video from the address that the service gave.',
  'key-redacted':
    'There is nothing to change in this client: an answer contained a secret key, and Gatehouse removed it.',
  held: 'There is nothing to change in this client: a person let Gatehouse hold this request.',
};

/** Creates a repair with the advice of its code. `before` and `after` hold no secret. */
export function createRepair(code: FixedCode, before: string, after: string): Repair {
  return { code, before, after, advice: ADVICE[code] };
}
