import { readFileSync, writeFileSync } from 'node:fs';
import { z } from 'zod';
import { Shortcut } from '../../shared/shortcut.ts';

const WindowBounds = z.object({
  x: z.int32(),
  y: z.int32(),
  width: z.int32().positive(),
  height: z.int32().positive(),
});
export type WindowBounds = z.infer<typeof WindowBounds>;

const StoredState = z.object({
  /** Where the window was last, when it was not maximized. */
  place: WindowBounds.nullable().catch(null),
  maximized: z.boolean(),
  /** Whether the person knows that closing the window ends nothing. */
  knowsClosing: z.boolean(),
  /** Where the quick chat was last. */
  quickPlace: WindowBounds.nullable().catch(null),
  quickShortcut: Shortcut.nullable().catch(null),
});
type StoredState = z.infer<typeof StoredState>;

const EMPTY_STATE: StoredState = {
  place: null,
  maximized: false,
  knowsClosing: false,
  quickPlace: null,
  quickShortcut: null,
};

/** Keeps the app's memory of its own windows in a small file. If that is lost or unreadable, it begins anew. */
export class WindowStateFile {
  readonly #file: string;
  #state: StoredState = EMPTY_STATE;

  constructor(file: string) {
    this.#file = file;
    try {
      this.#state = StoredState.parse(JSON.parse(readFileSync(file, 'utf8')));
    } catch {
      // The first start, or a file that was cut off.
    }
  }

  get current(): StoredState {
    return this.#state;
  }

  update(change: Partial<StoredState>): void {
    this.#state = { ...this.#state, ...change };
    try {
      writeFileSync(this.#file, JSON.stringify(this.#state));
    } catch {
      // A full disk costs the place of a window, and nothing else.
    }
  }
}

/** Whether a window at this place can be seen and taken hold of on one of the screens. */
export function isOnScreen(place: WindowBounds, screens: readonly WindowBounds[]): boolean {
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
export function fitInto(
  area: Pick<WindowBounds, 'width' | 'height'>,
  size: Pick<WindowBounds, 'width' | 'height'>,
): Pick<WindowBounds, 'width' | 'height'> {
  return {
    width: Math.min(size.width, area.width),
    height: Math.min(size.height, area.height),
  };
}
