import { spawnSync } from 'node:child_process';

const PLAYER = 'ffprobe';

/** Whether ffprobe is installed to check videos. */
export const PLAYER_INSTALLED = spawnSync(PLAYER, ['-version']).status === 0;
if (!PLAYER_INSTALLED) console.warn('ffprobe is not installed: no player looks at the videos.');

/** Result of decoding every frame: number of frames, seconds, and error messages. */
export function play(video: Buffer): {
  readonly found: readonly string[];
  readonly complaints: string;
} {
  const show = ['-show_entries', 'format=duration:stream=nb_read_frames', '-of', 'csv=p=0'];
  const { stdout, stderr } = spawnSync(PLAYER, ['-v', 'error', '-count_frames', ...show, '-'], {
    input: video,
    encoding: 'utf8',
  });
  return { found: stdout.trim().split('\n'), complaints: stderr };
}
