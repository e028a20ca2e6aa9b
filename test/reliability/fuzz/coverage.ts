import { registerHooks, stripTypeScriptTypes } from 'node:module';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { createInstrumenter } from 'istanbul-lib-instrument';

const WATCHED = pathToFileURL(join(import.meta.dirname, '..', '..', '..', 'gateway')).href;
const COUNTERS = 'fuzzCoverage';

interface FileCounters {
  readonly f: Record<string, number>;
  readonly b: Record<string, number[]>;
}

declare global {
  var fuzzCoverage: Record<string, FileCounters> | undefined;
}

/** Counts functions and branches of every module of the gateway imported from now on. Must be called once, before any import. */
export function countCoverage(): void {
  const instrumenter = createInstrumenter({
    esModules: true,
    coverageVariable: COUNTERS,
    produceSourceMap: false,
  });
  registerHooks({
    load(url, context, nextLoad) {
      if (!url.startsWith(WATCHED) || !url.endsWith('.ts')) return nextLoad(url, context);
      const path = fileURLToPath(url);
      const plain = stripTypeScriptTypes(readFileSync(path, 'utf8'));
      const source = instrumenter.instrumentSync(plain, path);
      return { format: 'module', source, shortCircuit: true };
    },
  });
}

/** Groups execution counts: 1, 2, 3, 4–7, 8–15, 16–31, 32–127, more. */
function bucketOf(count: number): number {
  if (count < 4) return 1 << (count - 1);
  if (count < 8) return 8;
  if (count < 16) return 16;
  if (count < 32) return 32;
  return count < 128 ? 64 : 128;
}

/** The branches taken by all inputs so far, and how often within one input. */
export class Coverage {
  readonly #seen = new Map<string, number>();

  /** Number of functions and branches reached, each counted once. */
  get reached(): number {
    return this.#seen.size;
  }

  /** Returns whether the latest input reached anything new; resets the counters. */
  take(): boolean {
    let isNew = false;
    for (const [file, { f, b }] of Object.entries(globalThis.fuzzCoverage ?? {})) {
      for (const id of Object.keys(f)) {
        const count = f[id] ?? 0;
        if (count === 0) continue;
        f[id] = 0;
        isNew = this.#record(`${file}:${id}`, count) || isNew;
      }
      for (const [id, ways] of Object.entries(b)) {
        for (const [way, count] of ways.entries()) {
          if (count === 0) continue;
          ways[way] = 0;
          isNew = this.#record(`${file}:${id}/${way}`, count) || isNew;
        }
      }
    }
    return isNew;
  }

  #record(place: string, count: number): boolean {
    const before = this.#seen.get(place) ?? 0;
    const now = before | bucketOf(count);
    if (now === before) return false;
    this.#seen.set(place, now);
    return true;
  }
}
