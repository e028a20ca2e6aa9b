import { Books } from './books.ts';
import { CachePrints } from './cache-prints.ts';
import type { FieldNames } from './fields.ts';
import type { StoredFiles } from './files.ts';
import type { Playback } from './fixture/playback.ts';
import type { ServedModels } from './models.ts';
import type { Gates } from './scenarios/gates.ts';
import { Refusals } from './scenarios/refusals.ts';
import { StoredResponses } from './text/stored-responses.ts';
import type { VideoTasks } from './videos/tasks.ts';

/** The only account of the sandbox, with everything that is stored about it. */
export class Account {
  readonly key: string;
  readonly fields: FieldNames;
  readonly models: ServedModels;
  /** The fixture that answers text requests; `undefined` for none. */
  readonly playback: Playback | undefined;
  readonly files: StoredFiles;
  readonly videos: VideoTasks;
  readonly refusals = new Refusals();
  readonly cachePrints = new CachePrints();
  readonly books = new Books();
  readonly responses = new StoredResponses();
  readonly gates: Gates;

  constructor(
    options: Pick<Account, 'key' | 'fields' | 'models' | 'playback' | 'files' | 'videos' | 'gates'>,
  ) {
    this.key = options.key;
    this.fields = options.fields;
    this.models = options.models;
    this.playback = options.playback;
    this.files = options.files;
    this.videos = options.videos;
    this.gates = options.gates;
  }
}
