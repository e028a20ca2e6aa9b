/** Every name the spec leaves "not shown". A caller that guesses one of them fails with the other set. */
export interface FieldNames {
  /** Wrapper of the model list (section 4.1). */
  readonly modelList: string;
  readonly modelTitle: string;
  readonly modelContext: string;
  readonly modelTags: string;
  /** Access address in the upload's answer (section 2.5). */
  readonly fileUrl: string;
  /** Identifier of a video task (section 2.6). */
  readonly taskId: string;
  readonly failureReason: string;
  /** Of a render, and what the video cost; only where a scenario asks for them. */
  readonly progress: string;
  readonly cost: string;
  /** Words for the three states that section 3 does not name. */
  readonly waiting: string;
  readonly processing: string;
  readonly failed: string;
}

/** The names a sandbox uses unless told otherwise. The wrapper is not the `data` that official SDKs look for. */
export const DEFAULT_FIELDS: FieldNames = {
  modelList: 'models',
  modelTitle: 'display_name',
  modelContext: 'context_window',
  modelTags: 'capabilities',
  fileUrl: 'file_url',
  taskId: 'task_id',
  failureReason: 'failure_reason',
  progress: 'progress',
  cost: 'cost',
  waiting: 'queued',
  processing: 'in_progress',
  failed: 'failed',
};

/** A second set without a word in common with the first. Also chosen per request by `x-sandbox-fields: other`. */
export const OTHER_FIELDS: FieldNames = {
  modelList: 'entries',
  modelTitle: 'title',
  modelContext: 'max_input_length',
  modelTags: 'tags',
  fileUrl: 'link',
  taskId: 'job',
  failureReason: 'detail',
  progress: 'percent',
  cost: 'price',
  waiting: 'pending',
  processing: 'rendering',
  failed: 'error',
};
