import type { FieldNames } from './fields.ts';
import type { StoredFiles } from './files.ts';
import { Refusals } from './scenarios/refusals.ts';
import type { VideoTasks } from './videos/tasks.ts';

/** The one account this sandbox serves and everything it remembers about it. */
export class Account {
  readonly key: string;
  readonly fields: FieldNames;
  readonly files: StoredFiles;
  readonly videos: VideoTasks;
  readonly refusals = new Refusals();
  #charges = 0;

  constructor(holds: Pick<Account, 'key' | 'fields' | 'files' | 'videos'>) {
    this.key = holds.key;
    this.fields = holds.fields;
    this.files = holds.files;
    this.videos = holds.videos;
  }

  /** Calls billed so far: model calls and video submissions, also those whose answer was lost. */
  get charges(): number {
    return this.#charges;
  }

  charge(): void {
    this.#charges += 1;
  }
}
