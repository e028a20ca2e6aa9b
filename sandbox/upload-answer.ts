import type { Call } from './call.ts';
import { type Answer, jsonAnswer } from './http/answer.ts';
import { invalid } from './http/errors.ts';

/** POST /v1/files (spec section 4.5). */
export function answerUpload({ upload, account, fields, scenario }: Call): Answer {
  if (!upload) throw invalid('The form has no part named "file".');
  const address = account.files.add(upload, scenario.fileOnce === true);
  return jsonAnswer({
    object: 'file',
    ...(scenario.addresses !== 'none' && { [fields.fileUrl]: address }),
    ...(scenario.addresses === 'twins' && { copy: `${address}?link=copy` }),
    ...(scenario.addresses === 'several' && { preview: `${address}?preview` }),
    bytes: upload.size,
    filename: upload.name,
    sha256: upload.sha256,
    created_at: Math.floor(Date.now() / 1000),
  });
}
