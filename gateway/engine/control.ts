import type { DataFolder, SettingsChange, EffectiveSettings } from '../../shared/settings.ts';
import type { LiveEvent, Status } from '../../shared/status.ts';
import type {
  KeyState,
  ConnectionTestReport,
  Upstream,
  UpstreamForm,
} from '../../shared/upstream.ts';
import type { RunningExchanges } from '../proxy/proxy.ts';

export type { RunningExchanges };

/** An upstream and the state of its service key. */
export type UpstreamWithKey = Upstream & { readonly key: KeyState };

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
  /** @throws UserError, InvalidBaseUrlError */
  addUpstream(form: UpstreamForm): Promise<Upstream>;
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
  changeSettings(change: SettingsChange): Promise<EffectiveSettings>;
  dataFolder(): Promise<DataFolder>;
  /** Shows a file in the file manager of this machine. @throws UserError */
  reveal(path: string): Promise<void>;
  /** A local key for the window's own calls (client "Window"). In memory only. */
  readonly windowKey: string;
  /** Adds the window's port to those that no request is forwarded to. */
  reservePort(port: number): void;
}
