import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Resvg } from '@resvg/resvg-js';

const ROOT = join(import.meta.dirname, '..');
const MARK = join(ROOT, 'renderer', 'icon.svg');
const LEVELS = ['normal', 'alert', 'paused'];
const LIGHTER: readonly (readonly [string, string])[] = [
  ['#3d4ed0', '#6273f0'],
  ['#5c636e', '#8b93a0'],
  ['#e03131', '#ff5a52'],
];
/** The types of an Apple icon that contain a PNG, by its width. */
const APPLE: readonly (readonly [string, number])[] = [
  ['ic11', 32],
  ['ic12', 64],
  ['ic07', 128],
  ['ic08', 256],
  ['ic09', 512],
  ['ic10', 1024],
];
const LINUX = [16, 24, 32, 48, 64, 128, 256, 512];
/** The drawing for each size whose lines fall on its pixels. */
const TRAY_ON_WINDOWS: readonly (readonly ['small' | 'large', number])[] = [
  ['small', 16],
  ['small', 20],
  ['large', 24],
  ['small', 32],
  ['large', 40],
  ['large', 48],
  ['small', 64],
];
const WINDOWS = [16, 24, 32, 48, 64, 128, 256];

/**
 * Draws the icons that the app contains: of the tray, for each level of `normal`, `alert` and `paused`, for each system, for light and
 * dark panels; and `app.png`, of its windows.
 */
export async function drawOwnIcons(dir: string): Promise<void> {
  await mkdir(dir, { recursive: true });
  const mark = await readFile(MARK, 'utf8');
  await Promise.all([
    ...LEVELS.map(async (level) => await drawLevel(dir, level)),
    writeFile(join(dir, 'app.png'), drawIcon(mark, 256)),
  ]);
}

/** Draws the icons of the app in the formats of each system's packages: `icon.icns`, `icon.ico`, and `icons/` with a PNG of each size. */
export async function drawAppIcons(dir: string): Promise<void> {
  await mkdir(join(dir, 'icons'), { recursive: true });
  const mark = await readFile(MARK, 'utf8');
  // Apple's icons have a margin.
  const framed = mark.replace('viewBox="0 0 32 32"', 'viewBox="-3.9 -3.9 39.8 39.8"');
  await Promise.all([
    ...LINUX.map(async (size) => {
      await writeFile(join(dir, 'icons', `${size}x${size}.png`), drawIcon(mark, size));
    }),
    writeFile(join(dir, 'icon.ico'), ico(WINDOWS.map((size) => [size, drawIcon(mark, size)]))),
    writeFile(
      join(dir, 'icon.icns'),
      icns(APPLE.map(([type, size]) => [type, drawIcon(framed, size)])),
    ),
  ]);
}

async function drawLevel(dir: string, level: string): Promise<void> {
  const [template, small, large] = await Promise.all(
    ['template', 'small', 'large'].map(async (kind) => {
      return await readFile(join(ROOT, 'electron', 'icons', `${kind}-${level}.svg`), 'utf8');
    }),
  );
  if (template === undefined || small === undefined || large === undefined) return;
  const write = async (name: string, content: Uint8Array): Promise<void> => {
    await writeFile(join(dir, `tray-${level}${name}`), content);
  };
  await write('Template.png', drawIcon(template, 16));
  await write('Template@2x.png', drawIcon(template, 32));
  for (const theme of ['light', 'dark']) {
    const [s, l] = theme === 'light' ? [small, large] : [lighten(small), lighten(large)];
    await write(`-${theme}.png`, drawIcon(l, 24));
    await write(`-${theme}@2x.png`, drawIcon(l, 48));
    const images = TRAY_ON_WINDOWS.map(([kind, size]) => {
      return [size, drawIcon(kind === 'small' ? s : l, size)] as const;
    });
    await write(`-${theme}.ico`, ico(images));
  }
}

/** Draws the icon for a dark panel. */
function lighten(svg: string): string {
  return LIGHTER.reduce((text, [from, to]) => text.replaceAll(from, to), svg);
}

function drawIcon(svg: string, size: number): Buffer {
  return new Resvg(svg, { fitTo: { mode: 'width', value: size } }).render().asPng();
}

/** Encodes a Windows icon: a directory of 16 bytes for each image, then the images, which may be PNGs. */
function ico(images: readonly (readonly [size: number, png: Buffer])[]): Buffer {
  const head = Buffer.alloc(6 + 16 * images.length);
  head.writeUInt16LE(1, 2);
  head.writeUInt16LE(images.length, 4);
  let offset = head.length;
  for (const [index, [size, png]] of images.entries()) {
    const at = 6 + 16 * index;
    // A value of 0 means 256.
    head.writeUInt8(size % 256, at);
    head.writeUInt8(size % 256, at + 1);
    head.writeUInt16LE(1, at + 4);
    head.writeUInt16LE(32, at + 6);
    head.writeUInt32LE(png.length, at + 8);
    head.writeUInt32LE(offset, at + 12);
    offset += png.length;
  }
  return Buffer.concat([head, ...images.map(([, png]) => png)]);
}

/** Encodes an Apple icon, a chunk of chunks. */
function icns(images: readonly (readonly [type: string, png: Buffer])[]): Buffer {
  return part('icns', Buffer.concat(images.map(([type, png]) => part(type, png))));
}

/** Encodes a chunk: its type, a length that includes its own eight bytes, and the data. */
function part(type: string, content: Buffer): Buffer {
  const head = Buffer.alloc(8);
  head.write(type, 'latin1');
  head.writeUInt32BE(content.length + 8, 4);
  return Buffer.concat([head, content]);
}
