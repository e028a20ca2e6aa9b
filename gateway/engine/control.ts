import type {
  DataFolder,
  EffectiveSettings,
  Settings,
  SettingsChange,
} from '../../shared/settings.ts';
import type { LiveEvent, Status } from '../../shared/status.ts';
import type {
  KeyPlace,
  KeyPlaceState,
  KeyState,
  ConnectionTestReport,
  Upstream,
  UpstreamForm,
} from '../../shared/upstream.ts';
import type { RunningExchanges } from '../proxy/proxy.ts';
import type { SavedFilters } from '../settings/settings.ts';

export type { RunningExchanges };

/** An upstream and the state of its service key. */
export type UpstreamWithKey = Upstream & { readonly key: KeyState };

/** What is done with a new upstream: its key is stored, and new exchanges are sent to it. */
export interface NewUpstreamChoice {
  readonly key: string | null;
  readonly place: KeyPlace;
  readonly use: boolean;
  /** Nothing is added when it aborts before all is done. */
  readonly signal?: AbortSignal;
}

/** The part of a running gateway that windows see and change. Changes take effect at once; exchanges in flight finish as they began. */
export interface Control {
  status(): Promise<Status>;
  /** Refuses clients and orders no video; exchanges in flight go on. In memory only. */
  pause(): void;
  resume(): void;
  runningExchanges(): RunningExchanges;
  /** Calls `listener` with live events, but never `hello`; `history` and `running` come at most four times a second, the last one always. Returns the function that stops it. */
  on(listener: (event: LiveEvent) => void): () => void;
  /** Lists all upstreams, also one for this run only; the sandbox is last. */
  listUpstreams(): Promise<readonly UpstreamWithKey[]>;
  /** Requests the model list with a typed key, or with the stored one (`null`). Saves nothing. @throws UserError, InvalidBaseUrlError, InvalidKeyError, or the signal's reason. */
  testUpstream(
    form: UpstreamForm,
    key: string | null,
    signal: AbortSignal,
  ): Promise<ConnectionTestReport>;
  /** Does so for an upstream that may be added, with a typed key only. @throws UserError also when its address exists already. */
  testNewUpstream(
    form: UpstreamForm,
    key: string | null,
    signal: AbortSignal,
  ): Promise<ConnectionTestReport>;
  /** Adds an upstream with its key and uses it when asked to, or changes nothing. @throws UserError, InvalidBaseUrlError, InvalidKeyError */
  addUpstream(form: UpstreamForm, choice?: NewUpstreamChoice): Promise<Upstream>;
  /** Finds out where service keys can be stored. It reads the keychain, which may ask a person to unlock it. */
  keyPlaces(): Promise<readonly KeyPlaceState[]>;
  /** Changes an upstream. With another address its key is deleted. @throws UserError, NotFoundError, InvalidBaseUrlError */
  changeUpstream(id: string, form: UpstreamForm): Promise<Upstream>;
  /** Deletes an upstream and its key. If it is in use, the sandbox is used from then on. @throws UserError, NotFoundError */
  removeUpstream(id: string): Promise<void>;
  /** Sends new exchanges to an upstream. @throws UserError, NotFoundError */
  useUpstream(id: string): Promise<void>;
  /** @throws UserError, NotFoundError, InvalidKeyError */
  saveKey(id: string, key: string, place: 'keychain' | 'file'): Promise<KeyState>;
  /** @throws UserError, NotFoundError */
  forgetKey(id: string): Promise<KeyState>;
  /** Reads the key again from where it is stored. @throws NotFoundError */
  readKey(id: string): Promise<KeyState>;
  settings(): EffectiveSettings;
  /** Changes all of the settings or none. @throws UserError */
  changeSettings(
    change: SettingsChange | ((current: Settings) => SettingsChange),
  ): Promise<EffectiveSettings>;
  /** Filters of the history that people have saved. */
  readonly savedFilters: SavedFilters;
  dataFolder(): Promise<DataFolder>;
  /** Shows a file in the file manager of this machine. @throws UserError */
  reveal(path: string): Promise<void>;
  /** A local key for the window's own calls (client "Window"). In memory only. */
  readonly windowKey: string;
  /** Adds the window's port to those that no request is forwarded to. */
  reservePort(port: number): void;
}
