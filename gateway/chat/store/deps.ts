import type { Mutex } from 'async-mutex';
import type { Host } from '../../host.ts';
import type { Images } from '../../images/images.ts';
import type { ChatTables, Store } from '../../store/store.ts';

/** Dependencies of changes to conversations. */
export interface ChatDeps {
  readonly store: Store<ChatTables>;
  readonly host: Pick<Host, 'now' | 'randomBytes' | 'log'>;
  readonly images: Images;
  /** Guards every use and removal of images. */
  readonly mutex: Mutex;
  /** Runs work that erases deleted data from the file, and removes that data from the copies of the file as well. */
  readonly purgeWith: (work: () => Promise<void>) => Promise<void>;
}

const ID_BYTES = 12;

/** Creates a new id. */
export function createId({ host }: Pick<ChatDeps, 'host'>): string {
  return Buffer.from(host.randomBytes(ID_BYTES)).toString('hex');
}
