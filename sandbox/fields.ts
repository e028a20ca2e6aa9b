/** All names that the spec marks as "not shown". A client that hard-codes one of them fails with the other set. */
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
  /** Progress of a render, and cost of the video; sent only in some scenarios. */
  readonly progress: string;
  readonly cost: string;
  /** Values for the three states that section 3 does not name. */
  readonly waiting: string;
  readonly processing: string;
  readonly failed: string;
}

/** The default names. The wrapper of the model list is not the `data` that official SDKs expect. */
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

/** A second set that shares no name with the first. A request selects it with `x-sandbox-fields: other`. */
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
