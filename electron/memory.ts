import { readFileSync, writeFileSync } from 'node:fs';
import { z } from 'zod';
import { Shortcut } from '../shared/shortcut.ts';

const Place = z.object({
  x: z.int32(),
  y: z.int32(),
  width: z.int32().positive(),
  height: z.int32().positive(),
});
export type Place = z.infer<typeof Place>;

const Remembered = z.object({
  /** Where the window was last, when it was not maximized. */
  place: Place.nullable().catch(null),
  maximized: z.boolean(),
  /** Whether the person knows that closing the window ends nothing. */
  knowsClosing: z.boolean(),
  /** Where the quick chat was last. */
  quickPlace: Place.nullable().catch(null),
  quickShortcut: Shortcut.nullable().catch(null),
});
type Remembered = z.infer<typeof Remembered>;

const NOTHING: Remembered = {
  place: null,
  maximized: false,
  knowsClosing: false,
  quickPlace: null,
  quickShortcut: null,
};

/** Keeps the app's memory of its own windows in a small file. If that is lost or unreadable, it begins anew. */
export class Memory {
  readonly #file: string;
  #remembered: Remembered = NOTHING;

  constructor(file: string) {
    this.#file = file;
    try {
      this.#remembered = Remembered.parse(JSON.parse(readFileSync(file, 'utf8')));
    } catch {
      // The first start, or a file that was cut off.
    }
  }

  get now(): Remembered {
    return this.#remembered;
  }

  keep(change: Partial<Remembered>): void {
    this.#remembered = { ...this.#remembered, ...change };
    try {
      writeFileSync(this.#file, JSON.stringify(this.#remembered));
    } catch {
      // A full disk costs the place of a window, and nothing else.
    }
  }
}

/** Whether a window at this place can be seen and taken hold of on one of the screens. */
export function isOnScreen(place: Place, screens: readonly Place[]): boolean {
  const grip = { width: 120, height: 40 };
  return screens.some(
    (screen) =>
      place.x + place.width >= screen.x + grip.width &&
      place.x <= screen.x + screen.width - grip.width &&
      place.y >= screen.y &&
      place.y <= screen.y + screen.height - grip.height,
  );
}

/** The size of a window, no larger than the area that it gets. */
export function shrunkTo(
  area: Pick<Place, 'width' | 'height'>,
  size: Pick<Place, 'width' | 'height'>,
): Pick<Place, 'width' | 'height'> {
  return {
    width: Math.min(size.width, area.width),
    height: Math.min(size.height, area.height),
  };
}
