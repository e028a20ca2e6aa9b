import { readFileSync, writeFileSync } from 'node:fs';
import { z } from 'zod';
import { Shortcut } from '../../shared/desktop/shortcut.ts';

const WindowBounds = z.object({
  x: z.int32(),
  y: z.int32(),
  width: z.int32().positive(),
  height: z.int32().positive(),
});
export type WindowBounds = z.infer<typeof WindowBounds>;

const StoredState = z.object({
  /** The bounds of the window when it was last not maximized. */
  place: WindowBounds.nullable().catch(null),
  maximized: z.boolean(),
  /** Whether the person was told that closing the window ends nothing. */
  knowsClosing: z.boolean(),
  /** The last position of the quick chat. */
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

/** Stores the state of the app's windows in a small file. If that is missing or unreadable, the defaults are used. */
export class WindowStateFile {
  readonly #file: string;
  #state: StoredState = EMPTY_STATE;

  constructor(file: string) {
    this.#file = file;
    try {
      this.#state = StoredState.parse(JSON.parse(readFileSync(file, 'utf8')));
    } catch {
      // This is the first start, or the file was cut off.
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
      // With a full disk only the position of a window is lost.
    }
  }
}

/** Whether a window with these bounds is visible and can be moved on one of the displays. */
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

/** Returns the size of a window, limited to its area. */
export function fitInto(
  area: Pick<WindowBounds, 'width' | 'height'>,
  size: Pick<WindowBounds, 'width' | 'height'>,
): Pick<WindowBounds, 'width' | 'height'> {
  return {
    width: Math.min(size.width, area.width),
    height: Math.min(size.height, area.height),
  };
}
