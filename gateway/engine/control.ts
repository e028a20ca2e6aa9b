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

/** An upstream and where its service key is. */
export type UpstreamWithKey = Upstream & { readonly key: KeyState };

/** What a window can see and change of a running gateway. Everything takes effect at once; running exchanges finish as they began. */
export interface Control {
  status(): Promise<Status>;
  /** Turns clients away, and orders no new video; what runs goes on. In memory only. */
  pause(): void;
  resume(): void;
  runningExchanges(): RunningExchanges;
  /** Tells what happens, never `hello`; `history` and `running` at most four times a second each, the last one always. Returns what stops it. */
  on(listener: (event: LiveEvent) => void): () => void;
  /** The sandbox last. An upstream that only this run has stands among them. */
  listUpstreams(): Promise<readonly UpstreamWithKey[]>;
  /** Asks for the models with a typed key, or with the kept one (`null`). Keeps nothing. @throws Refused, UnusableBaseUrl, UnusableKey, or the signal's reason. */
  testUpstream(
    form: UpstreamForm,
    key: string | null,
    signal: AbortSignal,
  ): Promise<ConnectionTestReport>;
  /** @throws Refused, UnusableBaseUrl */
  addUpstream(form: UpstreamForm): Promise<Upstream>;
  /** With another address goes the key of the old one. @throws Refused, NotFound, UnusableBaseUrl */
  changeUpstream(id: string, form: UpstreamForm): Promise<Upstream>;
  /** Forgets its key too; when it is in use, the sandbox is used from then on. @throws Refused, NotFound */
  removeUpstream(id: string): Promise<void>;
  /** Sends new exchanges there. @throws Refused, NotFound */
  useUpstream(id: string): Promise<void>;
  /** @throws Refused, NotFound, UnusableKey */
  saveKey(id: string, key: string, place: 'keychain' | 'file'): Promise<KeyState>;
  /** @throws Refused, NotFound */
  forgetKey(id: string): Promise<KeyState>;
  /** Looks again at where the key is kept. @throws NotFound */
  readKey(id: string): Promise<KeyState>;
  settings(): EffectiveSettings;
  /** All of it or nothing. @throws Refused */
  changeSettings(change: SettingsChange): Promise<EffectiveSettings>;
  dataFolder(): Promise<DataFolder>;
  /** Shows a file in the file manager of this machine. @throws Refused */
  reveal(path: string): Promise<void>;
  /** A local key for the window's own calls (client "Window"). In memory only. */
  readonly windowKey: string;
  /** Names a port of ours besides the proxy's, the window's: nothing is forwarded to it. */
  guardPort(port: number): void;
}
