import type { VideoFile, VideoJob } from '../../../shared/video/video.ts';
import { formatElapsed } from '../../output/format.ts';
import { formatBytes } from '../../../shared/format.ts';
import { CommandError } from '../../errors.ts';
import type { CommandContext } from '../../command-context.ts';
import { copyVideo, type CopyPlan } from './copy-file.ts';
import { describeChargeBriefly, describeOutcome, shortId } from '../../output/format-video.ts';

export interface ReportOptions {
  /** That of the amounts in the words about a job. */
  readonly currency: string;
  readonly json: boolean;
  /** Why waiting was stopped; absent when it was not. */
  readonly stopped?: string | null;
  /** The target of copies; `null` for none. */
  readonly copy: CopyPlan | null;
}

/**
 * Reports the results of jobs: on standard output the path of each finished video, or one JSON document. @throws CommandError when one
 * of them is not finished
 */
export async function reportVideos(
  context: CommandContext,
  jobs: readonly VideoJob[],
  { json, currency, copy, stopped = null }: ReportOptions,
): Promise<void> {
  const { terminal, command } = context;
  const saved: string[] = [];
  for (const job of jobs) {
    const { file } = job;
    if (file?.present === true && copy !== null) saved.push(await copyVideo(file, copy));
    if (!json && file?.present === true) {
      terminal.printError(describeFile(job, file, currency));
      terminal.print(saved.at(-1) ?? file.path);
    }
  }
  if (json) terminal.printJson({ videos: jobs, ...(copy === null ? {} : { saved }) });
  if (stopped !== null) throw new CommandError(stopped);
  const missing = jobs.filter((job) => !isFinished(job, copy));
  if (missing.length > 0) {
    const outcomes = missing.map(
      (job) => `Video ${shortId(job)}: ${describeOutcome(job, { command, currency })}`,
    );
    throw new CommandError(outcomes.join('\n\n'));
  }
}

/** Whether a job is finished. A client's video that only the client downloads counts, too, unless a copy is requested. */
function isFinished({ state, file }: VideoJob, copy: CopyPlan | null): boolean {
  return state === 'done' && (file === null ? copy === null : file.present);
}

function describeFile(job: VideoJob, { bytes }: VideoFile, currency: string): string {
  const after = formatElapsed(job.stateSince - job.createdAt);
  return `Video ${shortId(job)} is finished (${formatBytes(bytes)}, after ${after}; ${describeChargeBriefly(job, currency)}):`;
}
