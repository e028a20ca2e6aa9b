import type { Repair, RepairCode } from '../../../shared/repair.ts';

/** Codes whose advice needs no further words. Those of paths, credentials and forms depend on what was sent. */
export type FixedCode = Exclude<
  RepairCode,
  `path-${string}` | `credential-${string}` | 'service-key-sent' | 'video-form-to-json'
>;

const ADVICE: Readonly<Record<FixedCode, string>> = {
  'version-added':
    'Messages requests name the version of the protocol in a header. Add this header to the client if it lets you set headers.',
  'version-format':
    'The version of the protocol is a date such as 2023-06-01, without quotes. Set this header so in the client, or remove it there.',
  'content-type-json': 'Have this client send “Content-Type: application/json” with JSON.',
  'content-type-multipart':
    'Do not set a content type for uploads by hand: the HTTP library does it, with the boundary between the parts.',
  'upload-form':
    'Have this client send the image as a form with a part named “file”: with curl that is -F file=@image.png.',
  'upload-part':
    'Name the part of the form “file”, and set no content type by hand: with curl that is -F file=@image.png.',
  'byte-order-mark': 'Have this client write its JSON as UTF-8 without a byte order mark.',
  'body-decoded':
    'Not every service can unpack a request, so Gatehouse did it. Switch request compression off in this client if you can.',
  'model-id':
    'Enter the model id exactly as the model list has it: the provider in front of it and small and capital letters count.',
  'prompt-to-messages':
    'The field “prompt” belongs to an older protocol. Have this client send “messages” (it may be called chat mode).',
  'seconds-to-string': 'Send “seconds” as a string: "4" and not 4.',
  'video-id-added':
    'There is nothing to change in this client: the service names the task in another field than the official SDKs read.',
  'stream-options-removed':
    'This model refuses “stream_options”. Switch off “include usage” for it in this client if you can.',
  'models-wrapper':
    'There is nothing to change in this client: the service wraps its model list in a form that SDKs do not read.',
  'model-suggestion': 'Choose a model id from the model list: the service knows exact ids only.',
  'model-from-list':
    'There is nothing to change in this client: the service has no address for a single model, so Gatehouse looked into its list.',
  'tokens-estimated':
    'There is nothing to change in this client: the service counts no tokens, so Gatehouse estimated them. The answer says that it is an estimate.',
  'stream-decoded':
    'There is nothing to change in this client: the service packed its stream, and Gatehouse unpacked it so that every piece arrives at once.',
  'redirect-followed':
    'There is nothing to change in this client: Gatehouse fetched the video from the place that the service named.',
  'key-redacted':
    'There is nothing to change in this client: an answer repeated a secret key, and Gatehouse took it out.',
};

/** A repair with the sentence that belongs to its code. `before` and `after` hold no secret. */
export function createRepair(code: FixedCode, before: string, after: string): Repair {
  return { code, before, after, advice: ADVICE[code] };
}
