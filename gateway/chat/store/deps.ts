import type { Mutex } from 'async-mutex';
import type { Host } from '../../host.ts';
import type { Images } from '../../images/images.ts';
import type { ChatTables, Store } from '../../store/store.ts';

/** What changes of conversations stand on. */
export interface ChatDeps {
  readonly store: Store<ChatTables>;
  readonly host: Pick<Host, 'now' | 'randomBytes' | 'log'>;
  readonly images: Images;
  /** For whatever takes images up or lets them go. */
  readonly mutex: Mutex;
  /** Does the work that takes what was deleted out of the file, and takes it out of the copies of the file, too. */
  readonly purgeWith: (work: () => Promise<void>) => Promise<void>;
}

const ID_BYTES = 12;

/** The id of something new. */
export function createId({ host }: Pick<ChatDeps, 'host'>): string {
  return Buffer.from(host.randomBytes(ID_BYTES)).toString('hex');
}
