import type { Keys } from '../keys/keys.ts';

/** The service keys of all upstreams, each opened when it is first needed and kept until the end. */
export interface KeyRing {
  /** The key of the upstream with this base address. @throws UnusableKey */
  get(baseUrl: string): Promise<Keys>;
  /** Every service key of this run, former ones too: an exchange that was sent with one may still be on its way. */
  secrets(): readonly string[];
  /** Looks again at where the keys are kept. */
  reload(): Promise<void>;
  close(): void;
}

export interface KeyRingOptions {
  readonly open: (baseUrl: string) => Promise<Keys>;
  /** Told when the key of an upstream, or the reason why there is none, is another one. */
  readonly onChange: (baseUrl: string) => void;
}

export function openKeyRing({ open, onChange }: KeyRingOptions): KeyRing {
  const opening = new Map<string, Promise<Keys>>();
  const opened: Keys[] = [];
  const seen = new Set<string>();
  const note = (key: string | null): void => {
    if (key !== null) seen.add(key);
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
    secrets: () => [...seen],
    reload: async () => {
      await Promise.all(opened.map((keys) => keys.reload()));
    },
    close: () => {
      for (const keys of opened) keys.close();
    },
  };
}
