import type { VideoFile, VideoJob } from '../shared/video.ts';
import { size, span } from './figures.ts';
import { CommandFailed } from './problem.ts';
import type { Shell } from './shell.ts';
import { copyVideo } from './video-file.ts';
import type { CopyPlan } from './video-file.ts';
import { endWords, headOf } from './video-words.ts';

export interface ReportPlan {
  readonly json: boolean;
  /** Why nobody waits any more; absent when nobody was stopped. */
  readonly stopped?: string | null;
  /** `null`: the files stay where they are. */
  readonly copy: CopyPlan | null;
}

/**
 * Tells what became of jobs: on standard output the path of each finished video, or one JSON document.
 * @throws CommandFailed when one of them is not finished
 */
export async function reportVideos(
  shell: Shell,
  jobs: readonly VideoJob[],
  { json, copy, stopped = null }: ReportPlan,
): Promise<void> {
  const { terminal, command } = shell;
  const saved: string[] = [];
  for (const job of jobs) {
    const { file } = job;
    if (file?.present === true && copy !== null) saved.push(await copyVideo(file, copy));
    if (!json && file?.present === true) {
      terminal.complain(thereWords(job, file));
      terminal.print(saved.at(-1) ?? file.path);
    }
  }
  if (json) terminal.printJson({ videos: jobs, ...(copy === null ? {} : { saved }) });
  if (stopped !== null) throw new CommandFailed(stopped);
  const missing = jobs.filter((job) => !isFinished(job, copy));
  if (missing.length > 0) {
    const words = missing.map((job) => `Video ${headOf(job)}: ${endWords(job, command)}`);
    throw new CommandFailed(words.join('\n\n'));
  }
}

/** A client's video that only it fetches is finished, too, unless a copy is wanted. */
function isFinished({ state, file }: VideoJob, copy: CopyPlan | null): boolean {
  return state === 'done' && (file === null ? copy === null : file.present);
}

function thereWords(job: VideoJob, { bytes }: VideoFile): string {
  const after = span(job.stateSince - job.createdAt);
  return `Video ${headOf(job)} is there (${size(bytes)}, after ${after}):`;
}
