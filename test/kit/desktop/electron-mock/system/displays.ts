import { StrictMock, strictly } from '../strict-mock.ts';
import type { Bounds, Control, DisplaySeen } from '../transport/messages.ts';
import { afterReady } from '../readiness.ts';
import { answers } from '../test-side.ts';

const ONE: readonly DisplaySeen[] = [
  { id: 1, workArea: { x: 0, y: 0, width: 1920, height: 1050 }, scaleFactor: 1 },
];

/** The displays that are plugged in, the main one first. */
let displays: readonly DisplaySeen[] = JSON.parse(
  process.env['ELECTRON_MOCK_DISPLAYS'] ?? JSON.stringify(ONE),
);

class Screen extends StrictMock {
  constructor() {
    super('screen', ['display-added', 'display-removed', 'display-metrics-changed']);
  }

  getAllDisplays(): readonly DisplaySeen[] {
    afterReady('screen cannot be used');
    return displays.map((display) => strictly('Display', display));
  }

  getPrimaryDisplay(): DisplaySeen {
    const [primary] = this.getAllDisplays();
    if (primary === undefined) throw new Error('There is no display.');
    return primary;
  }
}

export const screen = new Screen();

/** Returns the bounds of a new window: centred unless it has a position, and scaled on a display of another scale. */
export function placeOfNew({ x, y, width = 800, height = 600 }: Partial<Bounds>): Bounds {
  const main = screen.getPrimaryDisplay();
  if (x === undefined || y === undefined) return middleOf(main.workArea, { width, height });
  const { scaleFactor } = displays.find(({ workArea }) => isIn(workArea, x, y)) ?? main;
  const by = main.scaleFactor / scaleFactor;
  return { x, y, width: Math.round(width * by), height: Math.round(height * by) };
}

export function middleOf(area: Bounds, size: Pick<Bounds, 'width' | 'height'>): Bounds {
  const { width, height } = size;
  const x = area.x + Math.round((area.width - width) / 2);
  const y = area.y + Math.round((area.height - height) / 2);
  return { x, y, width, height };
}

function isIn({ x, y, width, height }: Bounds, left: number, top: number): boolean {
  return left >= x && left < x + width && top >= y && top < y + height;
}

Object.assign(answers, {
  displaysAre: (plugged) => {
    const gone = displays.filter(({ id }) => !plugged.some((display) => display.id === id));
    displays = plugged;
    for (const display of gone) screen.emit('display-removed', {}, display);
  },
} satisfies Partial<Control>);
