import type { Model } from '../../shared/model.ts';
import type { Log } from '../host.ts';
import type { Store } from '../store/store.ts';

/** How an asked-for model relates to the list. `one`: exactly one model is meant, `id` is its exact id. */
export type ModelMatch =
  | { readonly kind: 'exact' }
  | { readonly kind: 'one'; readonly id: string }
  | { readonly kind: 'none'; readonly suggestions: readonly string[] };

export interface ModelsOptions {
  readonly store: Store;
  /** Base address of the upstream whose list this is. */
  readonly upstream: string;
  /** Fetches the body of `GET /v1/models`, decoded. Rejects on any status but 200. */
  fetchList(signal: AbortSignal): Promise<Buffer>;
  /** Unix time in milliseconds. */
  now(): number;
  readonly log: Log;
}

/** The models of one upstream, remembered across restarts. */
export interface Models {
  /** The list as last seen; empty when none was ever seen. */
  known(): readonly Model[];
  /** Milliseconds since the list was fetched; `null` when none was ever seen. */
  age(): number | null;
  /** Never rejects. Waits at most 3 s, and only for an unknown id while the list is absent or older than 60 s. */
  match(asked: string): Promise<ModelMatch>;
  /** Takes in a model list that passed through; anything else is ignored. */
  learn(body: Buffer): void;
  /** Fetches the list now. Rejects when it cannot be had; the old list stays. */
  refresh(): Promise<readonly Model[]>;
  /** Stops fetching and waits until the list is saved. The store stays open. */
  close(): Promise<void>;
}

/** A model list in the wrapper the SDKs read; `changed` is false when it had that already. */
export interface WrappedModelList {
  readonly body: Buffer;
  readonly changed: boolean;
}

export declare function openModels(options: ModelsOptions): Promise<Models>;

/** Puts a model list into `{"object": "list", "data": […]}`, every model byte for byte as it was. `null` when the body holds no model list. */
export declare function wrapModelList(body: Buffer): WrappedModelList | null;

/** Finds the list by its shape, whatever the service calls its wrapper (spec section 4.1). */
export declare function readModelList(json: unknown): {
  readonly models: readonly Model[];
  readonly path: readonly string[];
} | null;
