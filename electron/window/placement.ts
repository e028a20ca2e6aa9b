import { type BrowserWindow, type Rectangle, screen } from 'electron';
import { isOnScreen, type WindowBounds, fitInto } from './window-state.ts';

type Size = Pick<WindowBounds, 'width' | 'height'>;

/**
 * Returns the last bounds of a window, if they are visible, and no larger than all displays together. Otherwise returns only its size,
 * no larger than the primary display, so that it is centred there.
 */
export function initialBounds(place: WindowBounds | null, size: Size): Partial<WindowBounds> {
  const areas = workAreas();
  if (place !== null && isOnScreen(place, areas))
    return { ...place, ...fitInto(totalSize(areas), place) };
  return fitInto(screen.getPrimaryDisplay().workArea, place ?? size);
}

/** Sets the bounds of a new window from its options: on a display with another scale than the primary one, its size may come out scaled. */
export function applyBounds(window: BrowserWindow, options: Partial<WindowBounds>): void {
  const { x, y, width, height } = options;
  if (x === undefined || y === undefined || width === undefined || height === undefined) return;
  const place = { x, y, width, height };
  if (!isSame(window.getBounds(), place)) window.setBounds(place);
}

/** Moves a window whose display was disconnected to the primary one. Not every system moves hidden windows itself. */
export function bringOnScreen(window: BrowserWindow): void {
  const place = window.getNormalBounds();
  if (isOnScreen(place, workAreas())) return;
  const { workArea } = screen.getPrimaryDisplay();
  window.setBounds({ x: workArea.x, y: workArea.y, ...fitInto(workArea, place) });
  window.center();
}

/** Returns the bounding box of all displays. */
function totalSize(areas: readonly Rectangle[]): Size {
  const minimum = (of: (area: Rectangle) => number): number => Math.min(...areas.map(of));
  const maximum = (of: (area: Rectangle) => number): number => Math.max(...areas.map(of));
  return {
    width: maximum(({ x, width }) => x + width) - minimum(({ x }) => x),
    height: maximum(({ y, height }) => y + height) - minimum(({ y }) => y),
  };
}

function workAreas(): readonly Rectangle[] {
  return screen.getAllDisplays().map(({ workArea }) => workArea);
}

function isSame(one: Rectangle, other: Rectangle): boolean {
  return (['x', 'y', 'width', 'height'] as const).every((side) => one[side] === other[side]);
}
