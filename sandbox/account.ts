import type { FieldNames } from './fields.ts';
import type { StoredFiles } from './files.ts';
import { Refusals } from './scenarios/refusals.ts';
import type { VideoTasks } from './videos/tasks.ts';

/** The only account of the sandbox, with everything that is stored about it. */
export class Account {
  readonly key: string;
  readonly fields: FieldNames;
  readonly files: StoredFiles;
  readonly videos: VideoTasks;
  readonly refusals = new Refusals();
  #charges = 0;

  constructor(options: Pick<Account, 'key' | 'fields' | 'files' | 'videos'>) {
    this.key = options.key;
    this.fields = options.fields;
    this.files = options.files;
    this.videos = options.videos;
  }

  /** Number of billed calls so far: model calls and video orders, including those whose answer was lost. */
  get charges(): number {
    return this.#charges;
  }

  charge(): void {
    this.#charges += 1;
  }
}
