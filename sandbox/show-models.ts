import type { Call } from './call.ts';
import type { FieldNames } from './fields.ts';
import { type Answer, jsonAnswer } from './http/answer.ts';
import type { ServedModel } from './models.ts';

/** Unix time in seconds: 2026-01-01, so that the list does not change from day to day. */
const CREATED = 1_767_225_600;

/** Answers GET /v1/models (spec section 4.1). */
export function listModels({ fields, account }: Call): Answer {
  return jsonAnswer({
    object: 'list',
    [fields.modelList]: account.models.all.map((entry) => toModelObject(entry, fields)),
  });
}

/** Answers GET /v1/models/{id} as in the public protocols. */
export function showModel({ parameter, fields, account }: Call): Answer {
  return jsonAnswer(toModelObject(account.models.require(parameter, 'any'), fields));
}

function toModelObject(entry: ServedModel, fields: FieldNames): object {
  return {
    id: entry.id,
    object: 'model',
    created: CREATED,
    owned_by: entry.owner,
    [fields.modelTitle]: entry.title,
    [fields.modelContext]: entry.context,
    [fields.modelTags]: entry.tags,
  };
}
