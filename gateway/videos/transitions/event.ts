import type { Candidate, VideoQuestion, StatusMeaning } from '../../../shared/video.ts';
import type { JobData, TaskIdCandidate } from './job.ts';

/** When it happened, and a number from 0 to below 1 that spreads what follows. */
interface EventStamp {
  readonly at: number;
  readonly jitter: number;
}

/** What a person decides. `position`: the end of the queue, for a job that waits afterwards. */
type DecisionPayload =
  | ({ readonly kind: 'described' } & Pick<JobData, 'request' | 'image' | 'waitMinutes'>)
  | { readonly kind: 'confirm'; readonly position: number }
  | { readonly kind: 'submit-again'; readonly position: number }
  | { readonly kind: 'give-id'; readonly taskId: string }
  | { readonly kind: 'answer'; readonly value: string }
  | { readonly kind: 'explain'; readonly meaning: StatusMeaning }
  | { readonly kind: 'pick-reason'; readonly reason: string }
  | { readonly kind: 'extend'; readonly minutes: number }
  | { readonly kind: 'fetch-again' }
  | { readonly kind: 'cancel' };

/** `sentence`: for people. `retryAfterMs`: what the service asks for. */
interface RequestFailure {
  readonly sentence: string;
  readonly retryAfterMs: number | null;
}

/** What becomes of an image and of the order; `order`: which one it is about. */
type SubmissionEvent =
  | { readonly kind: 'claimed'; readonly upload: string | null }
  | { readonly kind: 'uploaded'; readonly url: string }
  | ({ readonly kind: 'upload-failed' } & RequestFailure)
  | { readonly kind: 'upload-refused'; readonly sentence: string }
  | { readonly kind: 'upload-unclear'; readonly question: VideoQuestion }
  | {
      readonly kind: 'accepted';
      readonly order: number;
      /** Where the field map names its place. */
      readonly taskId: string | null;
      readonly suspects: readonly TaskIdCandidate[];
      readonly answer: string;
    }
  | ({ readonly kind: 'not-ordered'; readonly order: number } & RequestFailure)
  | {
      readonly kind: 'refused';
      readonly order: number;
      readonly sentence: string;
      /** The address of an upload may be what was refused. */
      readonly maybeUpload: boolean;
    }
  | { readonly kind: 'lost'; readonly order: number; readonly sentence: string };

/** What comes of asking and fetching. `taskId`: which task it is about. */
type PollingEvent =
  | {
      readonly kind: 'asked-suspects';
      readonly suspects: readonly TaskIdCandidate[];
      /** Why some are still unasked. */
      readonly problem: string | null;
    }
  | {
      readonly kind: 'polled';
      readonly taskId: string;
      readonly word: string;
      readonly meaning: StatusMeaning;
      readonly progress: number | null;
      readonly progressAt: string | null;
      readonly cost: string | null;
      readonly reason: string | null;
      readonly reasons: readonly Candidate[];
      /** Whether the file is fetched once it is completed. */
      readonly fetches: boolean;
    }
  | ({ readonly kind: 'ask-failed'; readonly taskId: string } & RequestFailure)
  | {
      readonly kind: 'fetched';
      readonly taskId: string;
      readonly file: NonNullable<JobData['file']>;
    }
  | ({
      readonly kind: 'fetch-failed';
      readonly taskId: string;
      readonly how: 'later' | 'link-gone' | 'no-video';
    } & RequestFailure);

/** What befalls the queue as a whole. */
type SystemEvent =
  /** The engine started and found the job as it is. */
  | { readonly kind: 'found' }
  /** The clock was set back: what was planned lies too far ahead. */
  | { readonly kind: 'clock-back' }
  /** There is no way to the service: it is gone, or there is no key. */
  | { readonly kind: 'blocked'; readonly sentence: string }
  /** What stood in the way may be gone. */
  | { readonly kind: 'unblocked' }
  /** Something that nobody planned for. */
  | { readonly kind: 'stumbled'; readonly sentence: string };

/** Everything that can happen to a job. */
export type VideoEvent = EventStamp &
  (DecisionPayload | SubmissionEvent | PollingEvent | SystemEvent);
export type VideoEventOf<Kind extends VideoEvent['kind']> = Extract<
  VideoEvent,
  { readonly kind: Kind }
>;

/** What happened, without when. */
export type EventPayload<Kind extends VideoEvent['kind']> = Omit<
  VideoEventOf<Kind>,
  keyof EventStamp
>;

/** Anything that can happen, without when. */
export type AnyEventPayload = {
  readonly [Kind in VideoEvent['kind']]: EventPayload<Kind>;
}[VideoEvent['kind']];
