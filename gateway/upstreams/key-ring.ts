import type { Keys } from '../keys/keys.ts';

/** The service keys of all upstreams. Each is opened at its first use and stays open until the end. */
export interface KeyRing {
  /** Opens the key of the upstream with this base address. @throws InvalidKeyError */
  get(baseUrl: string): Promise<Keys>;
  /** Returns every service key of this run, also former ones, which exchanges in flight may still use. */
  secrets(): readonly string[];
  /** Reads the keys again from where they are stored. */
  reload(): Promise<void>;
  close(): void;
}

export interface KeyRingOptions {
  readonly open: (baseUrl: string) => Promise<Keys>;
  /** Is called when the key of an upstream, or the reason why there is none, has changed. */
  readonly onChange: (baseUrl: string) => void;
}

export function openKeyRing({ open, onChange }: KeyRingOptions): KeyRing {
  const opening = new Map<string, Promise<Keys>>();
  const opened: Keys[] = [];
  let seen: readonly string[] = [];
  const note = (key: string | null): void => {
    if (key !== null && !seen.includes(key)) seen = [...seen, key];
  };
  const openOne = async (baseUrl: string): Promise<Keys> => {
    const keys = await open(baseUrl);
    note(keys.current());
    keys.on(() => {
      note(keys.current());
      onChange(baseUrl);
    });
    opened.push(keys);
    return keys;
  };
  return {
    get: async (baseUrl) => {
      const known = opening.get(baseUrl) ?? openOne(baseUrl);
      opening.set(baseUrl, known);
      return await known.catch((error: unknown) => {
        opening.delete(baseUrl);
        throw error;
      });
    },
    secrets: () => seen,
    reload: async () => {
      await Promise.all(opened.map((keys) => keys.reload()));
    },
    close: () => {
      for (const keys of opened) keys.close();
    },
  };
}
