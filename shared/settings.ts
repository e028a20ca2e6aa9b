import { z } from 'zod';
import { FurtherListener } from './connect/further-listener.ts';
import { Currency } from './money/cost.ts';

const Port = z
  .number({ error: 'A port is a number from 1 to 65535.' })
  .int('A port is a whole number.')
  .min(1, 'A port is a number from 1 to 65535.')
  .max(65_535, 'A port is a number from 1 to 65535.');

const Days = z
  .number({ error: 'Enter a number of days.' })
  .int('Whole days only.')
  .max(3650, 'At most 3650 days.');

const Count = z.number({ error: 'Enter a number.' }).int('Whole numbers only.');

/** The stored settings. Never contain a secret. */
export const Settings = z.object({
  /** Port of the proxy on 127.0.0.1. */
  port: Port,
  /** Where the proxy listens beside the loopback addresses, on the same port. */
  furtherListeners: z.array(FurtherListener).max(8, 'At most 8.'),
  /** Whether requests of clients are repaired. */
  repairs: z.boolean(),
  /** Whether chat streams are asked for their usage when their clients do not ask. */
  asksForUsage: z.boolean(),
  /** Whether a stream that exceeds a limit of its client is ended; otherwise it finishes. */
  cutsStreams: z.boolean(),
  /** Whether a limit of money refuses requests to models without a price; otherwise they pass uncounted, with an alarm. */
  refusesUnpriced: z.boolean(),
  /** Days after which exchanges are deleted. */
  keepDays: Days.min(1, 'At least one day.'),
  /** Days after which the headers of exchanges are deleted; 0 to keep none. */
  keepHeadersDays: Days.min(0, 'Not fewer than 0 days.'),
  /** Days after which the bodies of exchanges are deleted; 0 to keep none. */
  keepBodiesDays: Days.min(0, 'Not fewer than 0 days.'),
  /** Maximum size of the stored bodies in MiB; beyond it the oldest are deleted. */
  bodiesMiB: z
    .number({ error: 'Enter a number.' })
    .int('Whole numbers only.')
    .min(16, 'At least 16 MiB.')
    .max(1_048_576, 'At most 1048576 MiB.'),
  /** Maximum size of the database in MiB (1,048,576 bytes); beyond it the oldest exchanges are deleted. */
  mostMiB: z
    .number({ error: 'Enter a number.' })
    .int('Whole numbers only.')
    .min(64, 'At least 64 MiB.')
    .max(1_048_576, 'At most 1048576 MiB.'),
  /** ISO 4217 code of the currency of prices and costs. Another one only names them differently: nothing is converted. */
  currency: Currency,
  /** Whether the first-run setup was finished or skipped. */
  setUp: z.boolean(),
  /** Absolute path of the folder for finished videos; `null` for `videos` in the data folder. */
  videoFolder: z.string().trim().min(1).max(4096, 'A path has at most 4096 characters.').nullable(),
  /** Maximum number of active videos; orders of clients do not count. */
  videosAtOnce: z
    .number({ error: 'Enter a number.' })
    .int('Whole numbers only.')
    .min(1, 'At least one.')
    .max(100, 'At most 100.'),
  /** Whether videos ordered by clients are downloaded and stored here, too. */
  keepClientVideos: z.boolean(),
  /** What is done about an agent that runs away: nothing, an alarm, or its client is stopped. */
  runawayAction: z.enum(['off', 'ask', 'stop']),
  /** Number of equal tool calls in a row from which an agent runs away. */
  runawayRepeats: Count.min(2, 'At least two.').max(1_000, 'At most 1000.'),
  /** Number of sub-agents without a message of a person from which an agent runs away. */
  runawayAgents: Count.min(2, 'At least two.').max(1_000, 'At most 1000.'),
  /** Number of requests without a message of a person, and minutes, from which together an agent runs away. */
  runawayRequests: Count.min(1, 'At least one.').max(100_000, 'At most 100000.'),
  runawayMinutes: Count.min(0, 'Not fewer than 0 minutes.').max(1_440, 'At most 1440 minutes.'),
});
export type Settings = z.infer<typeof Settings>;

/** A change of the settings; absent fields stay as they are. */
export const SettingsChange = Settings.partial();
export type SettingsChange = z.infer<typeof SettingsChange>;

export const SettingName = Settings.keyof();
export type SettingName = z.infer<typeof SettingName>;

export const DEFAULT_SETTINGS: Settings = {
  port: 6417,
  furtherListeners: [],
  repairs: true,
  asksForUsage: true,
  cutsStreams: false,
  refusesUnpriced: false,
  keepDays: 90,
  keepHeadersDays: 7,
  keepBodiesDays: 7,
  bodiesMiB: 1024,
  mostMiB: 2048,
  currency: 'USD',
  setUp: false,
  videoFolder: null,
  videosAtOnce: 2,
  keepClientVideos: true,
  runawayAction: 'ask',
  runawayRepeats: 10,
  runawayAgents: 30,
  runawayRequests: 100,
  runawayMinutes: 30,
};

/** The settings in force. `pinned` says, for people, which ones the command line or the environment sets for this run. */
export const EffectiveSettings = z.object({
  settings: Settings,
  pinned: z.object({
    port: z.string().optional(),
    repairs: z.string().optional(),
    upstream: z.string().optional(),
  }),
});
export type EffectiveSettings = z.infer<typeof EffectiveSettings>;

/** Content of the data folder. Sizes in bytes. */
export const DataFolder = z.object({
  path: z.string(),
  files: z.array(z.object({ name: z.string(), bytes: z.number().int() })),
  exchanges: z.number().int(),
  /** Unix time in milliseconds of the oldest exchange. */
  oldestAt: z.number().int().nullable(),
});
export type DataFolder = z.infer<typeof DataFolder>;
