import type { Host } from '../host.ts';
import type { Images } from '../images/images.ts';
import type { InTurn } from '../in-turn.ts';
import type { ChatTables, Store } from '../store/store.ts';

/** What changes of conversations stand on. */
export interface ChatGround {
  readonly store: Store<ChatTables>;
  readonly host: Pick<Host, 'now' | 'randomBytes' | 'log'>;
  readonly images: Images;
  /** For whatever takes images up or lets them go. */
  readonly inTurn: InTurn;
  /** Does the work that takes what was deleted out of the file, and takes it out of the copies of the file, too. */
  readonly forgetWith: (work: () => Promise<void>) => Promise<void>;
}

const ID_BYTES = 12;

/** The id of something new. */
export function newId({ host }: Pick<ChatGround, 'host'>): string {
  return Buffer.from(host.randomBytes(ID_BYTES)).toString('hex');
}
